"""The harmonic source in windows: its phase is a running sum, so it is carried, never restarted.

The generator reads the source's angles as numbers, which jump by a whole turn at +-pi and are
arbitrary where the source is silent; so a window's angles must be those of the whole to the last
bit, or it would sound the same and still differ by 26 dB. The model's own sum, in float32 from the
clause's start, can't be cut so. Ours is kept in float64 turns at the middle of each half frame; the
samples of a half frame depend on it and its neighbours' F0 alone, wherever a window begins.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto

from engine.families.embedded import cut, surgery
from engine.families.embedded.clause import SAMPLE_RATE, Float
from engine.families.embedded.compute import OrtGraph

#: Phase of each harmonic in radians [1, samples, 9]: what the graph takes the sine of.
PHASE = "/decoder/decoder/generator/m_source/l_sin_gen/Transpose_3_output_0"
HARMONICS = np.arange(1, 10)
#: Samples of half a frame, over which F0 is constant, and where they lie around its middle.
HOLD = 300
_AROUND = (np.arange(HOLD) + 0.5) / HOLD - 0.5
#: Acoustic frames around a window whose source is wrong at its edge (the STFT's padding).
MARGIN = 1
#: Values of the source a frame, after the STFT.
PER_FRAME = 120


def cut_phase(source: ModelProto) -> ModelProto:
    """The source graph with the phase as a second input."""
    graph = surgery.copy_model(source)
    surgery.declare(graph, {PHASE: [1, "samples", len(HARMONICS)]})
    return surgery.extract(graph, [cut.F0, PHASE], [cut.SOURCE])


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


def decode(graph: OrtGraph, f0: Float, phase: PhaseSum, start: int, stop: int) -> Float:
    """The source of frames [start, stop): [1, 22, 120 (stop - start) + 1].

    f0: [2 T] of the frames that have arrived; a frame more on each side is used where there is one.
    """
    low, high = max(0, start - MARGIN), min(len(f0) // 2, stop + MARGIN)
    made = graph(
        {
            cut.F0: np.ascontiguousarray(f0[None, 2 * low : 2 * high]),
            PHASE: phase.window(2 * low, 2 * high),
        }
    )[cut.SOURCE]
    first = PER_FRAME * (start - low)
    return np.ascontiguousarray(made[:, :, first : first + PER_FRAME * (stop - start) + 1])
