"""The shipped topologies that a CPU can run give the same samples, and a server whose stages are on
two hosts outlives one of them."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Mapping

import numpy as np

from engine import build
from engine.coordinator import Coordinator
from engine.types import Credit, Epoch, Finished, Int16, Pcm, RequestId, Utterance
from tests import arithmetic
from tests.patience import PATIENCE_S
from tests.two_nodes import TwoNodes
from tests.voice_server.live import Server, client, server
from tests.voice_server.test_topologies import CONFIGS
from voice_server import config, hosting

ALL = Credit(until=10**9)
TWENTY = {
    RequestId(f"r{i}"): Utterance(
        RequestId(f"r{i}"),
        Epoch(0),
        f"Number {i} says {'a few words more and ' * (i % 7)}that is all.",
        ("low", "high")[i % 2],
        seed=i,
    )
    for i in range(20)
}
APART = ("stages.thinker.process=front", "stages.talker.process=front")


async def spoken(engine: Coordinator, utterance: Utterance) -> Int16:
    request = engine.submit(utterance)
    request.credit(ALL)
    windows = [output async for output in request if not isinstance(output, Finished)]
    found = [window for window in windows if isinstance(window, Pcm)]
    assert len(found) == len(windows)
    assert [w.start for w in found] == [
        sum(len(before.samples) for before in found[:i]) for i in range(len(found))
    ]
    return np.concatenate([window.samples for window in found])


async def all_twenty(name: str, order: int, *assignments: str) -> Mapping[RequestId, Int16]:
    """The samples of each, asked for together, in an order that `order` draws."""
    settings = config.load(CONFIGS / f"{name}.yaml", assignments)
    engine = await build.start(arithmetic.load(), hosting.topology(settings))
    names = random.Random(order).sample(sorted(TWENTY), len(TWENTY))
    sounds = await asyncio.gather(*(spoken(engine, TWENTY[name]) for name in names))
    await engine.idle()
    engine.check_integrity()
    await engine.close()
    return dict(zip(names, sounds, strict=True))


async def test_twenty_requests_sound_the_same_wherever_the_stages_run(two_nodes: TwoNodes) -> None:
    cores = sorted(os.sched_getaffinity(0))
    pinned = f"processes.code2wav.cores=[{cores[0]}, {cores[-1]}]"
    found = {
        "laptop": await all_twenty("laptop", 1),
        "two-core": await all_twenty("two-core", 2),
        "replicated": await all_twenty("replicated", 3, pinned),
        "two-hosts": await all_twenty("two-hosts", 4, f"ray.address={two_nodes.address}"),
    }
    for sounds in found.values():
        for name, one in TWENTY.items():
            wanted = arithmetic.whole(one.text, one.voice, one.seed)
            np.testing.assert_array_equal(sounds[name], wanted)


async def state(live: Server) -> tuple[int, list[str], list[str]]:
    """Of /readyz: its status, the state of each process, and the reasons."""
    body = (ready := await live.get("/readyz")).json()
    told = [f"{one['group']}/{one['replica']} {one['state']}" for one in body["processes"]]
    return ready.status_code, told, body["reasons"]


async def until(live: Server, states: list[str]) -> None:
    """All are as told, and so the server is ready."""
    async with asyncio.timeout(PATIENCE_S):
        while await state(live) != (200, states, []):
            pass


async def test_a_server_survives_a_host_and_says_so(two_nodes: TwoNodes) -> None:
    """What code2wav's host takes with it fails, all else goes on; a new node of that label brings
    it back."""
    hosts = ("processes.front.hosts=[front]", "processes.code2wav.hosts=[back, back]")
    placed = (f"ray.address={two_nodes.address}", *hosts, "processes.code2wav.replicas=2")
    text = "One two three four."
    async with server(*APART, *placed) as live, client(live) as one:
        ready = ["front/0 ready", "code2wav/0 ready", "code2wav/1 ready"]
        assert await state(live) == (200, ready, [])
        lost = [(await one.speak("Held open ", more=True))["take_id"] for _ in range(2)]
        two_nodes.kill_back()
        try:
            failed = [await one.until("take.failed") for _ in lost]
            assert {take["take_id"] for take in failed} == set(lost)
            told = sorted(take["error"]["message"] for take in failed)
            assert "code2wav/0 died" in told[0]
            assert "code2wav/1 died" in told[1]
            status, states, reasons = await state(live)
            assert (status, reasons) == (503, ["code2wav: no replica is left"])
            assert states == ["front/0 ready", "code2wav/0 dead", "code2wav/1 dead"]
            figures = (await live.get("/metrics")).text
            assert 'voice_process_state{group="code2wav",replica="1",state="dead"} 1.0' in figures
        finally:
            two_nodes.start_back()
        await until(live, ready)
        started = await one.speak(text, voice="low")
        await one.until("take.done")
        np.testing.assert_array_equal(one.sound(started["stream"]), arithmetic.whole(text, "low"))
        await live.idle()
