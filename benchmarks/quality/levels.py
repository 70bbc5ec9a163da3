"""How loud the streamed sound is, beside the same words decoded whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.scoring import median
from engine.types import Int16


@dataclass(frozen=True, slots=True)
class Level:
    """One take. difference_db: streamed over whole, of the root mean square."""

    text: str
    voice: str
    difference_db: float


@dataclass(frozen=True, slots=True)
class Levels:
    """Of takes of one kind. typical_db: the median of the differences' sizes. worst: the three
    takes that are furthest off."""

    kind: str
    takes: int
    typical_db: float
    worst: tuple[Level, ...]


def difference_db(streamed: Int16, whole: Int16) -> float:
    """Root mean squares of two sounds of one length; a silent one counts as one of level 1."""
    a, b = (max(1.0, float(np.sqrt(np.mean(s.astype(np.float64) ** 2)))) for s in (streamed, whole))
    return 20 * float(np.log10(a / b))


def summed(kind: str, levels: Sequence[Level]) -> Levels:
    """Needs one take."""
    worst = sorted(levels, key=lambda level: -abs(level.difference_db))[:3]
    typical = median([abs(level.difference_db) for level in levels])
    return Levels(kind, len(levels), typical, tuple(worst))
