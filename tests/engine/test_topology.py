from __future__ import annotations

import dataclasses

import pytest
from pydantic import ValidationError

from engine.errors import GraphError
from engine.graph import Graph
from engine.messages import StageAddress
from engine.topology import Topology, parse_topology, resolve
from tests.engine.arithmetic import Watch, graph


def test_the_default_is_one_replica_of_each_stage_on_its_own(watch: Watch) -> None:
    placement = resolve(graph(watch), Topology())
    assert [(g.name, g.stages, g.replicas) for g in placement.groups] == [
        ("thinker", ("thinker",), 1),
        ("talker", ("talker",), 1),
        ("code2wav", ("code2wav",), 1),
    ]


def test_a_stage_that_asks_for_copies_has_them_unless_the_topology_says(watch: Watch) -> None:
    asked = graph(watch)
    stages = tuple(
        dataclasses.replace(stage, copies=3 if stage.name == "code2wav" else 1)
        for stage in asked.stages
    )
    asking = Graph(stages, asked.entry)
    assert resolve(asking, Topology()).group_of("code2wav").replicas == 3
    one = parse_topology({"processes": {"code2wav": {"replicas": 1}}})
    assert resolve(asking, one).group_of("code2wav").replicas == 1


def test_stages_of_a_group_are_copied_together(watch: Watch) -> None:
    data = {
        "stages": {"thinker": {"process": "front"}, "talker": {"process": "front"}},
        "processes": {"front": {"replicas": 2}},
        "threads": 3,
    }
    placement = resolve(graph(watch), parse_topology(data))
    assert placement.group_of("talker").stages == ("thinker", "talker")
    assert [a for a in placement.addresses() if a.stage != "code2wav"] == [
        StageAddress("thinker", 0),
        StageAddress("talker", 0),
        StageAddress("thinker", 1),
        StageAddress("talker", 1),
    ]
    assert placement.worker(StageAddress("talker", 1)).threads == 3


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"stages": {"vocoder": {}}}, r"stages\.vocoder: no such stage; stages are thinker, "),
        ({"processes": {"gpu": {}}}, r"processes\.gpu: no stage is in it; groups are thinker, "),
        ({"processes": {"talker": {"replicas": 0}}}, r"processes\.talker\.replicas: "),
        ({"processes": {"talker": {"replicas": "2"}}}, r"processes\.talker\.replicas: "),
        ({"processes": {"talker": {"copies": 2}}}, r"processes\.talker\.copies: Extra"),
        ({"launcher": "magic"}, r"launcher: Input should be 'threads'"),
        ({"max_requests": 0}, "max_requests: "),
    ],
)
def test_a_wrong_topology_is_refused_with_its_key(
    watch: Watch, data: dict[str, object], message: str
) -> None:
    with pytest.raises(GraphError, match=message):
        resolve(graph(watch), parse_topology(data))


def test_a_topology_is_frozen() -> None:
    with pytest.raises(ValidationError):
        Topology().threads = 2
