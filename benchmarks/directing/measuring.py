"""Takes every direction of every sentence in every voice, and judges it."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable

from benchmarks.directing.judging import Judge, judges
from benchmarks.directing.keeping import Kept
from benchmarks.directing.plan import Plan
from benchmarks.directing.rows import Row
from benchmarks.directing.taking import Taken, taken
from benchmarks.server import serving
from voice_server.client import connect


def measure(plan: Plan, kept: Kept, told: Callable[[str], None] = lambda step: None) -> bool:
    """Adds to `kept` what is missing there; whether all of it is there now.

    Raises NotStarted, NotInstalled, and ValueError for a direction that isn't understood.
    """
    if any(plan.missing(kept, *asked) for asked in plan.asked()):
        with serving(plan.settings) as server:
            asyncio.run(_measure(server.address, plan, kept, told))
    return not any(plan.missing(kept, *asked) for asked in plan.asked())


async def _measure(url: str, plan: Plan, kept: Kept, told: Callable[[str], None]) -> None:
    until = time.monotonic() + (math.inf if plan.seconds is None else plan.seconds)
    async with connect(url, format="pcm16") as session:
        with judges(plan.threads, session.audio.sample_rate) as judge:
            for voice, text in plan.asked():
                missing = plan.missing(kept, voice, text)
                if missing and time.monotonic() < until:
                    told(f"{len(missing)} directions of {text!r} by {voice}")
                    takes = taken(session, voice, text, missing)
                    await _judged(takes, judge, plan, kept, until)


async def _judged(
    takes: AsyncIterator[Taken], judge: Judge, plan: Plan, kept: Kept, until: float
) -> None:
    """While a take is judged the next one is made."""
    judging: asyncio.Task[Row] | None = None
    async for take in takes:
        if judging is not None:
            kept.keep(await judging)
        whole = plan.is_judged(take.told.direction)
        judging = asyncio.create_task(asyncio.to_thread(judge.judge, take, whole))
        if time.monotonic() > until:
            break
    if judging is not None:
        kept.keep(await judging)
