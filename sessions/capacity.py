"""How many takes this machine carries at once, found out by making some."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from engine.api import Engine
from engine.types import Credit, Epoch, Failed, Pcm, RequestId, Utterance

TEXT: Final = "By the time the kettle began to sing, everyone in the house was awake."
WARM_UP: Final = "Good morning."
TOGETHER: Final = 2
"""Takes made side by side, so that stages which run beside each other are all at work."""
HEADROOM: Final = 0.4
"""The part of what was measured that is promised. Takes that begin together want their second
windows together, long before the average counts: of the six streams that two cores can compute,
two begun at once never wait, one of three began with gaps of 270 ms, and of four with 160 ms."""
MOST: Final = 256
_UNLIMITED: Final = 2**62


@dataclass(frozen=True, slots=True)
class Clocks:
    """What the measuring reads. wall, cpu: seconds, of the clock and of this process on all cores.
    busiest: the part (0 to 1) of the engine's work so far that was its busiest stage's."""

    wall: Callable[[], float]
    cpu: Callable[[], float]
    busiest: Callable[[], float]
    cores: int


@dataclass(frozen=True, slots=True)
class Capacity:
    """streams: takes at once. throughput: seconds of sound made in a second, as the clock had it.
    work: seconds of computing for a second of sound."""

    streams: int
    throughput: float
    work: float


async def measure(engine: Engine, voice: str, clocks: Clocks) -> Capacity:
    """Says a word to warm up, then makes `TOGETHER` sentences at once against the clocks.

    Raises EngineError if the engine can't make them.
    """
    await _make(engine, voice, 0, WARM_UP)
    wall, cpu = clocks.wall(), clocks.cpu()
    made = await asyncio.gather(*(_make(engine, voice, 1 + take, TEXT) for take in range(TOGETHER)))
    sound = sum(made) / engine.info.sample_rate
    throughput = sound / max(clocks.wall() - wall, 1e-6)
    work = max(clocks.cpu() - cpu, 1e-6) / max(sound, 1e-6)
    streams = int(HEADROOM * max(throughput, _carried(work, clocks)))
    return Capacity(max(1, min(MOST, streams)), throughput, work)


def _carried(work: float, clocks: Clocks) -> float:
    """Streams for which there is computing time: on all cores, and in the busiest stage's thread.

    The clock alone would take what else ran while we measured for the machine's own slowness.
    """
    return min(clocks.cores / work, 1 / (work * max(clocks.busiest(), 1e-6)))


async def _make(engine: Engine, voice: str, number: int, text: str) -> int:
    """Samples made of one utterance."""
    name = RequestId(f"capacity_{number}")
    request = engine.submit(Utterance(name, Epoch(0), text, voice))
    request.credit(Credit(_UNLIMITED))
    samples = 0
    async for output in request:
        if isinstance(output, Failed):
            raise output.error
        if isinstance(output, Pcm):
            samples += len(output.samples)
    return samples
