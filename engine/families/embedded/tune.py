"""The levers that move F0 and energy: arithmetic on the curves that prosody made.

Curves have two values an acoustic frame, 12.5 ms each. F0 moves in log, about its median over what
is voiced; where it is under 25 Hz it is kept, since there it is no pitch.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.families.embedded.clause import Float
from engine.families.embedded.levers import Directed, track
from engine.families.embedded.statistics import VOICED

Curve = NDArray[np.float64]

#: F0 under this (Hz) is never moved, and none is moved beyond the highest.
PITCHED, HIGHEST = 25.0, 900.0
HALF_FRAME = 0.0125
#: Half frames before the last voiced sound over which an ending rises or falls.
ENDING = 36
#: A sound counts as the last one while its energy is within this of the louder ones.
AUDIBLE = 4.0
#: Semitones and energy that emphasis 1 adds at a word's middle.
STRESS_PITCH, STRESS_ENERGY = 4.0, 2.0


def tuned(how: Directed, f0: Float, energy: Float) -> tuple[Float, Float]:
    """F0 and energy [2 T] said so. What no lever touches comes back as it was, to the last bit."""
    stress = _stresses(how, len(f0))
    moved = f0 * np.exp2(_semitones(how, f0, energy, stress) / 12)
    pitched = f0 > PITCHED
    kept = np.where(pitched, np.minimum(moved, np.maximum(f0, HIGHEST)), f0)
    for stretch in how.stretches:
        if stretch.levers.whisper:
            kept[2 * stretch.start : 2 * stretch.stop] = 0
    louder = energy + STRESS_ENERGY * stress
    return kept.astype(np.float32), louder.astype(np.float32)


def _semitones(how: Directed, f0: Float, energy: Float, stress: Curve) -> Curve:
    """How far each half frame is moved."""
    voiced = np.flatnonzero(f0 > VOICED)
    at = np.arange(len(f0), dtype=np.float64)
    if not len(voiced):
        return np.zeros_like(at)
    moments = (at + 0.5) / 2
    tone = 12 * np.log2(np.maximum(f0, 1).astype(np.float64))
    about = tone - np.median(tone[voiced])
    length = max(1, voiced[-1] - voiced[0])
    moved: Curve = (
        about * (track(how, lambda lever: lever.range, moments) - 1)
        + track(how, lambda lever: lever.pitch, moments)
        + track(how, lambda lever: lever.slope, moments) * ((at - voiced[0]) / length - 0.5)
        + track(how, lambda lever: lever.ending, moments) * _ending(how, f0, energy, at)
        + track(how, lambda lever: lever.tremor, moments)
        * np.sin(2 * np.pi * HALF_FRAME * at * _tremor_hz(how, len(f0)))
        + STRESS_PITCH * stress
    )
    return moved


def _tremor_hz(how: Directed, count: int) -> Curve:
    """Constant over a stretch, since a phase counted from the clause's start would else sweep."""
    hz = np.full(count, how.base.tremor_hz)
    for stretch in how.stretches:
        hz[2 * stretch.start : 2 * stretch.stop] = stretch.levers.tremor_hz
    return hz


def _ending(how: Directed, f0: Float, energy: Float, at: Curve) -> Curve:
    """0 but over the last voiced sounds of a sentence, where it climbs to 1."""
    if not how.closes:
        return np.zeros_like(at)
    voiced = f0 > VOICED
    floor = np.percentile(energy[voiced], 75) - AUDIBLE
    heard = np.flatnonzero(voiced & (energy > floor))
    last = heard[-1] if len(heard) else np.flatnonzero(voiced)[-1]
    climb: Curve = np.clip((at - (last - ENDING)) / ENDING, 0, 1) ** 1.3
    return climb


def _stresses(how: Directed, count: int) -> Curve:
    """A bump over each emphasised word, as high as its emphasis."""
    bumps = np.zeros(count)
    for stress in how.stresses:
        start, stop = 2 * stress.start, 2 * stress.stop
        along = (np.arange(stop - start) + 0.5) / max(1, stop - start)
        bumps[start:stop] = stress.strength * np.sin(np.pi * along) ** 0.7
    return bumps
