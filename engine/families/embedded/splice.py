"""Joining what is made again to the parent's sound, where it is quiet and both are alike.

Samples are counted from the clause's first one played, without its pauses. "Old" samples are of the
parent's clause; "new" ones of the clause as it would be decoded whole, and only those about the
splices are ever decoded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.families.embedded.clause import HOP

Sound = NDArray[np.float64]

#: Frames away from a splice, outward, at which a join may lie; and samples of half a crossfade.
SEARCH, HALF = 4, 600
#: A join may be moved by so many samples (4 ms) to where both waves agree.
SHIFT = 96
#: Samples outside a splice that a join may take in.
REACH = (SEARCH + 2) * HOP
#: Frames decoded on both sides of a splice.
MARGIN = SEARCH + 3
#: What a unit of spectral difference weighs against 10 dB of level, where a join is chosen.
UNLIKE = 1.5


@dataclass(frozen=True, slots=True)
class Place:
    """What may be joined: old sample `old` is new sample `new`. low, high: old samples that the
    crossfade must stay within."""

    old: int
    new: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Join:
    """A crossfade: old samples [old - half, old + half) with new ones [new - half, new + half)."""

    old: int
    new: int
    half: int


@dataclass(frozen=True, slots=True, eq=False)
class Sounds:
    """old: the parent's clause, int16 values. new: decoded from new sample `first` on, likewise."""

    old: Sound
    new: Sound
    first: int

    def around(self, join: Join, shift: int = 0) -> tuple[Sound, Sound]:
        at = join.new - self.first + shift
        return (
            self.old[join.old - join.half : join.old + join.half],
            self.new[at - join.half : at + join.half],
        )


def find(sounds: Sounds, place: Place, outward: int, least: int | None = None) -> Join:
    """The best join beside a place. outward: -1 if it lies before what is made again, else 1.
    least: new sample that the crossfade must not begin before."""
    steps = [outward * HOP * step for step in range(SEARCH + 1)]
    joins = [Join(place.old + step, place.new + step, HALF) for step in steps]
    fitting = [join for join in joins if _fits(sounds, join, place, least)]
    if not fitting:
        return _narrow(sounds, place)
    best = min(fitting, key=lambda join: _cost(*sounds.around(join)))
    return Join(best.old, best.new + _agreement(sounds, best, least), best.half)


def _fits(sounds: Sounds, join: Join, place: Place, least: int | None) -> bool:
    inside = place.low <= join.old - join.half and join.old + join.half <= place.high
    start = join.new - join.half - SHIFT
    decoded = sounds.first <= start and join.new + join.half + SHIFT <= sounds.first + len(
        sounds.new
    )
    return inside and decoded and (least is None or start >= least)


def _narrow(sounds: Sounds, place: Place) -> Join:
    """No room for a whole crossfade: the widest at the place itself, perhaps none."""
    half = min(HALF, place.old - place.low, place.high - place.old)
    half = min(half, place.new - sounds.first, sounds.first + len(sounds.new) - place.new)
    return Join(place.old, place.new, max(0, half))


def _cost(old: Sound, new: Sound) -> float:
    """Low where both are quiet and alike."""
    window = np.hanning(len(old))
    spectra = [
        np.log(np.square(np.abs(np.fft.rfft(wave / 32768 * window)[:400])) + 1e-3)
        for wave in (old, new)
    ]
    power = (np.square(old).mean() + np.square(new).mean()) / 32768**2
    level = 20 * np.log10(np.sqrt(power) + 1e-4)
    return float(level / 10 + UNLIKE * np.abs(spectra[0] - spectra[1]).mean())


def _agreement(sounds: Sounds, join: Join, least: int | None) -> int:
    """The shift of the new wave at which it is most like the old one."""
    old, _ = sounds.around(join)
    best, best_score = 0, -np.inf
    for shift in range(-SHIFT, SHIFT + 1, 2):
        _, new = sounds.around(join, shift)
        size = np.sqrt(float(old @ old) * float(new @ new)) + 1.0
        score = float(old @ new) / size - abs(shift) * 1e-4
        if score > best_score:
            best, best_score = shift, score
    return best


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """What stands in place of old samples [start, stop): its own sample 0 is new sample `first`."""

    start: int
    stop: int
    first: int
    wave: Sound


def made(sounds: Sounds, left: Join | None, right: Join | None) -> Made:
    """What is made again, with the crossfades at its ends; no join: from the clause's start, to its
    end."""
    begin = 0 if left is None else left.new - left.half
    end = sounds.first + len(sounds.new) if right is None else right.new + right.half
    wave = sounds.new[begin - sounds.first : end - sounds.first].copy()
    if left is not None and left.half:
        rise = _rise(left)
        wave[: 2 * left.half] *= rise
        wave[: 2 * left.half] += sounds.around(left)[0] * (1 - rise)
    if right is not None and right.half:
        rise = _rise(right)
        wave[len(wave) - 2 * right.half :] *= 1 - rise
        wave[len(wave) - 2 * right.half :] += sounds.around(right)[0] * rise
    start = 0 if left is None else left.old - left.half
    stop = len(sounds.old) if right is None else right.old + right.half
    return Made(start, stop, begin, wave)


def _rise(join: Join) -> Sound:
    return np.linspace(0, 1, 2 * join.half)
