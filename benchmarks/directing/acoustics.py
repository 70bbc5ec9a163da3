"""What can be measured of a take's sound by itself: how long, how high, how loud, how voiced."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import librosa
import numpy as np
import pyloudnorm
from numpy.typing import NDArray
from swift_f0 import SwiftF0

from benchmarks.directing.rows import Acoustics
from benchmarks.quality.recognisers import RATE

SURE: Final = 0.8
"""Confidence from which on a frame counts as voiced."""
LOWEST_HZ, HIGHEST_HZ = 70.0, 600.0
FEWEST: Final = 0.1
"""Share of voiced frames under which there is no pitch: a whisper has some by chance."""
MOST_OF_IT: Final = (15, 85)
"""Percentiles that pitch ranges between: beyond them are creaks, heard an octave off."""
SPLIT_HZ: Final = 1_000.0
"""Spectral tilt is the level from here to 5 kHz, over that from 50 Hz to here (alpha ratio)."""


def acoustics(wave: NDArray[np.float32]) -> Acoustics:
    """Of a wave at 16 kHz within ±1, at least 0.4 s long."""
    heard = _detector().detect(wave, RATE)
    pitch, sure = np.asarray(heard.pitch_hz), np.asarray(heard.confidence)
    voiced = (sure > SURE) & (pitch > LOWEST_HZ) & (pitch < HIGHEST_HZ)
    few = voiced.mean() < FEWEST
    low, high = (0, 0) if few else np.percentile(12 * np.log2(pitch[voiced]), MOST_OF_IT)
    return Acoustics(
        seconds=len(wave) / RATE,
        pitch_hz=None if few else float(np.median(pitch[voiced])),
        range=None if few else float(high - low),
        loudness=float(pyloudnorm.Meter(RATE).integrated_loudness(wave)),
        tilt=_tilt(wave),
        voiced=float(voiced.mean()),
    )


@lru_cache(maxsize=1)
def _detector() -> SwiftF0:
    return SwiftF0()


def _tilt(wave: NDArray[np.float32]) -> float:
    power = np.square(np.abs(librosa.stft(wave, n_fft=1024, hop_length=256))).sum(axis=1)
    hz = librosa.fft_frequencies(sr=RATE, n_fft=1024)
    above = power[(hz >= SPLIT_HZ) & (hz < 5_000)].sum()
    below = power[(hz >= 50) & (hz < SPLIT_HZ)].sum()
    return float(10 * np.log10(above / below))
