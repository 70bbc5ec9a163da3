"""How many takes this machine carries at once, found out by making some."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from engine.api import Engine
from engine.types import Credit, Epoch, Failed, Pcm, RequestId, Utterance

TEXT: Final = "By the time the kettle began to sing, everyone in the house was awake."
TOGETHER: Final = 2
"""Takes made side by side, so that stages which run beside each other are all at work."""
HEADROOM: Final = 0.8
"""The part of the measured throughput that is promised; the rest is for whatever else runs here."""
MOST: Final = 256
_UNLIMITED: Final = 2**62


@dataclass(frozen=True, slots=True)
class Capacity:
    """streams: takes at once. throughput: seconds of sound made in a second."""

    streams: int
    throughput: float


async def measure(engine: Engine, voice: str, clock: Callable[[], float]) -> Capacity:
    """Makes a sentence once to warm up, then `TOGETHER` at once against the clock (seconds).

    Raises EngineError if the engine can't make them.
    """
    await _make(engine, voice, 0)
    began = clock()
    made = await asyncio.gather(*(_make(engine, voice, 1 + take) for take in range(TOGETHER)))
    took = max(clock() - began, 1e-6)
    throughput = sum(made) / engine.info.sample_rate / took
    return Capacity(max(1, min(MOST, int(HEADROOM * throughput))), throughput)


async def _make(engine: Engine, voice: str, number: int) -> int:
    """Samples made of one utterance."""
    name = RequestId(f"capacity_{number}")
    request = engine.submit(Utterance(name, Epoch(0), TEXT, voice))
    request.credit(Credit(_UNLIMITED))
    samples = 0
    async for output in request:
        if isinstance(output, Failed):
            raise output.error
        if isinstance(output, Pcm):
            samples += len(output.samples)
    return samples
