"""How many takes this machine carries at once: by what windows of sound cost, or by making some."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from engine.api import Engine
from engine.types import Credit, Epoch, Failed, Pcm, RequestId, Utterance

TEXT: Final = "By the time the kettle began to sing, everyone in the house was awake."
WARM_UP: Final = "Good morning."
FULL: Final = 0.9
"""The part of the computing that takes may need where their windows are planned by what they cost:
up to there nobody has a gap."""
TOGETHER: Final = 2
"""Takes made side by side where windows are not the bottleneck, so that stages which run beside
each other are all at work."""
HEADROOM: Final = 0.4
"""The part of what was measured by clocks alone that is promised. Takes that begin together want
their second windows together, long before the average counts: of the six streams that two cores can
compute, two begun at once never wait, one of three began with gaps of 270 ms, and of four with
160 ms."""
MOST: Final = 256
_UNLIMITED: Final = 2**62
_NOTHING: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Vocoder:
    """What windows of sound cost now. load: seconds of computing for a second of sound, by one copy
    of the stage on all of its cores. copies: of it, that share no core."""

    load: float
    copies: int


@dataclass(frozen=True, slots=True)
class Clocks:
    """What the measuring reads. wall, cpu: seconds, of the clock and of this process on all cores.
    busiest: the part (0 to 1) of the engine's work so far that was its busiest stage's.

    vocoder: None where nothing makes windows. before: seconds that all stages before it were at
    work so far. settled: returns when the engine's figures have all that was made in them.
    """

    wall: Callable[[], float]
    cpu: Callable[[], float]
    busiest: Callable[[], float]
    cores: int
    vocoder: Callable[[], Vocoder | None]
    before: Callable[[], float]
    settled: Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ByCosts:
    """windows, before: seconds of computing for a second of sound, in windows and in all that comes
    before them. copies: of the stage that makes windows, that share no core."""

    windows: float
    before: float
    copies: int


@dataclass(frozen=True, slots=True)
class ByClocks:
    """throughput: seconds of sound made in a second, as the clock had it. work: seconds of
    computing for a second of sound."""

    throughput: float
    work: float


@dataclass(frozen=True, slots=True)
class Capacity:
    """streams: takes at once. found: what that was worked out from."""

    streams: int
    found: ByCosts | ByClocks


async def measure(engine: Engine, voice: str, clocks: Clocks) -> Capacity:
    """Says a word to warm up, then makes a sentence, which tells what comes before its windows.
    Where that is more than the windows are, their costs say nothing of what is carried: then it
    makes `TOGETHER` sentences at once against the clocks.

    Raises EngineError if the engine can't make them.
    """
    await _make(engine, voice, 0, WARM_UP)
    await clocks.settled()
    before = clocks.before()
    sound = await _make(engine, voice, 1, TEXT)
    await clocks.settled()
    vocoder = clocks.vocoder()
    each = max(clocks.before() - before, 0.0) / max(sound, _NOTHING)
    if vocoder is None or vocoder.load <= each:
        return await _against_clocks(engine, voice, clocks)
    streams = carried(vocoder, each)
    return Capacity(streams, ByCosts(vocoder.load, each, vocoder.copies))


def carried(vocoder: Vocoder, before: float = 0.0) -> int:
    """Takes at once for which there is computing time. before: seconds of it for a second of sound
    that stages before the vocoder need, on the same cores.

    A take stays with one copy of the vocoder, so each carries whole ones. What comes before them
    has no copies that are known of.
    """
    streams = vocoder.copies * _whole(FULL / max(vocoder.load + before, _NOTHING))
    if before > 0:
        streams = min(streams, _whole(FULL / before))
    return max(1, min(MOST, streams))


def _whole(streams: float) -> int:
    """At least one: slower than it is heard is better than not at all."""
    return max(1, min(MOST, int(streams)))


async def _against_clocks(engine: Engine, voice: str, clocks: Clocks) -> Capacity:
    wall, cpu = clocks.wall(), clocks.cpu()
    made = await asyncio.gather(*(_make(engine, voice, 2 + take, TEXT) for take in range(TOGETHER)))
    sound = sum(made)
    throughput = sound / max(clocks.wall() - wall, _NOTHING)
    work = max(clocks.cpu() - cpu, _NOTHING) / max(sound, _NOTHING)
    streams = int(HEADROOM * max(throughput, _computed(work, clocks)))
    return Capacity(max(1, min(MOST, streams)), ByClocks(throughput, work))


def _computed(work: float, clocks: Clocks) -> float:
    """Streams for which there is computing time: on all cores, and in the busiest stage's thread.

    The clock alone would take what else ran while we measured for the machine's own slowness.
    """
    return min(clocks.cores / work, 1 / (work * max(clocks.busiest(), _NOTHING)))


async def _make(engine: Engine, voice: str, number: int, text: str) -> float:
    """Seconds of sound made of one utterance."""
    name = RequestId(f"capacity_{number}")
    request = engine.submit(Utterance(name, Epoch(0), text, voice))
    request.credit(Credit(_UNLIMITED))
    samples = 0
    async for output in request:
        if isinstance(output, Failed):
            raise output.error
        if isinstance(output, Pcm):
            samples += len(output.samples)
    return samples / engine.info.sample_rate
