from __future__ import annotations

import dataclasses

import pytest
from pydantic import ValidationError

from engine.devices import Machine
from engine.errors import GraphError
from engine.graph import Edge, Graph
from engine.messages import StageAddress
from engine.placement import Placement, Seat, resolve
from engine.topology import Topology, parse_topology
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
        ({"launcher": "magic"}, r"launcher: Input should be 'threads', 'processes' or 'ray'"),
        ({"stages": {"talker": {"process": ""}}}, r"stages\.talker\.process: "),
        (
            {"stages": {"talker": {"process": "thinker", "ranks": 2}}},
            r"stages\.talker\.ranks: a stage over 2 ranks must be alone in its group, but thinker",
        ),
        (
            {"stages": {"talker": {"ranks": 2}}},
            r"stages\.talker\.ranks: its runner can be spread over 1 at most",
        ),
        (
            {"processes": {"talker": {"replicas": 2, "devices": ["cpu"]}}},
            r"processes\.talker\.devices: 1 given for 2 replicas × 1 ranks = 2",
        ),
        ({"processes": {"talker": {"devices": ["gpu"]}}}, r"processes\.talker\.devices\.0: "),
        (
            {"processes": {"talker": {"devices": ["cuda:0"]}}},
            r"processes\.talker\.devices: talker can't run on cuda:0, only on cpu",
        ),
        (
            {"processes": {"talker": {"cores": [0, 1]}}},
            r"processes\.talker\.cores: 2 given for 1 replicas; give one each",
        ),
        (
            {"launcher": "threads", "processes": {"talker": {"hosts": ["b"]}}},
            r"processes\.talker\.hosts: other hosts need launcher: ray, not threads",
        ),
        (
            {"processes": {"talker": {"memory": 0.6}, "code2wav": {"memory": 0.5}}},
            r"processes\.code2wav\.memory: the shares of cpu come to 1\.1, which is over 1",
        ),
        ({"processes": {"talker": {"memory": 1.5}}}, r"processes\.talker\.memory: "),
        (
            {"processes": {"talker": {"cores": [[0, 99]]}}},
            r"processes\.talker\.cores: there is no core 99 here; there are 0, 1",
        ),
        ({"max_requests": 0}, "max_requests: "),
    ],
)
def test_a_wrong_topology_is_refused_with_its_key(
    watch: Watch, data: dict[str, object], message: str
) -> None:
    with pytest.raises(GraphError, match=message):
        resolve(graph(watch), parse_topology(data), Machine(frozenset({0, 1})))


def test_a_topology_is_frozen() -> None:
    with pytest.raises(ValidationError):
        Topology().threads = 2


def gpu_graph(*, local: bool = False, max_ranks: int = 1) -> Graph:
    """The arithmetic graph with runners that say they can use a GPU."""
    asked = graph(Watch())
    stages = [dataclasses.replace(stage, devices=("cpu", "cuda")) for stage in asked.stages]
    stages[0] = dataclasses.replace(stages[0], to=(Edge("talker", local=local),))
    stages[1] = dataclasses.replace(stages[1], max_ranks=max_ranks)
    return Graph(tuple(stages), asked.entry)


def placed(graph: Graph, data: dict[str, object], gpus: int = 2) -> Placement:
    return resolve(graph, parse_topology(data), Machine(frozenset({0, 1}), gpus))


def test_every_rank_of_every_replica_has_its_device() -> None:
    data = {
        "stages": {"talker": {"ranks": 2}},
        "processes": {"talker": {"replicas": 2, "devices": [f"cuda:{n}" for n in range(4)]}},
    }
    group = placed(gpu_graph(max_ranks=2), data, gpus=4).group_of("talker")
    assert group.seats == (
        Seat(devices=("cuda:0", "cuda:1")),
        Seat(devices=("cuda:2", "cuda:3")),
    )


def test_a_replica_has_its_cores_and_threads() -> None:
    data = {"processes": {"code2wav": {"replicas": 2, "cores": [0, [0, 1]], "threads": 2}}}
    placement = placed(gpu_graph(), data)
    assert [seat.cores for seat in placement.group_of("code2wav").seats] == [(0,), (0, 1)]
    assert placement.worker(StageAddress("code2wav", 1)).threads == 2
    assert placement.worker(StageAddress("talker", 0)).threads == 1


def test_a_device_that_is_not_there_is_refused() -> None:
    data = {"processes": {"talker": {"devices": ["cuda:2"]}}}
    with pytest.raises(
        GraphError,
        match=r"processes\.talker\.devices: there is no cuda:2 here; there is cpu, cuda:0, cuda:1",
    ):
        placed(gpu_graph(), data)


def test_what_one_device_is_shared_by_must_fit_on_it() -> None:
    shares = {"devices": ["cuda:0"], "memory": 0.6}
    other = {"devices": ["cuda:1"], "memory": 0.6}
    placed(gpu_graph(), {"processes": {"talker": shares, "code2wav": other}})
    placement = placed(gpu_graph(), {"processes": {"talker": shares}})
    workers = [placement.worker(StageAddress(name, 0)) for name in ("talker", "code2wav")]
    assert [worker.memory for worker in workers] == [0.6, None]
    with pytest.raises(GraphError, match=r"processes\.code2wav\.memory: the shares of cuda:0"):
        placed(gpu_graph(), {"processes": {"talker": shares, "code2wav": shares}})


def test_stages_that_share_what_cannot_leave_a_process_are_kept_together() -> None:
    assert placed(gpu_graph(local=True), {}).group_of("talker").stages == ("thinker", "talker")
    with pytest.raises(GraphError, match=r"stages\.talker\.process: what thinker hands to talker"):
        placed(gpu_graph(local=True), {"stages": {"talker": {"process": "own"}}})


def test_what_this_machine_has_is_looked_up() -> None:
    machine = Machine.here()
    assert machine.cores
    assert machine.has("cpu")
    assert not machine.has(f"cuda:{machine.gpus}")
