"""Takes at once, by every system in turn, run after run, so that a noisy minute hits all alike."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import psutil

from benchmarks import texts
from benchmarks.first_audio.systems import System
from benchmarks.scoring import Heard, Outcome

VOICE = "af_heart"


@dataclass(frozen=True, slots=True)
class Case:
    """text: sentence or paragraph. concurrent: takes at once, begun at the same moment."""

    text: str
    concurrent: int

    def said(self, run: int, slot: int) -> str:
        """What the slot's take says in that run."""
        known = texts.PARAGRAPHS if self.text == "paragraph" else texts.SENTENCES
        return known[(3 * run + slot) % len(known)]


@dataclass(frozen=True, slots=True)
class Round:
    """A case run once by one system. cpu_s: computed by its process meanwhile. others: cores that
    were busy with neither it nor us, on average; it should be near 0."""

    system: str
    case: Case
    run: int
    outcomes: tuple[Outcome, ...]
    cpu_s: float
    others: float

    @property
    def heard(self) -> list[Heard]:
        return [outcome for outcome in self.outcomes if isinstance(outcome, Heard)]

    @property
    def cpu_rtf(self) -> float | None:
        """Seconds of computing for a second of sound; None without sound."""
        sound = sum(take.duration_s for take in self.heard)
        return self.cpu_s / sound if sound else None


async def one(system: System, case: Case, run: int) -> Round:
    """One round."""
    clock, before, busy = time.perf_counter(), system.cpu_s(), _others(system)
    saying = (system.say(i, case.said(run, i), VOICE) for i in range(case.concurrent))
    outcomes = await asyncio.gather(*saying)
    others = (_others(system) - busy) / (time.perf_counter() - clock)
    return Round(system.name, case, run, tuple(outcomes), system.cpu_s() - before, others)


def _others(system: System) -> float:
    """Core seconds so far that were neither the system's nor this process's nor idle."""
    times = psutil.cpu_times()
    # A guest's time is part of the user's.
    idle = times.idle + getattr(times, "iowait", 0.0) + getattr(times, "guest", 0.0)
    return float(sum(times) - idle - system.cpu_s() - time.process_time())


async def warm_up(systems: Sequence[System], concurrent: int) -> None:
    """Speaks something else first, at all widths, so that nobody compiles while we look."""
    for system in systems:
        for together in {1, concurrent}:
            saying = (system.say(i, texts.WARM_UP, VOICE) for i in range(together))
            await asyncio.gather(*saying)


async def all_rounds(
    systems: Sequence[System], cases: Sequence[Case], runs: int, told: Callable[[Round], None]
) -> list[Round]:
    """Every case by every system, `runs` times; each run begins with another system."""
    made = []
    for run in range(runs):
        turn = run % len(systems)
        for case in cases:
            for system in (*systems[turn:], *systems[:turn]):
                made.append(await one(system, case, run))
                told(made[-1])
    return made
