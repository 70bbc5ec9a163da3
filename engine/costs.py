"""What a window of sound costs to compute: measured before the first take, corrected by every
window after that."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from dataclasses import dataclass
from statistics import fmean, linear_regression, median
from typing import Final

LEAST_RATIO: Final = 0.25
MOST_RATIO: Final = 8.0
"""Bounds on what one window may say of the costs: beyond them something else was going on."""
RECENT: Final = 16
"""Windows that the costs follow: some three takes. A shared machine is half as fast from one second
to the next, so what counts is how slow it has been lately, not how fast on the whole."""
_NOTHING: Final = 1e-6


@dataclass(frozen=True, slots=True)
class WindowCosts:
    """table: (codec frames, seconds) of one window, alone on the worker's cores, ascending.

    Raises ValueError for a table that is empty, not ascending, or has less than nothing in it.
    """

    table: tuple[tuple[int, float], ...]

    def __post_init__(self) -> None:
        frames = [frames for frames, _ in self.table]
        if not frames or frames != sorted(set(frames)) or frames[0] < 1:
            raise ValueError(f"costs: windows of {frames} frames, expected some, ascending")
        if any(seconds < 0 for _, seconds in self.table):
            raise ValueError("costs: a window can't take less than no time")

    def seconds(self, frames: int) -> float:
        """Linear between the windows that were measured, and beyond them as between the last two.
        Of a table with a single window: in proportion to its frames."""
        if len(self.table) == 1:
            known, seconds = self.table[0]
            return seconds * frames / known
        at = bisect_left(self.table, (frames, 0.0))
        at = max(1, min(len(self.table) - 1, at))
        (low, below), (high, above) = self.table[at - 1], self.table[at]
        return max(0.0, below + (above - below) * (frames - low) / (high - low))

    def scaled(self, factor: float) -> WindowCosts:
        """The costs on a machine that takes `factor` times as long."""
        return WindowCosts(tuple((frames, seconds * factor) for frames, seconds in self.table))

    @property
    def fixed(self) -> float:
        """Seconds of a window without a frame, by the line of least squares through the table."""
        return fmean(s for _, s in self.table) - self.per_frame * fmean(f for f, _ in self.table)

    @property
    def per_frame(self) -> float:
        """Seconds that a frame adds, by that line."""
        if len(self.table) == 1:
            return self.table[0][1] / self.table[0][0]
        frames, seconds = zip(*self.table, strict=True)
        return linear_regression(frames, seconds).slope

    def load(self, frame_s: float) -> float:
        """Seconds of computing for a second of sound, in the largest windows. frame_s: seconds of
        sound in a codec frame."""
        frames, seconds = self.table[-1]
        return seconds / (frames * frame_s)


class LearntCosts:
    """Costs as they were measured, times a factor that follows how long windows really take: what
    three in four of the last `RECENT` kept to, or the middle one of the last three if that is more.
    A single window that was held up changes nothing, two that were are heeded at once, and that the
    machine is fast again is believed after some takes.
    """

    def __init__(self, measured: WindowCosts) -> None:
        self.measured = measured
        self.factor = 1.0
        self._ratios = deque([1.0] * RECENT, RECENT)

    def seconds(self, frames: int, work: float = 1.0) -> float:
        """What a window is thought to take now. work: of it, over what was measured."""
        return self.measured.seconds(frames) * self.factor * work

    def observe(self, frames: int, work: float, seconds: float) -> None:
        """A window took so long. One that is nothing but copied says nothing."""
        expected = self.measured.seconds(frames) * work
        if expected <= _NOTHING:
            return
        self._ratios.append(max(LEAST_RATIO, min(MOST_RATIO, seconds / expected)))
        lately = list(self._ratios)
        self.factor = max(median(lately[-3:]), sorted(lately)[-RECENT // 4])
