"""Stages in processes of their own: the same sound, and what becomes of it when one is killed."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from engine import build
from engine.coordinator import Coordinator
from engine.errors import EngineStopped, ModelMissing, StageFailed
from engine.family import LoadedFamily
from engine.graph import Graph, StageSpec, Streaming, Worker
from engine.request import BoundRequest
from engine.runners import StreamRunner
from engine.stats import ProcessStats
from engine.topology import Topology, parse_topology
from engine.types import Credit, Failed, Finished, Output, Pcm
from tests.engine.arithmetic import INFO, State, Watch, family, graph, joined, say, sound_of
from tests.patience import PATIENCE_S

ALL = Credit(until=10**9)
ROOT = Path(__file__).parents[3]


def topology(**replicas: int) -> Topology:
    """The thinker and the talker in one process, code2wav in others."""
    return parse_topology(
        {
            "launcher": "processes",
            "stages": {"thinker": {"process": "front"}, "talker": {"process": "front"}},
            "processes": {name: {"replicas": count} for name, count in replicas.items()},
        }
    )


@pytest.fixture
async def engine() -> AsyncIterator[Coordinator]:
    engine = await build.start(family(Watch()), topology(code2wav=2))
    pids = [process.pid for process in engine.stats().processes]
    assert len(set(pids)) == 3
    yield engine
    pids += [process.pid for process in engine.stats().processes if process.pid]
    await engine.close()
    assert not running(pids)


def begin(engine: Coordinator, text: str, name: str = "r", *, more: bool = False) -> BoundRequest:
    request = engine.submit(say(text, name, more=more))
    request.credit(ALL)
    return request


async def all_of(request: BoundRequest) -> list[Output]:
    return [output async for output in request]


async def hear(engine: Coordinator, text: str, name: str) -> None:
    *windows, end = await all_of(begin(engine, text, name))
    assert isinstance(end, Finished)
    sound = joined(window for window in windows if isinstance(window, Pcm))
    np.testing.assert_array_equal(sound, sound_of(text))


def process(engine: Coordinator, group: str, replica: int = 0) -> ProcessStats:
    found = engine.stats().processes
    return next(one for one in found if (one.group, one.replica) == (group, replica))


async def become(engine: Coordinator, group: str, replica: int, state: str) -> None:
    """Waits until a process is in that state."""
    until = time.monotonic() + PATIENCE_S
    while process(engine, group, replica).state != state:
        assert time.monotonic() < until, f"still {process(engine, group, replica)}"
        await asyncio.sleep(0.005)


def running(pids: list[int]) -> list[int]:
    return [pid for pid in pids if Path(f"/proc/{pid}").exists()]


def left_in_memory() -> list[Path]:
    return list(Path("/dev/shm").glob("voice-server*"))


async def make_the_sound_that_threads_make(engine: Coordinator) -> None:
    """Twenty at once in random order, over two replicas; nothing is held after, or named."""
    texts = {f"r{i}": f"One, two. {'Three four five. ' * (i % 5)}And {i}" for i in range(20)}
    names = random.Random(3).sample(sorted(texts), len(texts))
    await asyncio.gather(*(hear(engine, texts[name], name) for name in names))
    await engine.idle()
    engine.check_integrity()
    stats = engine.stats()
    assert [one.state for one in stats.processes] == ["ready"] * 3
    assert all(one.cpu > 0 for one in stats.processes)
    worked = {str(stage.address.stage): stage.admitted for stage in stats.stages}
    assert worked["talker"] == 20
    assert min(s.admitted for s in stats.stages if s.address.stage == "code2wav") > 5
    assert not left_in_memory()


async def test_processes_make_the_sound_that_threads_make(engine: Coordinator) -> None:
    await make_the_sound_that_threads_make(engine)


async def test_a_killed_process_loses_its_requests_and_comes_back(engine: Coordinator) -> None:
    waiting = [begin(engine, "One. ", f"r{i}", more=True) for i in range(4)]
    for request in waiting:
        assert isinstance(await anext(request), Pcm)
    victim = process(engine, "code2wav", 1)
    os.kill(victim.pid, signal.SIGKILL)
    lost = [waiting[i] for i in (1, 3)]
    for request in lost:
        end = (await all_of(request))[-1]
        assert isinstance(end, Failed)
        assert isinstance(end.error, StageFailed)
        assert str(end.error) == "code2wav/1 died"
    assert process(engine, "code2wav", 1).state in ("dead", "started")
    await hear(engine, "While it is away.", "other")
    for i in (0, 2):
        waiting[i].finish()
        assert isinstance((await all_of(waiting[i]))[-1], Finished)
    await engine.idle()
    engine.check_integrity()
    await become(engine, "code2wav", 1, "ready")
    again = process(engine, "code2wav", 1)
    assert again.starts == 2
    assert again.pid != victim.pid
    await asyncio.gather(*(hear(engine, f"Back again. {i}", f"b{i}") for i in range(6)))
    assert [s.admitted for s in engine.stats().stages if s.address.replica == 1] == [3]
    await engine.idle()
    engine.check_integrity()


async def test_a_group_without_a_process_is_told_and_refused(engine: Coordinator) -> None:
    """A request that has all it needs from the dead one goes on to its end."""
    done = engine.submit(say("x" * 200, "done"))
    first = await anext(done)
    assert isinstance(first, Pcm)
    waiting = begin(engine, "Wait. ", "waiting", more=True)
    os.kill(process(engine, "front").pid, signal.SIGKILL)
    assert isinstance((await all_of(waiting))[-1], Failed)
    assert engine.missing() == ("front",)
    with pytest.raises(EngineStopped, match="front: no replica is left"):
        engine.submit(say("no", "refused"))
    await become(engine, "front", 0, "ready")
    assert engine.missing() == ()
    done.credit(ALL)
    assert isinstance((await all_of(done))[-1], Finished | Failed)
    await hear(engine, "The next one works.", "next")
    await engine.idle()
    engine.check_integrity()


async def test_a_process_has_its_cores_and_stands_back() -> None:
    core = min(os.sched_getaffinity(0))
    placed = parse_topology(
        {
            "launcher": "processes",
            "stages": {name: {"process": "all"} for name in ("thinker", "talker", "code2wav")},
            "processes": {"all": {"cores": [core], "niceness": 5}},
        }
    )
    engine = await build.start(family(Watch()), placed)
    (only,) = engine.stats().processes
    assert os.sched_getaffinity(only.pid) == {core}
    ours = os.getpriority(os.PRIO_PROCESS, 0)
    assert os.getpriority(os.PRIO_PROCESS, only.pid) == min(19, ours + 5)
    await hear(engine, "All in one. ", "one")
    await engine.close()


async def test_what_is_under_way_is_finished_while_processes_drain(engine: Coordinator) -> None:
    request = begin(engine, "One. ", more=True)
    await anext(request)
    engine.drain()
    assert [one.state for one in engine.stats().processes] == ["draining"] * 3
    request.append("Two.")
    request.finish()
    assert isinstance((await all_of(request))[-1], Finished)


def dies_of(worker: Worker) -> StreamRunner[State, str, tuple[int, ...]]:
    raise ModelMissing("no model: run fetch")


async def test_a_process_that_cannot_make_its_runner_stops_the_start() -> None:
    entry, *others = graph(Watch()).stages
    stages = (StageSpec("thinker", Streaming(dies_of), to=entry.to), *others)
    with pytest.raises(ModelMissing, match="run fetch"):
        await build.start(LoadedFamily(INFO, Graph(stages, "thinker")), topology())


SERVER = """
import asyncio, sys
from engine import build
from tests.engine.arithmetic import Watch, family, say
from tests.engine.launch.test_processes import topology

async def main():
    engine = await build.start(family(Watch()), topology())
    request = engine.submit(say("One. ", more=True))
    await anext(request)
    print(*(process.pid for process in engine.stats().processes), flush=True)
    await asyncio.sleep(300)

asyncio.run(main())
"""


def test_processes_end_with_the_server_however_it_ends() -> None:
    command = [sys.executable, "-c", SERVER]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        pids = [int(pid) for pid in server.stdout.readline().split()]
        assert len(pids) == 2
        server.kill()
    until = time.monotonic() + PATIENCE_S
    while running(pids) and time.monotonic() < until:
        time.sleep(0.01)
    assert not running(pids)
    assert not left_in_memory()
