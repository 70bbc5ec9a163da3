"""The model's decoder in three parts that hand on to each other: frames to waves, in any pieces."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import numpy as np

from engine.families.embedded import cut, fold, source, windows
from engine.families.embedded.clause import HOP, Float
from engine.families.embedded.compute import Array, OpenVino, Shaped
from engine.families.embedded.prepare import Prepared
from engine.families.embedded.windows import HIGH_CONTEXT, LOW_CONTEXT, MIDDLE_CONTEXT

#: Values an acoustic frame, and channels: what the low-rate part and the generator's first half put
#: out.
MIDDLE_RATE, CHANNELS = 20, 256
#: Frames that a strip keeps: as far as the longest call of the part behind it looks back from where
#: the clause ends.
KEPT = windows.MIDDLE_LENGTHS[-1] + MIDDLE_CONTEXT


class Strip:
    """What one part made of a clause: columns of frames [start, stop), growing to the right.

    Only what somebody may still look back at is kept. rate: columns a frame; ends: one column more
    than those of whole frames, as the source has.
    """

    def __init__(self, channels: int, rate: int, ends: bool = False) -> None:
        self._values = np.zeros((1, channels, 0), np.float32)
        self._rate, self._ends = rate, int(ends)
        self.start = self.stop = 0

    def reach(self, frame: int) -> None:
        """Goes on from `frame` if that is not where it has something, or what follows on it."""
        if not self.start <= frame <= self.stop:
            self._values = self._values[:, :, :0]
            self.start = self.stop = frame

    def add(self, values: Float, until: int) -> None:
        """values: of frames [stop, until)."""
        first = max(self.start, self.stop - KEPT)
        a, b = (self._rate * (frame - self.start) for frame in (first, self.stop))
        self._values = np.concatenate([self._values[:, :, a:b], values], axis=2)
        self.start, self.stop = first, until

    def __call__(self, low: int, high: int) -> Float:
        """Frames [low, high), which it has."""
        a, b = (self._rate * (frame - self.start) for frame in (low, high))
        return np.ascontiguousarray(self._values[:, :, a : b + self._ends])


class Told(Protocol):
    """What is decoded: one way of saying a clause of `frames` frames.

    features: [512, T]. f0, energy: [2 T]. low_affine, affine: scales and shifts of the norms.
    """

    features: Float
    energy: Float
    f0: Float
    phase: source.PhaseSum
    low_affine: Float
    affine: Float
    frames: int
    low: Strip
    middle: Strip
    tone: Strip


class Decoder:
    """Holds the graphs, compiled for the usual lengths, of which every take makes use."""

    def __init__(
        self, prepared: Prepared, threads: int = 1, copies: int = 1, cache: Path | None = None
    ) -> None:
        """As `OpenVino`."""
        openvino = OpenVino(prepared.hint, threads, copies, cache)
        self._mixer = source.Mixer.load(prepared.source)
        # Its weights are most of the model's: one copy, in which a shape is a little slower.
        self._low = openvino.graph(prepared.low_rate)
        self._middle = Shaped(openvino, prepared.middle, _middle_shapes, windows.MIDDLE_LENGTHS)
        self._high = Shaped(openvino, prepared.high, _high_shapes, windows.HIGH_LENGTHS)

    def compile(self) -> None:
        """All that takes need, so that none waits for it."""
        self._middle.compile()
        self._high.compile()

    def wave(self, told: Told, start: int, stop: int) -> Float:
        """Samples of frames [start, stop) [600 (stop - start)]; quickest where they follow on those
        that were asked for last."""
        pieces = []
        lengths = windows.HIGH_LENGTHS
        for call in windows.calls(start, stop, told.frames, HIGH_CONTEXT, lengths):
            feeds = self.high_feeds(told, call.low, call.low + call.length)
            made = self._high(call.length, feeds).ravel()
            until = min(stop, call.stop)
            pieces.append(made[HOP * (start - call.low) : HOP * (until - call.low)])
            start = until
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)

    def high_feeds(self, told: Told, low: int, high: int) -> dict[str, Array]:
        """What the generator's second half is given to see frames [low, high)."""
        self._need_middle(told, low, high)
        return {
            cut.MIDDLE: told.middle(low, high),
            cut.SOURCE: self._tone(told, low, high),
            fold.AFFINE: told.affine,
        }

    def middle_feeds(self, told: Told, low: int, high: int) -> dict[str, Array]:
        """What the generator's first half is given to see frames [low, high)."""
        self._need_low(told, low, high)
        return {
            cut.LOW: told.low(low, high),
            cut.SOURCE: self._tone(told, low, high),
            fold.AFFINE: told.affine,
        }

    def low_feeds(self, told: Told, low: int, high: int) -> dict[str, Array]:
        """What the low-rate part is given to see frames [low, high)."""
        return {
            cut.FEATURES: np.ascontiguousarray(told.features[None, :, low:high]),
            cut.F0: told.f0[None, 2 * low : 2 * high],
            cut.ENERGY: told.energy[None, 2 * low : 2 * high],
            fold.AFFINE: told.low_affine,
        }

    def _need_middle(self, told: Told, low: int, high: int) -> None:
        made = told.middle
        made.reach(low)
        lengths = windows.MIDDLE_LENGTHS
        for call in windows.calls(made.stop, high, told.frames, MIDDLE_CONTEXT, lengths):
            feeds = self.middle_feeds(told, call.low, call.low + call.length)
            _put(made, self._middle(call.length, feeds), call)

    def _need_low(self, told: Told, low: int, high: int) -> None:
        made = told.low
        made.reach(low)
        lengths = windows.LOW_LENGTHS
        for call in windows.calls(made.stop, high, told.frames, LOW_CONTEXT, lengths):
            _put(made, self._low(self.low_feeds(told, call.low, call.low + call.length)), call)

    def _tone(self, told: Told, low: int, high: int) -> Float:
        made = told.tone
        made.reach(low)
        if high > made.stop:
            tone = source.decode(self._mixer, told.f0, told.phase, made.stop, high)
            made.add(tone, high)
        return made(low, high)


def _put(strip: Strip, made: Float, call: windows.Call) -> None:
    first, last = (MIDDLE_RATE * (frame - call.low) for frame in (strip.stop, call.stop))
    strip.add(made[:, :, first:last], call.stop)


def _middle_shapes(frames: int) -> dict[str, tuple[int, ...]]:
    return {cut.LOW: (1, CHANNELS, MIDDLE_RATE * frames), **_tone_shape(frames)}


def _high_shapes(frames: int) -> dict[str, tuple[int, ...]]:
    return {cut.MIDDLE: (1, CHANNELS, MIDDLE_RATE * frames), **_tone_shape(frames)}


def _tone_shape(frames: int) -> dict[str, tuple[int, ...]]:
    return {cut.SOURCE: (1, source.CHANNELS, source.PER_FRAME * frames + 1)}
