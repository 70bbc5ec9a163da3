"""Many requests, random aborts, failures and killed processes: each is answered exactly once."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from engine import build
from engine.coordinator import Coordinator
from engine.errors import EngineStopped
from engine.topology import Topology, parse_topology
from engine.types import Credit, Epoch, Failed, Finished, Output, Pcm, RequestId, Utterance
from tests.engine.arithmetic import VOICE, Watch, family, joined, sound_of
from tests.patience import PATIENCE_S

ALL = Credit(until=10**9)
BAD = RequestId("bad")
"""Requests of this name fail in the talker, by the family's own doing."""
TOGETHER = 32
TOPOLOGY = parse_topology(
    {
        "launcher": "processes",
        "stages": {"thinker": {"process": "front"}, "talker": {"process": "front"}},
        "processes": {"front": {"replicas": 2}, "code2wav": {"replicas": 2}},
    }
)


@dataclass
class Storm:
    engine: Coordinator
    chance: random.Random
    ends: Counter[str] = field(default_factory=Counter)
    asked: int = 0
    kill_at: int = -1
    kills: int = 0

    async def run(self, requests: int, kill_every: int) -> None:
        numbers = iter(range(requests))
        for first in range(0, requests, kill_every):
            part = [number for _, number in zip(range(kill_every), numbers, strict=False)]
            callers = (self.caller(part[place::TOGETHER]) for place in range(TOGETHER))
            if first:
                self.kill_at = self.asked + self.chance.randrange(TOGETHER, kill_every)
            await asyncio.gather(*callers)
            await self.whole()
            await self.engine.idle()
            self.engine.check_integrity()

    async def caller(self, numbers: list[int]) -> None:
        for number in numbers:
            self.ends[await self.one(number)] += 1

    async def one(self, number: int) -> str:
        """How the request ended; what it heard until then must be right."""
        bad = self.chance.random() < 0.1
        name = BAD if bad else RequestId(f"r{number}")
        text = "".join(self.chance.choice("abc. ") for _ in range(self.chance.randrange(1, 60)))
        self.asked += 1
        if self.asked == self.kill_at:
            self.kill_one()
        try:
            request = self.engine.submit(Utterance(name, Epoch(number), text, VOICE))
        except EngineStopped:
            await asyncio.sleep(0.01)
            return "refused"
        request.credit(ALL)
        heard: list[Output] = []
        patience = self.chance.randrange(1, 20) if self.chance.random() < 0.3 else -1
        async for output in request:
            heard.append(output)
            patience -= 1
            if patience == 0:
                request.abort()
        return self.judged(text, heard, bad=bad)

    def judged(self, text: str, heard: list[Output], *, bad: bool) -> str:
        ends = [output for output in heard if isinstance(output, Finished | Failed)]
        sound = joined(output for output in heard if isinstance(output, Pcm))
        np.testing.assert_array_equal(sound, sound_of(text)[: len(sound)])
        if not ends:
            return "aborted"
        assert ends == heard[-1:]
        if isinstance(ends[0], Finished):
            assert len(sound) == len(sound_of(text))
            assert not bad or not text.strip(".")
            return "finished"
        return "failed" if "a bug" in str(ends[0].error) else "killed"

    def kill_one(self) -> None:
        """While those that were asked last are under way."""
        alive = [one for one in self.engine.stats().processes if one.pid]
        os.kill(self.chance.choice(alive).pid, signal.SIGKILL)
        self.kills += 1

    async def whole(self) -> None:
        """Returns when every process is there again."""
        until = time.monotonic() + PATIENCE_S
        while not all(one.state == "ready" for one in self.engine.stats().processes):
            assert time.monotonic() < until, f"{self.engine.stats().processes}"
            await asyncio.sleep(0.005)

    def memory(self) -> float:
        """MiB of the server and its processes."""
        pids = [os.getpid(), *(one.pid for one in self.engine.stats().processes)]
        pages = [int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids]
        return sum(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20


async def start(seed: int, topology: Topology = TOPOLOGY) -> Storm:
    watch = Watch()
    watch.fail["talker", "step"] = ZeroDivisionError("a bug")
    watch.only = BAD
    return Storm(await build.start(family(watch), topology), random.Random(seed))


async def weather(
    seed: int, requests: int, kill_every: int, topology: Topology = TOPOLOGY
) -> Storm:
    storm = await start(seed, topology)
    try:
        await storm.run(requests, kill_every)
    finally:
        await storm.engine.close()
    stats = storm.engine.stats()
    assert storm.ends.total() == requests
    assert stats.submitted == requests - storm.ends["refused"]
    assert stats.submitted == stats.finished + stats.failed + stats.aborted
    # An owner who aborts may come after the end, which it then never sees.
    assert stats.aborted <= storm.ends["aborted"]
    assert storm.kills == len(range(kill_every, requests, kill_every))
    return storm


async def test_every_request_of_a_storm_is_answered_once() -> None:
    storm = await weather(seed=1, requests=400, kill_every=200)
    assert min(storm.ends[end] for end in ("finished", "failed", "aborted")) > 10


@pytest.mark.parametrize(
    "requests",
    [
        pytest.param(2_400, marks=pytest.mark.long),
        pytest.param(10_000, marks=pytest.mark.dear),
    ],
)
async def test_a_storm_of_thousands_of_requests_leaves_nothing_behind(requests: int) -> None:
    """With a kill in every four hundred. Memory is looked at with all idle, after the first eight
    hundred and at the end."""
    storm = await start(seed=2)
    try:
        await storm.run(800, kill_every=400)
        before = storm.memory()
        await storm.run(requests - 800, kill_every=400)
        after = storm.memory()
    finally:
        await storm.engine.close()
    assert storm.ends.total() == requests
    assert storm.ends["killed"] > 0
    assert after - before < 40
