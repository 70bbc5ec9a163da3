"""Stages as actors on two nodes: the same sound, and what becomes of it when an actor or a whole
node is killed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine import build
from engine.coordinator import Coordinator
from engine.errors import GraphError, ModelMissing, StageFailed
from engine.family import LoadedFamily
from engine.graph import Graph, StageSpec, Streaming
from engine.messages import Mail, StageAddress, StreamItem, Taken
from engine.topology import Topology, parse_topology
from engine.transport.node import PROCESS, Envelope, Origin
from engine.types import Failed, Finished, Pcm
from tests.engine.arithmetic import FIRST, INFO, LATER, Watch, family, graph
from tests.engine.launch.test_processes import (
    ROOT,
    all_of,
    become,
    begin,
    dies_of,
    hear,
    make_the_sound_that_threads_make,
    process,
)
from tests.engine.launch.test_storm import weather
from tests.engine.test_trace import JOB, some, spans_of
from tests.patience import PATIENCE_S
from tests.two_nodes import TwoNodes, descendants, gone

pytestmark = pytest.mark.xdist_group("two_nodes")
"""Also what has a cluster of its own: no machine has room for two at once."""


def topology(address: str, **hosts: list[str]) -> Topology:
    """The thinker and the talker in one actor; replicas of groups on the hosts named."""
    return parse_topology(
        {
            "launcher": "ray",
            "ray": {"address": address},
            "stages": {"thinker": {"process": "front"}, "talker": {"process": "front"}},
            "processes": {
                name: {"replicas": len(given), "hosts": given} for name, given in hosts.items()
            },
        }
    )


@pytest.fixture
async def engine(two_nodes: TwoNodes) -> AsyncIterator[Coordinator]:
    placed = topology(two_nodes.address, front=["front"], code2wav=["back", "back"])
    engine = await build.start(family(Watch()), placed)
    yield engine
    pids = [process.pid for process in engine.stats().processes if process.pid]
    assert len(set(pids)) == 3
    await engine.close()
    assert gone(pids)


@pytest.mark.long
async def test_two_hosts_make_the_sound_that_threads_make(engine: Coordinator) -> None:
    await make_the_sound_that_threads_make(engine)


def test_when_a_window_began_is_told_by_the_clock_of_the_server() -> None:
    from engine.launch.ray_launcher import _by_our_clock

    pcm = Pcm(JOB.request, JOB.epoch, 0, np.zeros(10, np.int16), began=50.0)
    mail = Mail(StageAddress("code2wav", 0), StreamItem(JOB, pcm))
    envelope = Envelope(Origin(1), PROCESS, 0.0, 100, mail)
    told = _by_our_clock(envelope, 100.0).message
    assert isinstance(told, Mail)
    assert isinstance(told.message, StreamItem)
    assert isinstance(told.message.item, Pcm)
    assert told.message.item.began == 150.0
    taken = replace(envelope, message=Mail(mail.sender, Taken(JOB)))
    assert _by_our_clock(taken, 100.0) is taken


async def test_a_killed_actor_loses_its_requests_and_comes_back(engine: Coordinator) -> None:
    waiting = [begin(engine, "One. ", f"r{i}", more=True) for i in range(4)]
    for request in waiting:
        assert isinstance(await anext(request), Pcm)
    victim = process(engine, "code2wav", 1)
    os.kill(victim.pid, signal.SIGKILL)
    for i in (1, 3):
        end = (await all_of(waiting[i]))[-1]
        assert isinstance(end, Failed)
        assert isinstance(end.error, StageFailed)
        assert str(end.error) == "code2wav/1 died", "Ray said so, and nobody waited for silence"
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


@pytest.mark.long
async def test_a_request_is_told_stage_by_stage_over_two_hosts(two_nodes: TwoNodes) -> None:
    count = FIRST + 2 * LATER
    placed = topology(two_nodes.address, front=["front"], code2wav=["back"])
    spans = await spans_of(placed, "x" * count)
    (whole,) = some(spans, "request", None)
    assert all(span.begun <= span.ended for span in spans)
    assert all(whole.begun <= span.begun for span in spans if span.job == JOB)
    windows = [span.name for span in some(spans, "run", "code2wav") if span.job == JOB]
    assert windows == ["window 0", "window 1", "window 2"]
    assert len(some(spans, "transfer", "code2wav")) == count
    assert len(some(spans, "transfer", None)) == 3
    assert {span.process for span in spans} == {"server", "front/0", "code2wav/0"}


@pytest.mark.long
async def test_every_request_of_a_storm_over_two_hosts_is_answered_once(
    two_nodes: TwoNodes,
) -> None:
    placed = topology(two_nodes.address, front=["front", "back"], code2wav=["back", "front"])
    storm = await weather(seed=5, requests=1_000, kill_every=200, topology=placed)
    assert min(storm.ends[end] for end in ("finished", "failed", "aborted", "killed")) > 5


@pytest.mark.long
async def test_an_actor_that_falls_silent_is_taken_for_dead(
    engine: Coordinator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a cable is pulled: its connections don't end. The others, which live, are
    never silent for so long."""
    monkeypatch.setattr("engine.launch.ray_member.SILENT_S", 20.0)
    request = begin(engine, "One. ", more=True)
    assert isinstance(await anext(request), Pcm)
    victim = process(engine, "code2wav", 0)
    os.kill(victim.pid, signal.SIGSTOP)
    end = (await all_of(request))[-1]
    assert isinstance(end, Failed)
    assert str(end.error) == "code2wav/0 was not heard of for 20 s"
    await engine.idle()
    engine.check_integrity()
    await become(engine, "code2wav", 0, "ready")
    assert gone([victim.pid])
    await asyncio.gather(*(hear(engine, f"Back again. {i}", f"b{i}") for i in range(4)))


