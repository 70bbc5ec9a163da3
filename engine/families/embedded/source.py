"""The harmonic source in windows: its phase is a running sum, so it is carried, never restarted.

The generator reads the source's angles as numbers, which jump by a whole turn at +-pi and are
arbitrary where the source is silent; so a window's angles must be those of the whole to the last
bit, or it would sound the same and still differ by 26 dB. The model's own sum, in float32 from the
clause's start, can't be cut so. Ours is kept in float64 turns at the middle of each half frame; the
samples of a half frame depend on it and its neighbours' F0 alone, wherever a window begins.

Made in numpy from the graph's few weights: ONNX Runtime takes three times as long for its STFT.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto

from engine.families.embedded import surgery
from engine.families.embedded.clause import SAMPLE_RATE, Float

HARMONICS = np.arange(1, 10)
#: Samples of half a frame, over which F0 is constant, and where they lie around its middle.
HOLD = 300
_AROUND = (np.arange(HOLD) + 0.5) / HOLD - 0.5
#: Acoustic frames around a window whose source is wrong at its edge (the STFT's padding).
MARGIN = 1
#: Values of the source a frame, after the STFT.
PER_FRAME = 120
#: The STFT: its length and its hop in samples, its bins.
LENGTH, HOP, BINS = 20, 5, 11
#: Channels of the source: sizes of the bins, then their angles.
CHANNELS = 2 * BINS
#: F0 in Hz over which the model takes sound to be voiced, and the amplitude of a harmonic.
_VOICED, _AMPLITUDE = 10.0, 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Mixer:
    """The source's weights. mix: [9], of the harmonics in the one wave; bias: added to it. basis:
    [20, 22], real then imaginary parts of the windowed transform."""

    mix: Float
    bias: float
    basis: Float

    @classmethod
    def of(cls, source: ModelProto) -> Mixer:
        """The weights in the model's own source graph."""
        values = surgery.constants(source)
        linear = next(n for n in source.graph.node if n.name.endswith("/l_linear/MatMul"))
        add = next(n for n in source.graph.node if n.name.endswith("/l_linear/Add"))
        transform = next(n for n in source.graph.node if n.op_type == "STFT")
        bias = next(values[name] for name in add.input if name in values)
        mix = values[linear.input[1]].ravel() * _AMPLITUDE
        window = values[transform.input[2]].astype(np.float64)
        return cls(mix.astype(np.float32), float(bias.item()), _basis(window))

    @classmethod
    def load(cls, path: Path) -> Mixer:
        with np.load(path) as data:
            return cls(data["mix"], float(data["bias"]), data["basis"])

    def save(self, path: Path) -> None:
        np.savez(path, mix=self.mix, bias=np.float32(self.bias), basis=self.basis)

    def __call__(self, f0: Float, radians: Float) -> Float:
        """The source [1, 22, n / 5 + 1] of n samples: sizes of 11 bins, then their angles.

        f0: [half frames]; radians: the harmonics' phases [1, n, 9].
        """
        voiced = np.repeat((f0 > _VOICED).astype(np.float32), HOLD)
        wave = np.tanh((np.sin(radians[0]) @ self.mix) * voiced + np.float32(self.bias))
        made = self._transform(np.pad(wave, LENGTH // 2, mode="reflect"))
        real, imaginary = made[:, :BINS], made[:, BINS:]
        size = np.sqrt(real * real + imaginary * imaginary)
        angle = np.arctan2(imaginary, real)
        return np.concatenate([size, angle], axis=1).T[None]

    def _transform(self, wave: Float) -> Float:
        """[n + 20] to [n / 5 + 1, 22]; a frame is four hops, so four products and no copy."""
        hops = wave.reshape(-1, HOP)
        count = len(hops) - LENGTH // HOP + 1
        parts = self.basis.reshape(-1, HOP, 2 * BINS)
        made: Float = sum(
            (hops[i : i + count] @ part for i, part in enumerate(parts)),
            start=np.zeros((count, 2 * BINS), np.float32),
        )
        return made


def _basis(window: NDArray[np.float64]) -> Float:
    """Cosines and sines of each bin under the window; the bins 0 and 10 have no imaginary part."""
    turns = np.outer(np.arange(LENGTH), np.arange(BINS)) / LENGTH
    real, imaginary = np.cos(2 * np.pi * turns), -np.sin(2 * np.pi * turns)
    imaginary[:, [0, -1]] = 0.0
    basis = np.concatenate([real, imaginary], axis=1) * window[:, None]
    return basis.astype(np.float32)


class PhaseSum:
    """The running sum of one clause, extended as F0 arrives."""

    def __init__(self) -> None:
        self._steps = np.zeros((0, len(HARMONICS)))
        self._turns = np.zeros((0, len(HARMONICS)))
        self._last = np.zeros(len(HARMONICS))

    def extend(self, f0: Float) -> None:
        """f0: [half frames], those that follow."""
        steps = f0.astype(np.float64)[:, None] * (HARMONICS * HOLD / SAMPLE_RATE)
        turns = np.cumsum(np.concatenate([self._last[None], steps]), axis=0)[1:]
        self._last = turns[-1] if len(turns) else self._last
        self._steps = np.concatenate([self._steps, steps])
        self._turns = np.concatenate([self._turns, turns % 1.0])

    def window(self, start: int, stop: int) -> Float:
        """Radians of half frames [start, stop), linear between their middles: [1, samples, 9].

        Flat before the first middle, and after the last of those that have arrived.
        """
        at = np.arange(start, stop)
        before = np.where(at[:, None] > 0, self._steps[start:stop], 0.0)
        after = np.zeros_like(before)
        known = self._steps[start + 1 : stop + 1]
        after[: len(known)] = known
        slope = np.where(_AROUND[:, None] < 0, before[:, None], after[:, None])
        turns = self._turns[start:stop, None] + _AROUND[:, None] * slope
        radians: NDArray[np.float64] = 2 * np.pi * turns
        return radians.reshape(1, -1, len(HARMONICS)).astype(np.float32)


def decode(mixer: Mixer, f0: Float, phase: PhaseSum, start: int, stop: int) -> Float:
    """The source of frames [start, stop): [1, 22, 120 (stop - start) + 1].

    f0: [2 T] of the frames that have arrived; a frame more on each side is used where there is one.
    """
    low, high = max(0, start - MARGIN), min(len(f0) // 2, stop + MARGIN)
    made = mixer(f0[2 * low : 2 * high], phase.window(2 * low, 2 * high))
    first = PER_FRAME * (start - low)
    return np.ascontiguousarray(made[:, :, first : first + PER_FRAME * (stop - start) + 1])
