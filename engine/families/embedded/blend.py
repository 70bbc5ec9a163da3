"""F0 and energy of a clause that is made again in parts: the old curves, going over into the new.

Curves have two values an acoustic frame. F0 is mixed in log.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.families.embedded.clause import Float, Patch, Sheet, Splice
from engine.families.embedded.tune import PITCHED

#: Half frames beside what is made again over which the old curves go over into the new.
FADE = 8
#: Half frames beside it in which up to so many voiced ones (over this F0) say how the register of
#: the old curve differs from the new one's, which then follows it, up to a quarter in log.
LOOK, HEARD, FEWEST, VOICED, MOST = 24, 12, 4, 60.0, 0.25

Run = tuple[int, int]


def blended(patch: Patch, sheet: Sheet, f0: Float, energy: Float) -> tuple[Float, Float]:
    """F0 and energy [2 T] to decode, from what prosody made of the new clause."""
    notes, runs = patch.notes, list(_made(patch, sheet))
    source = _source(patch, sheet, len(f0))
    kept = source >= 0
    old_f0, old_energy = (
        np.where(kept, c[source], n)
        for c, n in zip((notes.f0, notes.energy), (f0, energy), strict=True)
    )
    share = _share(runs, len(f0))
    tone = np.where(share < 0.5, old_f0, f0)
    both = kept & (old_f0 > PITCHED) & (f0 > PITCHED)
    tone[both] = np.exp((1 - share[both]) * np.log(old_f0[both]) + share[both] * np.log(f0[both]))
    for run in runs:
        _follow(run, tone, f0, np.where(kept, old_f0, 0))
    mixed = (1 - share) * old_energy + share * energy
    return tone.astype(np.float32), mixed.astype(np.float32)


def _made(patch: Patch, sheet: Sheet) -> Iterator[Run]:
    """Half frames [from, to) that are made again."""
    edges = sheet.edges()
    for splice in patch.splices:
        yield 2 * edges[splice.start], 2 * edges[splice.stop]


def _source(patch: Patch, sheet: Sheet, count: int) -> NDArray[np.int64]:
    """The old half frame that each new one was, -1 for one that is made again."""
    edges = sheet.edges()
    old = [0, *np.cumsum(patch.notes.durations).tolist()]
    source = np.full(count, -1)
    at = was = 0
    end = Splice(len(old) - 1, 0, len(edges) - 1, 0)
    for splice in [*patch.splices, end]:
        start, stop, begin = 2 * edges[at], 2 * edges[splice.start], 2 * old[was]
        source[start:stop] = np.arange(begin, begin + stop - start)
        at, was = splice.stop, splice.old_stop
    return source


def _share(runs: list[Run], count: int) -> NDArray[np.float64]:
    """How much of each half frame is new."""
    at = np.arange(count)
    share = np.zeros(count)
    for start, stop in runs:
        away = np.maximum(np.maximum(start - at, at - stop + 1), 0)
        share = np.maximum(share, np.clip(1 - away / (FADE + 1), 0, 1))
    return share


def _follow(run: Run, tone: NDArray[np.float64], new: Float, old: NDArray[np.float64]) -> None:
    """Moves what is made again to the register of what is around it."""
    start, stop = run
    left = _offset(np.arange(start - 1, max(-1, start - 1 - LOOK), -1), new, old)
    right = _offset(np.arange(stop, min(len(new), stop + LOOK)), new, old)
    if left is None:
        left = right
    if left is None:
        return
    ramp = np.linspace(left, left if right is None else right, stop - start)
    inside = tone[start:stop]
    moved = inside * np.exp(np.clip(ramp, -MOST, MOST))
    tone[start:stop] = np.where(inside > PITCHED, moved, inside)


def _offset(at: NDArray[np.int64], new: Float, old: NDArray[np.float64]) -> float | None:
    """Median log ratio of old to new over the nearest voiced half frames; None if there are few."""
    heard = at[(old[at] > VOICED) & (new[at] > VOICED)][:HEARD]
    if len(heard) < FEWEST:
        return None
    return float(np.median(np.log(old[heard] / new[heard])))