async def test_a_host_that_no_node_is_labelled_with_is_told(two_nodes: TwoNodes) -> None:
    with pytest.raises(
        GraphError,
        match=r"processes\.code2wav\.hosts: no node of the cluster is labelled host=attic; "
        r"there is back, front",
    ):
        await build.start(family(Watch()), topology(two_nodes.address, code2wav=["attic"]))


@pytest.mark.long
async def test_an_actor_that_cannot_make_its_runner_stops_the_start(two_nodes: TwoNodes) -> None:
    entry, *others = graph(Watch()).stages
    stages = (StageSpec("thinker", Streaming(dies_of), to=entry.to), *others)
    with pytest.raises(ModelMissing, match="run fetch"):
        await build.start(LoadedFamily(INFO, Graph(stages, "thinker")), topology(two_nodes.address))


@pytest.mark.long
async def test_a_cluster_is_started_where_there_is_none_and_ended() -> None:
    """With a group on this host, as none is named."""
    engine = await build.start(family(Watch()), topology("local"))
    pids = [process.pid for process in engine.stats().processes]
    ray = rays_of(os.getpid())
    assert {"gcs_server", "raylet"} <= set(ray)
    await hear(engine, "Here and nowhere else.", "one")
    await engine.idle()
    engine.check_integrity()
    await engine.close()
    assert gone([*pids, *ray.values()])


SERVER = """
import asyncio, signal, sys
from engine import build
from engine.types import Credit
from tests.engine.arithmetic import Watch, family, say
from tests.engine.launch.test_ray import topology

async def main():
    loop, told = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, told.set)
    engine = await build.start(family(Watch()), topology(sys.argv[1]))
    request = engine.submit(say("One. ", more=True))
    request.credit(Credit(10**9))
    await anext(request)
    print(*(process.pid for process in engine.stats().processes), flush=True)
    await told.wait()
    print("told", flush=True)
    await asyncio.sleep(4)
    request.finish()
    print([type(output).__name__ async for output in request][-1], flush=True)
    await engine.close()

asyncio.run(main())
"""


@pytest.mark.long
@pytest.mark.parametrize("own", [True, False], ids=["its own cluster", "a cluster of others"])
def test_actors_end_with_the_server_however_it_ends(two_nodes: TwoNodes, own: bool) -> None:
    """And so does the cluster, if the server started it."""
    address = "local" if own else two_nodes.address
    command = [sys.executable, "-c", SERVER, address]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        pids = [int(pid) for pid in server.stdout.readline().split()]
        assert len(pids) == 2
        ray = rays_of(server.pid)
        assert bool(ray) == own
        server.kill()
    # Ray's agents, which do nothing by themselves, look for their cluster for a minute more.
    assert gone([*pids, *(ray[name] for name in ("gcs_server", "raylet") if own)])


@pytest.mark.long
def test_a_server_that_is_told_to_stop_can_still_work() -> None:
    """Ray's own handler would end it after three seconds, with a stack printed."""
    command = [sys.executable, "-c", SERVER, "local"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        pids = [int(pid) for pid in server.stdout.readline().split()]
        server.terminate()
        printed, complained = server.communicate(timeout=PATIENCE_S)
    assert (printed, complained) == ("told\nFinished\n", "")
    assert server.returncode == 0
    assert gone(pids)


@pytest.mark.long
async def test_a_cluster_that_is_not_there_is_told() -> None:
    with pytest.raises(StageFailed, match=r"ray\.address: 127\.0\.0\.9:9: "):
        await build.start(family(Watch()), topology("127.0.0.9:9"))


def rays_of(pid: int) -> dict[str, int]:
    """The processes of a cluster that a process has started, by name."""
    return {Path(f"/proc/{child}/comm").read_text().strip(): child for child in descendants(pid)}
