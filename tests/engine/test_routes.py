"""Routes that depend on the request, and fan-in whatever the order of arrival."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import GraphError
from engine.family import LoadedFamily
from engine.graph import Edge, Graph, StageSpec, Streaming
from engine.intake import Feed, Intake, Step
from engine.messages import Chunk, Done, Inbound, NewRequest
from engine.types import Finished, Pcm, Utterance
from tests.engine.arithmetic import INFO, Watch, graph, joined, make_talker, say, sound_of
from tests.engine.conftest import Starter
from tests.engine.schedulers.driving import job
from tests.engine.test_coordinator import begin
from tests.engine.test_intake import BINDING, take
from tests.engine.test_stage import all_of, diamond, in_a_row, simple, spoken

Route = Callable[[Utterance], Collection[str]]


def by_text(utterance: Utterance) -> list[str]:
    """Names of the branches that the text begins with: "u" for upper, "l" for lower."""
    names = {"u": "upper", "l": "lower"}
    return [names[letter] for letter in utterance.text.partition(" ")[0] if letter in names]


def those_there_are(payloads: Mapping[str, object]) -> object:
    return in_a_row({"upper": [], "lower": [], **payloads})


def routed(route: Route = by_text) -> LoadedFamily:
    stages = [
        replace(stage, route=route) if stage.name == "text" else stage
        for stage in diamond().graph.stages
    ]
    speak = replace(stages[0], merge=those_there_are)
    return LoadedFamily(INFO, Graph((speak, *stages[1:]), "text"))


async def test_a_request_goes_only_where_its_route_leads(start: Starter) -> None:
    engine = await start(routed())
    found = await asyncio.gather(*(all_of(engine, text, text) for text in ("u A", "l A", "ul A")))
    samples = [o.samples.tolist() for outputs in found for o in outputs if isinstance(o, Pcm)]
    assert samples == [[ord(c) for c in text] for text in ("U A", "l a", "UL A" + "ul a")]
    admitted = {s.address.stage: s.admitted for s in engine.stats().stages}
    assert admitted == {"text": 3, "upper": 2, "lower": 2, "speak": 3}


def nowhere(utterance: Utterance) -> list[str]:
    return []


def elsewhere(utterance: Utterance) -> list[str]:
    return ["speak"]


def raising(utterance: Utterance) -> list[str]:
    raise KeyError("no such language")


@pytest.mark.parametrize(
    ("route", "told"),
    [
        (nowhere, r"stages\.text\.route: chose nothing; targets are upper, lower"),
        (elsewhere, r"stages\.text\.route: chose speak; targets are upper, lower"),
        (raising, r"stages\.text\.route: KeyError\('no such language'\)"),
    ],
)
async def test_a_route_to_what_is_not_declared_refuses_that_request(
    start: Starter, route: Route, told: str
) -> None:
    engine = await start(routed(route))
    with pytest.raises(GraphError, match=told):
        engine.submit(say("any"))
    engine.check_integrity()


def test_a_route_needs_something_to_choose_from() -> None:
    entry, *others = graph(Watch()).stages
    with pytest.raises(GraphError, match=r"stages\.thinker\.route: there is nothing to choose"):
        Graph((replace(entry, route=nowhere), *others), entry.name)


def past_the_talkers_twin(utterance: Utterance) -> list[str]:
    return ["talker"]


async def test_a_stream_is_not_held_up_by_an_edge_that_the_request_does_not_take(
    start: Starter,
) -> None:
    """The thinker may have two plans out at each target; nobody takes any at the twin."""
    entry, talker, vocoder = graph(Watch()).stages
    twin = StageSpec("twin", Streaming(make_twin), (Edge("silent"),))
    silent = StageSpec("silent", simple(spoken), end=True)
    to = (Edge("talker"), Edge("twin"))
    thinker = replace(entry, to=to, route=past_the_talkers_twin)
    engine = await start(
        LoadedFamily(INFO, Graph((thinker, talker, vocoder, twin, silent), "thinker"))
    )
    text = "One. " * 20
    outputs = [output async for output in begin(engine, text)]
    assert isinstance(outputs[-1], Finished)
    sound = joined(output for output in outputs if isinstance(output, Pcm))
    np.testing.assert_array_equal(sound, sound_of(text))


def make_twin(worker: object) -> object:
    return make_talker(Watch(), worker)  # type: ignore[arg-type]


SOURCES = ("x", "y", "z")


def star() -> Graph:
    """Three stages into one, which merges by name."""
    into = (Edge("end", "payload"),)
    stages = [StageSpec(name, simple(spoken), into) for name in SOURCES]
    entry = StageSpec("in", simple(spoken), tuple(Edge(name, "payload") for name in SOURCES))
    end = StageSpec("end", simple(spoken), end=True, merge=dict)
    return Graph((entry, *stages, end), "in")


STAR = star()
JOBS = {name: job(name) for name in "ab"}


@given(data=st.data())
def test_the_order_of_arrival_changes_nothing(data: st.DataObject) -> None:
    """Payload before end on each edge; edges and requests in any order, the request itself too."""
    left: dict[str, list[Inbound]] = {}
    requests = {name: NewRequest(one, say("", name), BINDING) for name, one in JOBS.items()}
    for name, one in JOBS.items():
        left[name] = [requests[name]]
        for source in SOURCES:
            left[name + source] = [Chunk(one, source, name + source), Done(one, source)]
    intake = Intake(STAR, "end")
    steps: list[Step] = []
    while any(left.values()):
        queue = data.draw(st.sampled_from([key for key, rest in left.items() if rest]))
        steps += take(intake, left[queue].pop(0))
    merged = {
        step.message.job: step.message.item
        for step in steps
        if isinstance(step, Feed) and isinstance(step.message, Chunk)
    }
    wanted = {one: {s: name + s for s in SOURCES} for name, one in JOBS.items()}
    assert merged == wanted
