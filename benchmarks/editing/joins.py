"""How much the sound changes where an edit is joined, beside where one natural word follows
another.

Sharpness of a place is the largest change of the log spectrum (21 ms windows, 10 ms apart) within
30 ms of it. The same of every word boundary of first takes says what is natural.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from benchmarks.editing.making import Heard, Made
from engine.types import Int16

WIDTH: Final = 512
STEP: Final = 240
BEFORE: Final = 720
CROSSFADE: Final = 600
"""Samples from a changed span's end to the middle of the crossfade that it ends in."""


def sharpness(sound: Int16, at: int) -> float | None:
    """Root mean square, over the spectrum, of the largest change; None where the sound is too
    short."""
    starts = np.arange(max(0, at - BEFORE), min(len(sound) - WIDTH, at + STEP), STEP)
    if len(starts) < 2:
        return None
    pieces = sound[starts[:, None] + np.arange(WIDTH)] / 32768 * np.hanning(WIDTH)
    spectra = np.log(np.abs(np.fft.rfft(pieces)) + 1e-3)
    return float(np.sqrt(np.square(np.diff(spectra, axis=0)).mean(1)).max())


def of_words(take: Heard, rate: int) -> list[float]:
    """At each word's start but the first's."""
    starts = [round(word.start_ms * rate / 1000) for word in take.words[1:]]
    return [found for at in starts if (found := sharpness(take.samples, at)) is not None]


def of_joins(made: Made) -> list[float]:
    """At each place where the parent's sound meets the new."""
    child = made.child
    found = (sharpness(child.samples, at) for at in _joins(child))
    return [value for value in found if value is not None]


def _joins(child: Heard) -> Iterator[int]:
    for start, stop in child.changed or ():
        if stop - start < 2 * CROSSFADE:
            yield (start + stop) // 2
            continue
        if start > 0:
            yield start + CROSSFADE
        if stop < len(child.samples):
            yield stop - CROSSFADE
