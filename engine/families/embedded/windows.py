"""Which windows a clause is decoded in: 4 codec frames first, then 6, then 10. Depends on the
clause alone.

A window is decoded with context on both sides that is cut off again. With given norm statistics
and carried phase, three frames bring the generator within 54 dB of the whole, and eight more the
low-rate part.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, pairwise, repeat

from engine.families.embedded.clause import FRAMES_PER_CODEC_FRAME, Span

#: Codec frames of the first window of a take, of the second, of all others. A window of 10 takes
#: longer on two cores of an ordinary processor than one of 4 lasts.
FIRST, SECOND, LATER = 4, 6, 10
CONTEXT, LOW_CONTEXT = 3, 8
#: A rest shorter than this is decoded with the window before it.
SHORTEST = 6
#: Lengths are rounded up to multiples of this by more context to the left: compiled code is kept by
#: shape, and a shape met for the first time costs as much as half a window.
ROUND = 6


@dataclass(frozen=True, slots=True)
class Window:
    """Acoustic frames: [start, stop) are kept, [low, high) is what the generator sees, and
    [low_rate_low, low_rate_high) what the low-rate part sees."""

    start: int
    stop: int
    low: int
    high: int
    low_rate_low: int
    low_rate_high: int

    @property
    def shape(self) -> tuple[int, int]:
        return self.high - self.low, self.low_rate_high - self.low_rate_low


def plan(span: Span, first: bool) -> list[Window]:
    """The windows of a clause; `first` if it is the first of its take. What a pause may be put into
    is never shared by two."""
    edges = [span.skip]
    sizes = chain((FIRST, SECOND) if first else (), repeat(LATER))
    while edges[-1] < span.frames:
        stop = _past_pauses(span, edges[-1] + next(sizes) * FRAMES_PER_CODEC_FRAME)
        edges.append(span.frames if span.frames - stop < SHORTEST else stop)
    return [_window(a, b, span.frames) for a, b in pairwise(edges)]


def covering(low: int, high: int, frames: int) -> list[Window]:
    """Windows that tile frames [low, high) of a clause of `frames`."""
    edges = list(range(low, high - SHORTEST, LATER * FRAMES_PER_CODEC_FRAME)) or [low]
    return [_window(a, b, frames) for a, b in pairwise([*edges, high])]


def _past_pauses(span: Span, stop: int) -> int:
    return next((p.high for p in span.pauses if p.low < stop < p.high), stop)


def _window(start: int, stop: int, frames: int) -> Window:
    high = min(frames, stop + CONTEXT)
    low = _rounded(max(0, start - CONTEXT), high)
    low_rate_high = min(frames, high + LOW_CONTEXT)
    low_rate_low = _rounded(max(0, low - LOW_CONTEXT), low_rate_high)
    return Window(start, stop, low, high, low_rate_low, low_rate_high)


def _rounded(low: int, high: int) -> int:
    return max(0, low - (low - high) % ROUND)


def usual() -> list[Window]:
    """One window of each shape that nearly all windows have; the first windows' come first."""
    found: dict[tuple[int, int], Window] = {}
    for first in (True, False):
        for skip in (12, 9, 10, 11, 13, 14, 15, 16):
            for frames in range(140, 170):
                spans = plan(Span("", 0, skip, frames), first)
                found.update((w.shape, w) for w in spans if w.shape not in found)
    return list(found.values())
