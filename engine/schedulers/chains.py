"""Chains of windows: how much sound must be in hand so that none of them comes too late.

While window k plays, window k + 1 is made. Several takes share the machine's one queue, so a take
among others of `load` altogether gets its next window after `load` times what that costs alone.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import Final

from engine.costs import LearntCosts

MARGIN_S: Final = 0.02
MARGIN: Final = 0.1
"""How long before it is needed a window is to be there: seconds, and a part of what it costs;
the larger counts."""
KEEPS_UP: Final = 0.95
"""Part of the time in which a window plays that may go into making one."""
STEP: Final = 32
"""Learnt costs are rounded up to a 32nd, so that chains need not be worked out at every turn."""
FAR: Final = 160
"""Frames for which a chain is worked out; beyond, it goes on as in its largest windows."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What there is to plan with. sizes: codec frames of windows, ascending; seconds: what each
    costs now. frame_s: seconds of sound in a codec frame."""

    sizes: tuple[int, ...]
    seconds: tuple[float, ...]
    frame_s: float

    @classmethod
    def of(cls, sizes: tuple[int, ...], costs: LearntCosts, frame_s: float) -> Terms:
        factor = max(1, ceil(costs.factor * STEP - 0.1)) / STEP
        each = tuple(costs.measured.seconds(size) * factor for size in sizes)
        return cls(sizes, each, frame_s)

    @property
    def largest(self) -> int:
        return self.sizes[-1]

    def size(self, frames: int) -> int:
        """The smallest that so many frames fit in; the largest for more."""
        return self.sizes[min(bisect_left(self.sizes, frames), len(self.sizes) - 1)]

    def cost(self, frames: int, work: float = 1.0) -> float:
        """Seconds for a window of so many frames: those of the next size."""
        last = len(self.sizes) - 1
        return self.seconds[min(bisect_left(self.sizes, frames), last)] * work if frames else 0.0

    def sound(self, frames: int) -> float:
        """Seconds of sound."""
        return frames * self.frame_s

    def windows(self, frames: int, more: bool = False) -> tuple[int, ...]:
        """Sizes that the next window may have where `frames` are left, ascending; more: of these
        may be more, so that it is worth waiting for any size."""
        if more or not frames:
            return self.sizes
        below = tuple(size for size in self.sizes if size < frames)
        return below if frames > self.largest else (*below, frames)


def margin(cost: float) -> float:
    """Seconds before its time at which a window is to be there."""
    return max(MARGIN_S, MARGIN * cost)


@dataclass(frozen=True, slots=True)
class Chain:
    """Seconds of sound that a take must have in hand, by the frames that are left of it.

    load: work of all the takes that share the machine, in takes of plain windows. steady: the
    smallest window with which all of them keep up for ever, None if there is none.
    """

    terms: Terms
    load: float
    steady: int | None

    def need(self, left: int, ended: bool) -> float:
        """So that none of the windows left is late. ended: nothing follows the frames that are
        left. If no window keeps up, nothing is asked for what follows them."""
        if ended or self.steady is None:
            return self._needed(_table(self.terms, self.load, 0), left)
        return self._needed(_table(self.terms, self.load, self.steady), left)

    def best(self, left: int) -> int:
        """Size of the next window, if there must be a gap or a hold: the one with the shortest."""
        return _table(self.terms, self.load, self.steady or 0)[min(left, FAR)][1]

    def _needed(self, table: tuple[tuple[float, int], ...], left: int) -> float:
        size = self.terms.largest
        drift = self.load * self.terms.cost(size) / size - self.terms.frame_s
        return table[min(left, FAR)][0] + max(0, left - FAR) * max(0.0, drift)


def chain(terms: Terms, load: float) -> Chain:
    steady = (size for size in terms.sizes if _keeps_up(terms, size, load))
    return Chain(terms, load, next(steady, None))


def _keeps_up(terms: Terms, size: int, load: float) -> bool:
    return load * terms.cost(size) <= KEEPS_UP * terms.sound(size)


@lru_cache(maxsize=64)
def _table(terms: Terms, load: float, after: int) -> tuple[tuple[float, int], ...]:
    """Least need by frames left, and the first window of the plan that has it; the larger of two
    that do as well. after: a window that follows when none is left.

    need(left) = min over windows of max(cost, cost + need(left - window) - sound of the window).
    """
    every = range(terms.largest + 1)
    due = [load * terms.cost(n) + margin(terms.cost(n)) for n in every]
    gain = [load * terms.cost(n) - terms.sound(n) for n in every]
    needs = [due[after] if after else 0.0]
    firsts = [0]
    for left in range(1, FAR + 1):
        sizes = terms.sizes if left >= terms.largest else terms.windows(left)
        need, first = min((max(due[n], gain[n] + needs[left - n]), -n) for n in sizes)
        needs.append(need)
        firsts.append(-first)
    return tuple(zip(needs, firsts, strict=True))


def ramp(terms: Terms) -> tuple[int, ...]:
    """A plan that follows no load: sizes by which each window is there while the one before it
    plays, from the smallest on and as large as they may soon be; the last repeats."""
    sizes, plan = terms.sizes, [terms.sizes[0]]
    while plan[-1] < terms.largest:
        covered = [size for size in sizes if size > plan[-1] and _covered(terms, plan[-1], size)]
        larger = next(size for size in sizes if size > plan[-1])
        plan.append(covered[-1] if covered else larger)
    return tuple(plan)


def _covered(terms: Terms, before: int, size: int) -> bool:
    cost = terms.cost(size)
    return cost + margin(cost) <= terms.sound(before)


def hold_of(plan: tuple[int, ...], terms: Terms, load: float, frames: int) -> float:
    """Seconds that a fixed plan's first window has to wait so that none of `frames` is late."""
    hold = behind = 0.0
    before, number = min(plan[0], frames), 1
    left = frames - before
    while left > 0:
        size = min(plan[min(number, len(plan) - 1)], left)
        behind += load * terms.cost(size) - terms.sound(before)
        hold = max(hold, behind)
        before, left, number = size, left - size, number + 1
    return hold
