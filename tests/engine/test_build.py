from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from engine.api import Engine
from engine.coordinator import Coordinator
from engine.errors import EngineStopped, GraphError, ModelMissing, StageFailed, UnknownVoice
from engine.family import LoadedFamily
from engine.graph import Graph, StageSpec, Streaming, Worker
from engine.runners import StreamRunner
from engine.topology import parse_topology
from engine.types import Credit, Failed, Finished, Output, Pcm, Utterance
from tests.engine.arithmetic import (
    INFO,
    State,
    Watch,
    family,
    graph,
    joined,
    say,
    sound_of,
)
from tests.engine.conftest import Starter
from tests.patience import PATIENCE_S

ALL = Credit(until=10**9)


async def listen(engine: Coordinator, text: str, name: str = "r") -> list[Output]:
    request = engine.submit(say(text, name))
    request.credit(ALL)
    return [output async for output in request]


async def test_words_become_the_sound_they_should(engine: Coordinator) -> None:
    text = "One. Two three. And an end without a stop"
    *windows, last = await listen(engine, text)
    assert isinstance(last, Finished)
    sound = joined(w for w in windows if isinstance(w, Pcm))
    np.testing.assert_array_equal(sound, sound_of(text))
    assert (last.samples, last.frames) == (len(sound), len(text))


async def test_the_coordinator_is_an_engine(engine: Coordinator) -> None:
    seen: Engine = engine
    assert seen.info is INFO


@pytest.mark.parametrize("text", ["", "!"])
async def test_text_without_sound_ends_cleanly(engine: Coordinator, text: str) -> None:
    last = (await listen(engine, text))[-1]
    assert isinstance(last, Finished)
    assert (last.samples, last.frames) == (0, 0)


async def test_close_ends_every_thread_and_refuses_what_comes_after(
    start: Starter, watch: Watch
) -> None:
    engine = await start(family(watch))
    assert sum(t.name.startswith("stage:") for t in threading.enumerate()) == 3
    await asyncio.gather(engine.close(), engine.close())
    with pytest.raises(EngineStopped):
        engine.submit(say("too late"))


async def test_close_fails_what_is_under_way(start: Starter, watch: Watch) -> None:
    engine = await start(family(watch))
    request = engine.submit(say("still open", more=True))
    await engine.close()
    outputs = [output async for output in request]
    assert isinstance(outputs[-1], Failed)
    assert isinstance(outputs[-1].error, EngineStopped)
    assert watch.opened == watch.closed


async def test_an_unknown_voice_is_refused_with_the_known_ones(engine: Coordinator) -> None:
    with pytest.raises(UnknownVoice, match="'nobody'; voices are plain"):
        engine.submit(replace(say("hello"), voice="nobody"))


def missing(worker: Worker) -> StreamRunner[State, str, str]:
    raise ModelMissing("no model: run fetch")


def broken(worker: Worker) -> StreamRunner[State, str, str]:
    raise ZeroDivisionError("a bug")


@pytest.mark.parametrize(("factory", "error"), [(missing, ModelMissing), (broken, StageFailed)])
async def test_a_runner_that_cannot_be_made_stops_the_start(
    start: Starter, watch: Watch, factory: object, error: type[Exception]
) -> None:
    whole = graph(watch)
    work = Streaming(factory)  # type: ignore[arg-type]
    stages = (StageSpec("thinker", work, to=whole.stages[0].to), *whole.stages[1:])
    with pytest.raises(error):
        await start(LoadedFamily(INFO, Graph(stages, "thinker")))


async def test_a_start_that_is_cancelled_leaves_no_thread(start: Starter, watch: Watch) -> None:
    go_on = threading.Event()
    entered = asyncio.Event()
    loop = asyncio.get_running_loop()

    def slow(worker: Worker) -> StreamRunner[State, str, str]:
        loop.call_soon_threadsafe(entered.set)
        go_on.wait(PATIENCE_S)
        raise ModelMissing("never used")

    whole = graph(watch)
    stages = (StageSpec("thinker", Streaming(slow), to=whole.stages[0].to), *whole.stages[1:])
    starting = asyncio.create_task(start(LoadedFamily(INFO, Graph(stages, "thinker"))))
    await entered.wait()
    starting.cancel()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await starting


async def test_a_topology_for_another_graph_is_refused(start: Starter, watch: Watch) -> None:
    with pytest.raises(GraphError, match=r"processes\.vocoder"):
        await start(family(watch), parse_topology({"processes": {"vocoder": {"replicas": 2}}}))


class Counting(StreamRunner[State, str, object]):
    """Says how many threads the arithmetic libraries would use in its stage's thread."""

    def __init__(self, told: list[int]) -> None:
        self._told = told

    def open(self, utterance: Utterance) -> State:
        self._told += [pool["num_threads"] for pool in threadpool_info()]
        raise StageFailed("that is all")

    def push(self, state: State, item: str) -> None: ...

    def end(self, state: State) -> None: ...

    def step(self, state: State) -> None: ...

    def close(self, state: State) -> None: ...


async def test_arithmetic_keeps_to_the_threads_of_a_worker(watch: Watch, start: Starter) -> None:
    """A product of matrices in a stage must not start a thread a core. OpenMP keeps its number by
    thread, so it is the stage's own that counts."""
    told: list[int] = []
    counting = Streaming(lambda worker: Counting(told))
    entry, *others = graph(watch).stages
    stages = (replace(entry, work=counting), *others)
    engine = await start(LoadedFamily(INFO, Graph(stages, entry.name)))
    await listen(engine, "count")
    assert told
    assert set(told) == {1}
