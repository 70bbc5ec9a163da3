"""Graphs that are no chain: payloads, fan-out with projections, fan-in, several ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest

from engine.coordinator import Coordinator
from engine.errors import StageFailed
from engine.family import LoadedFamily
from engine.graph import Edge, Graph, Simple, StageSpec, Streaming, Worker
from engine.runners import BatchRunner, StreamRunner
from engine.types import Failed, Finished, Output, Pcm, Utterance
from tests.engine.arithmetic import INFO, State, say
from tests.engine.conftest import Starter


class Applied:
    """Applies a function to each payload."""

    def __init__(self, function: Callable[[Utterance, object], object]) -> None:
        self.function = function

    def run(self, utterances: Sequence[Utterance], payloads: Sequence[object]) -> list[object]:
        return [self.function(u, p) for u, p in zip(utterances, payloads, strict=True)]

    def max_batch(self) -> int:
        return 3


def simple(function: Callable[[Utterance, object], object]) -> Simple:
    def make(worker: Worker) -> BatchRunner[object, object]:
        return Applied(function)

    return Simple(make, wait=0.0)


def text_of(utterance: Utterance, payload: object) -> object:
    assert isinstance(payload, tuple)
    return "".join(payload)


def codes(utterance: Utterance, payload: object) -> object:
    return [ord(c) for c in str(payload)]


def spoken(utterance: Utterance, payload: object) -> object:
    samples = np.array(payload, dtype=np.int16)
    return Pcm(utterance.request, utterance.epoch, 0, samples, frames=1)


def in_a_row(payloads: Mapping[str, object]) -> object:
    return [*payloads["upper"], *payloads["lower"]]  # type: ignore[misc]


def diamond(project: Callable[[str], object] = str.upper) -> LoadedFamily:
    """text -> its codes in capitals and in small letters -> both in a row, as samples."""
    into = (Edge("speak", "payload"),)
    stages = (
        StageSpec("speak", simple(spoken), end=True, merge=in_a_row),
        StageSpec("lower", simple(codes), into),
        StageSpec("upper", simple(codes), into),
        StageSpec(
            "text",
            simple(text_of),
            (Edge("upper", "payload", project), Edge("lower", "payload", str.lower)),
        ),
    )
    return LoadedFamily(INFO, Graph(stages, "text"))


async def all_of(engine: Coordinator, text: str, name: str) -> list[Output]:
    return [output async for output in engine.submit(say(text, name))]


async def test_fan_out_projects_and_fan_in_merges_by_name(start: Starter) -> None:
    engine = await start(diamond())
    words = [f"Word{i}" for i in range(50)]
    found = await asyncio.gather(*(all_of(engine, word, word) for word in words))
    for word, (pcm, end) in zip(words, found, strict=True):
        assert isinstance(pcm, Pcm)
        assert pcm.samples.tolist() == [ord(c) for c in word.upper() + word.lower()]
        assert isinstance(end, Finished)


async def test_a_projection_that_raises_fails_its_request_alone(start: Starter) -> None:
    def picky(text: str) -> str:
        if text == "bad":
            raise ValueError("not this")
        return text

    engine = await start(diamond(picky))
    bad, good = await asyncio.gather(all_of(engine, "bad", "a"), all_of(engine, "good", "b"))
    (failed,) = bad
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, StageFailed)
    assert "text: projection for upper: ValueError('not this')" in str(failed.error)
    assert isinstance(good[-1], Finished)


async def test_what_is_not_sound_never_reaches_the_client(start: Starter) -> None:
    family = LoadedFamily(INFO, Graph((StageSpec("text", simple(text_of), end=True),), "text"))
    engine = await start(family)
    (failed,) = await all_of(engine, "hello", "a")
    assert isinstance(failed, Failed)
    assert "text: put out str for the client" in str(failed.error)


@pytest.mark.parametrize("aborts", range(8))
async def test_aborts_in_a_graph_with_branches_give_all_back(start: Starter, aborts: int) -> None:
    engine = await start(diamond())
    requests = [engine.submit(say("words", f"r{i}")) for i in range(8)]
    for request in requests[:aborts]:
        request.abort()
        await asyncio.sleep(0)
    for request in requests[aborts:]:
        assert isinstance([o async for o in request][-1], Finished)


class Speller:
    """A terminal stage that is no vocoder: a window for each character, as fast as it may."""

    def __init__(self) -> None:
        self.made = 0

    def open(self, utterance: Utterance) -> State:
        return State(utterance)

    def push(self, state: State, item: str) -> None:
        state.pending.extend(map(ord, item))

    def end(self, state: State) -> None:
        """Nothing is held back for the end."""

    def step(self, state: State) -> Pcm | None:
        if not state.pending:
            return None
        self.made += 1
        samples = np.array([state.pending.pop(0)], np.int16)
        return Pcm(state.utterance.request, state.utterance.epoch, 0, samples, frames=1)

    def close(self, state: State) -> None:
        state.pending.clear()


async def test_a_terminal_stage_waits_until_its_items_are_taken(start: Starter) -> None:
    runner = Speller()

    def make(worker: Worker) -> StreamRunner[State, str, Pcm]:
        return runner

    graph = Graph((StageSpec("spell", Streaming(make, outstanding=3), end=True),), "spell")
    engine = await start(LoadedFamily(INFO, graph))
    taken = 0
    async for output in engine.submit(say("x" * 200)):
        taken += isinstance(output, Pcm)
        assert runner.made <= taken + 3
    assert taken == 200
