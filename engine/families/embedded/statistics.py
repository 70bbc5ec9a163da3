"""Norm statistics of a clause before it is decoded: its voice's own, moved by what prosody made.

Fitted by scripts/calibrate.py and kept as data. For each voice v there are the mean and log
standard deviation of every norm channel over calibration sentences; what a sentence differs from
them by, in standard deviations, is linear in how its pooled features differ from the voice's (ridge
regression over all voices, kept at the rank that cross-validation found enough).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.families.embedded.clause import Float

#: F0 above this (Hz) counts as voiced.
VOICED = 40.0
#: Predictions are held within this many of the spread seen in calibration.
REACH = 4.0


def pool(features: Float, f0: Float, energy: Float) -> Float:
    """Sums over a clause: features [512, T], f0 and energy [2 T] -> [1033]."""
    voiced = f0 > VOICED
    tone = np.log(f0[voiced]) if voiced.any() else np.full(1, 5.0, np.float32)
    frames = features.shape[1]
    shape = [np.log(frames), 50 / frames, voiced.mean(), tone.mean(), tone.std()]
    level = [energy.mean(), energy.std(), energy[voiced].mean() if voiced.any() else 0.0]
    power = [f0.mean() / 100, np.square(f0).mean() / 1e4, np.square(energy).mean()]
    scalars = np.array([*shape, *level, *power], np.float32)
    return np.concatenate([scalars, features.mean(1), np.square(features).mean(1)])


@dataclass(frozen=True, slots=True, eq=False)
class VoiceStatistics:
    """One voice's: pooled [P], mean and log_deviation [C]."""

    pooled: Float
    mean: Float
    log_deviation: Float


@dataclass(frozen=True, eq=False)
class Statistics:
    """The predictor. sizes: channels of each norm, low-rate part then generator; low_norms: how
    many of them are the low-rate part's. encode [P, R] and decode [R, 2 C] are the regression,
    scale [P] what pooled features are divided by, spread [R] the largest code seen."""

    voices: dict[str, VoiceStatistics]
    sizes: tuple[int, ...]
    low_norms: int
    encode: Float
    decode: Float
    scale: Float
    spread: Float

    @classmethod
    def load(cls) -> Statistics:
        path = resources.files("engine.families.embedded") / "data" / "statistics.npz"
        with path.open("rb") as file, np.load(file) as data:
            values = {name: data[name].astype(np.float32) for name in data.files if name != "ids"}
            ids = [str(name) for name in data["ids"]]
        rows = zip(values["pooled"], values["mean"], values["log_deviation"], strict=True)
        return cls(
            voices={name: VoiceStatistics(*row) for name, row in zip(ids, rows, strict=True)},
            sizes=tuple(int(size) for size in values["sizes"]),
            low_norms=int(values["low_norms"]),
            encode=values["encode"],
            decode=values["decode"],
            scale=values["scale"],
            spread=values["spread"],
        )

    def predict(self, voice: str, pooled: Float) -> tuple[Float, Float]:
        """Statistics [1, S, 1] of a clause: (low-rate part's, generator's); see `norms`."""
        base = self.voices[voice]
        code = ((pooled - base.pooled) / self.scale) @ self.encode
        code = np.clip(code, -REACH * self.spread, REACH * self.spread)
        change = code @ self.decode
        channels = len(base.mean)
        deviation = np.exp(base.log_deviation)
        mean = base.mean + change[:channels] * deviation
        variance = np.square(deviation * np.exp(change[channels:]))
        return self._packed(mean.astype(np.float32), variance.astype(np.float32))

    def _packed(self, mean: Float, variance: Float) -> tuple[Float, Float]:
        """Means and variances [C] as graphs take them: each norm's means, then its variances."""
        packed = np.concatenate([mean, variance])[self._order]
        low, generator = np.split(packed, [2 * sum(self.low_sizes)])
        return low[None, :, None], generator[None, :, None]

    @property
    def low_sizes(self) -> list[int]:
        return list(self.sizes[: self.low_norms])

    @property
    def generator_sizes(self) -> list[int]:
        return list(self.sizes[self.low_norms :])

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        """Where each packed value stands in all means followed by all variances."""
        channels, edges = sum(self.sizes), np.cumsum((0, *self.sizes))
        runs = [np.arange(a, b) for a, b in pairwise(edges)]
        return np.concatenate([part for run in runs for part in (run, run + channels)])
