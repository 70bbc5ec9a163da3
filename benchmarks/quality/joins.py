"""How sharply the sound bends where two windows meet, beside how it bends around there.

Sharpness is the largest second difference over six samples. At a join it is compared with the same
at every other place within 100 ms: a join like any other place exceeds the 95th percentile of those
in one case of twenty.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from benchmarks.scoring import median, percentile
from engine.types import Int16

WIDTH: Final = 6
AROUND: Final = 2_400
"""Samples on either side: 100 ms."""
ROUNDING: Final = 2.0
"""What rounding to int16 alone may bend."""


@dataclass(frozen=True, slots=True)
class Join:
    """Sharpness over the 95th percentile, and over the largest, of the sound around it. at: its
    sample."""

    at: int
    of_p95: float
    of_most: float


@dataclass(frozen=True, slots=True)
class Joins:
    """Of many joins. over_p95: the share that exceeds the 95th percentile around; chance gives
    0.05. over_most: how many are sharper than all around. worst: the sharpest, over the largest
    around; well over 1 it is a click."""

    count: int
    over_p95: float
    median_of_p95: float
    p95_of_p95: float
    over_most: int
    worst: float


def measured(sound: Int16, joins: Iterable[int]) -> Iterator[Join]:
    """One value a join that has sound on both sides."""
    bend = np.abs(np.diff(sound.astype(np.float64), 2))
    sharpness = sliding_window_view(bend, WIDTH).max(axis=1)
    for join in joins:
        # Second difference i spans samples i to i + 2, so those at i = join - 2 and - 1 straddle.
        at = join - WIDTH // 2 - 1
        around = np.concatenate(
            [sharpness[max(0, at - AROUND) : at - WIDTH], sharpness[at + WIDTH : at + AROUND]]
        )
        if 0 <= at < len(sharpness) and len(around):
            own = float(sharpness[at])
            p95 = float(np.percentile(around, 95))
            yield Join(join, own / max(p95, ROUNDING), own / max(float(around.max()), ROUNDING))


def summed(joins: Sequence[Join]) -> Joins:
    """Needs one join."""
    of_p95 = [join.of_p95 for join in joins]
    return Joins(
        count=len(joins),
        over_p95=sum(value > 1 for value in of_p95) / len(joins),
        median_of_p95=median(of_p95),
        p95_of_p95=percentile(of_p95, 0.95),
        over_most=sum(join.of_most > 1 for join in joins),
        worst=max(join.of_most for join in joins),
    )
