"""Joining what is made again to the parent's sound, where it is quiet and both are alike.

Samples are counted from the clause's first one played, without its pauses. "Old" samples are of the
parent's clause; "new" ones of the clause as it would be decoded whole, and only those about the
splices are ever decoded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.families.embedded.clause import HOP

Sound = NDArray[np.float64]

#: Frames away from a splice, outward, at which a join may lie, and where a stop or a comma is so
#: many more; samples between the places that are tried, and of half a crossfade.
SEARCH, QUIET, STEP, HALF = 4, 8, HOP // 2, 600
#: A join may be moved by so many samples (4 ms) to where both waves agree.
SHIFT = 96
#: Samples outside a splice that a join may take in.
REACH = (SEARCH + 2) * HOP
#: Frames decoded on both sides of a splice, beyond those at which a join may lie.
MARGIN = 3
#: What a unit of spectral difference weighs against 10 dB of level where a join is chosen; and what
#: one of the spectrum's largest change within 10 ms does, since a burst that is crossfaded is heard
#: even where it is quiet.
UNLIKE, SHARP = 1.5, 2.5
#: Under so much (-60 dB) all is as quiet; under so much (-50 dB) nothing of a word is there.
FLOOR, SILENT = 1e-3, 3e-3
#: Samples of a spectrum and from one to the next, of which the change is looked at.
WIDTH, HOPS = 512, 240


@dataclass(frozen=True, slots=True)
class Place:
    """What may be joined: old sample `old` is new sample `new`. low, high: old samples that the
    crossfade must stay within. outward: -1 if it lies before what is made again, else 1. reach:
    frames that the join may lie away from it."""

    old: int
    new: int
    low: int
    high: int
    outward: int
    reach: int = SEARCH


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


def find(sounds: Sounds, place: Place, least: int | None = None) -> Join:
    """The best join beside a place. least: new sample that the crossfade must not begin before."""
    steps = range(0, place.reach * HOP + 1, STEP)
    moved = [place.outward * step for step in steps]
    joins = [Join(place.old + by, place.new + by, HALF) for by in moved]
    fitting = [join for join in joins if _fits(sounds, join, place, least)]
    if not fitting:
        return _narrow(sounds, place)
    best = min(fitting, key=lambda join: _cost(sounds, join, place.outward))
    return Join(best.old, best.new + _agreement(sounds, best, least), best.half)


def hushed(sounds: Sounds, place: Place) -> Place:
    """A place after a word, moved to where both sounds have fallen silent already, if that is
    before it: nothing need be looked for there."""
    back = _silence(sounds, place) * HOP
    if back < 2 * HALF:
        return place
    moved = HALF - back
    return replace(place, old=place.old + moved, new=place.new + moved, reach=0)


def _silence(sounds: Sounds, place: Place) -> int:
    """Frames just before a place in which both sounds are silent, up to QUIET."""
    for count in range(QUIET):
        a = place.old - (count + 1) * HOP
        b = place.new - (count + 1) * HOP - sounds.first
        waves = sounds.old[max(0, a) : a + HOP], sounds.new[max(0, b) : b + HOP]
        if min(a, b) < 0 or any(np.abs(wave).max() > 32768 * SILENT for wave in waves):
            return count
    return QUIET


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


def _cost(sounds: Sounds, join: Join, outward: int) -> float:
    """Low where both are quiet and alike, and little happens."""
    old, new = sounds.around(join)
    window = np.hanning(len(old))
    spectra = [
        np.log(np.square(np.abs(np.fft.rfft(wave / 32768 * window)[:400])) + 1e-3)
        for wave in (old, new)
    ]
    power = (np.square(old).mean() + np.square(new).mean()) / 32768**2
    level = 20 * np.log10(np.sqrt(power) + FLOOR)
    unlike = np.abs(spectra[0] - spectra[1]).mean()
    return float(level / 10 + UNLIKE * unlike + SHARP * _sharpness(_joined(sounds, join, outward)))


def _joined(sounds: Sounds, join: Join, outward: int) -> Sound:
    """The crossfade, and as much sound around it as makes one spectrum, where there is so much."""
    at = join.new - sounds.first
    room = min(join.old, len(sounds.old) - join.old, at, len(sounds.new) - at)
    wide = Join(join.old, join.new, min(room, join.half + WIDTH))
    old, new = sounds.around(wide)
    rise = np.clip((np.arange(len(old)) - wide.half) / (2 * join.half) + 0.5, 0, 1)
    share = rise if outward < 0 else 1 - rise
    return old * (1 - share) + new * share


def _sharpness(wave: Sound) -> float:
    """Root mean square over the spectrum, in log, of its largest change from one to the next."""
    starts = np.arange(0, len(wave) - WIDTH + 1, HOPS)
    pieces = wave[starts[:, None] + np.arange(WIDTH)] / 32768 * np.hanning(WIDTH)
    spectra = np.log(np.abs(np.fft.rfft(pieces)) + 1e-3)
    return float(np.sqrt(np.square(np.diff(spectra, axis=0)).mean(axis=1)).max())


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
