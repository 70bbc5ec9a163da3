"""What is done to a clause's sound after it is decoded: tilt, gain, pauses, and the last bend.

All is given by where a sample stands in its clause, but for the filter's memory, which is carried;
so windows finished one by one are the whole finished at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.families.embedded.clause import HOP, SAMPLE_RATE, Float, Silence
from engine.families.embedded.levers import WHISPER_GAIN, Directed, track
from engine.types import Int16, Levers

#: Above this level the waveform is bent towards 1 rather than clipped.
KNEE = 0.8
#: Corner and slope of the shelf; its impulse response is under float32's resolution after TAPS.
CORNER, SLOPE, TAPS = 1_500.0, 0.7, 96
#: Samples over which sound fades where a pause is put in, and over which the quietest is sought.
FADE, QUIET = 120, 480


def shelf(db: float) -> NDArray[np.float64]:
    """Impulse response [TAPS] of a high shelf (R. Bristow-Johnson's Audio EQ Cookbook)."""
    a = 10 ** (db / 40)
    omega = 2 * math.pi * CORNER / SAMPLE_RATE
    alpha = math.sin(omega) / 2 * math.sqrt((a + 1 / a) * (1 / SLOPE - 1) + 2)
    cos, root = math.cos(omega), 2 * math.sqrt(a) * alpha
    up, down = a + 1, a - 1
    ahead = (a * (up + down * cos + root), -2 * a * (down + up * cos), a * (up + down * cos - root))
    back = (up - down * cos + root, 2 * (down - up * cos), up - down * cos - root)
    return _response(ahead, back)


def _response(
    ahead: tuple[float, float, float], back: tuple[float, float, float]
) -> NDArray[np.float64]:
    taps = np.zeros(TAPS + 2)
    for n in range(TAPS):
        fed = ahead[n] if n < len(ahead) else 0.0
        taps[n + 2] = (fed - back[1] * taps[n + 1] - back[2] * taps[n]) / back[0]
    return taps[2:]


class Finish:
    """Of one clause; its windows are given in order."""

    def __init__(self, how: Directed) -> None:
        self._how = how
        tilts = {stretch.levers.tilt for stretch in how.stretches} - {0.0}
        self._shelves = {tilt: shelf(tilt) for tilt in sorted(tilts)}
        self._before = np.zeros(TAPS - 1)

    def __call__(self, wave: Float, start: int) -> Float:
        """The window's samples, of which the first stands at acoustic frame `start`."""
        at = moments(start, len(wave))
        made = wave.astype(np.float64)
        if self._shelves:
            made = self._tilted(made, at)
        loudness = track(self._how, _gain, at)
        return (made * 10 ** (loudness / 20)).astype(np.float32)

    def _tilted(self, wave: NDArray[np.float64], at: NDArray[np.float64]) -> NDArray[np.float64]:
        heard = np.concatenate([self._before, wave])
        self._before = heard[len(wave) :]
        made = track(self._how, partial(_has_tilt, 0.0), at) * wave
        for tilt, taps in self._shelves.items():
            share = track(self._how, partial(_has_tilt, tilt), at)
            if share.any():
                made += share * _filtered(heard, taps, len(wave))
        return made


def _filtered(
    heard: NDArray[np.float64], taps: NDArray[np.float64], count: int
) -> NDArray[np.float64]:
    """The last `count` samples; summed tap by tap, so that each is the same wherever it is cut."""
    made = np.zeros(count)
    for n, tap in enumerate(taps):
        end = len(heard) - n
        made += tap * heard[end - count : end]
    return made


def _has_tilt(tilt: float, levers: Levers) -> float:
    return float(levers.tilt == tilt)


def _gain(levers: Levers) -> float:
    return levers.gain + (WHISPER_GAIN if levers.whisper else 0.0)


def moments(start: int, count: int) -> NDArray[np.float64]:
    """When each of `count` samples from acoustic frame `start` on is, in frames of the clause."""
    return (np.arange(HOP * start, HOP * start + count) + 0.5) / HOP


@dataclass(frozen=True, slots=True)
class Gap:
    """`silence` samples are put somewhere between samples [low, high) of a wave."""

    low: int
    high: int
    silence: int


def gaps(pauses: Iterable[Silence], start: int, stop: int) -> list[Gap]:
    """Those of a clause's pauses that lie in a window of frames [start, stop)."""
    inside = [p for p in pauses if start <= p.low < stop]
    return [Gap((p.low - start) * HOP, (p.high - start) * HOP, p.samples) for p in inside]


def parted(wave: Float, gaps: Sequence[Gap]) -> tuple[Float, list[int]]:
    """A wave faded out and in again where pauses are to be, each at the quietest 20 ms of its gap;
    and before which samples they are."""
    if not gaps:
        return wave, []
    cuts = [_quietest(wave, gap.low, gap.high) for gap in gaps]
    faded = wave.copy()
    for cut in cuts:
        before, after = faded[max(0, cut - FADE) : cut], faded[cut : cut + FADE]
        before *= np.linspace(1, 0, FADE, dtype=np.float32)[FADE - len(before) :]
        after *= np.linspace(0, 1, FADE, dtype=np.float32)[: len(after)]
    return faded, cuts


def paused(wave: Int16, pauses: Iterable[tuple[int, int]]) -> Int16:
    """With silence put in: pauses are (before which sample, how many samples), in order."""
    pieces, at = [], 0
    for cut, silence in pauses:
        pieces += [wave[at:cut], np.zeros(silence, np.int16)]
        at = cut
    return np.concatenate([*pieces, wave[at:]])


def _quietest(wave: Float, low: int, high: int) -> int:
    size = min(QUIET, high - low)
    power = np.concatenate([[0.0], np.cumsum(np.square(wave[low:high], dtype=np.float64))])
    return low + int(np.argmin(power[size:] - power[:-size])) + size // 2


def to_int16(wave: Float) -> Int16:
    """float32 around [-1, 1] to int16; peaks over the knee are bent, so nothing wraps or clips."""
    size = np.abs(wave)
    over = np.maximum(size - KNEE, 0) / (1 - KNEE)
    bent = np.where(size > KNEE, KNEE + (1 - KNEE) * np.tanh(over), size)
    return np.round(np.copysign(bent, wave) * 32767).astype(np.int16)
