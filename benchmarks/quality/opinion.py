"""DNSMOS: what listeners would say of the sound, as a model predicts it. ±0.05 is noise."""

from __future__ import annotations

from typing import Final

import numpy as np
import pyloudnorm
from numpy.typing import NDArray
from speechmos import dnsmos

from benchmarks.quality.recognisers import RATE

LOUDNESS: Final = -23.0
"""LUFS that all sound is brought to first, since the model's judgement goes with the level."""


def opinion(wave: NDArray[np.float32]) -> float:
    """Overall mean opinion, 1 to 5, of a wave at 16 kHz within ±1."""
    loudness = pyloudnorm.Meter(RATE).integrated_loudness(wave)
    levelled = wave * 10 ** ((LOUDNESS - loudness) / 20)
    levelled = levelled / max(1.0, float(np.abs(levelled).max()))
    return float(dnsmos.run(levelled.astype(np.float32), RATE)["ovrl_mos"])
