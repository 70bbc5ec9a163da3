"""Which acoustic frames a window of sound has, and which of them each part of the decoder sees.

The decoder is three parts, one after the other. Each makes frames [made, wanted) in one call or
several, seeing some context on both sides that is cut off again; with so much of it every frame is
that of the whole clause, bit for bit, so a window may be of any size. What a part made is kept for
as long as the next one looks back at it, so only context is computed twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from engine.families.embedded.clause import FRAMES_PER_CODEC_FRAME, Span

#: Codec frames that a window may have.
SIZES: Final = (2, 4, 10, 20)
#: Acoustic frames that each part looks at on both sides of what it makes: the low-rate part (with
#: the first upsampling), the generator at 20 values a frame, and at 120.
LOW_CONTEXT, MIDDLE_CONTEXT, HIGH_CONTEXT = 11, 5, 2


def _lengths(context: int, more: int) -> tuple[int, ...]:
    """Frames that a part sees for a window of each size. more: what its next one looks at besides,
    in a take's first windows; in later ones that is made already."""
    few = SIZES[:-1]
    first = [FRAMES_PER_CODEC_FRAME * size + 2 * (context + more) for size in few]
    return (*first, FRAMES_PER_CODEC_FRAME * SIZES[-1] + 2 * context)


LOW_LENGTHS: Final = _lengths(LOW_CONTEXT, MIDDLE_CONTEXT + HIGH_CONTEXT)
MIDDLE_LENGTHS: Final = _lengths(MIDDLE_CONTEXT, HIGH_CONTEXT)
HIGH_LENGTHS: Final = _lengths(HIGH_CONTEXT, 0)


@dataclass(frozen=True, slots=True)
class Call:
    """A part sees frames [low, low + length), and makes right what is before `stop`."""

    low: int
    length: int
    stop: int


def calls(
    made: int, wanted: int, total: int, context: int, lengths: Sequence[int]
) -> Iterator[Call]:
    """The calls by which a part makes frames [made, wanted) of a clause of `total`.

    lengths: those that it is compiled for, ascending. A clause shorter than all is seen whole. What
    a call sees beyond what it needs is more context, before it or after it.
    """
    able = [length for length in lengths if length <= total] or [total]
    while made < wanted:
        first = max(0, made - context)
        needed = min(total, wanted + context) - first
        length = next((some for some in able if some >= needed), able[-1])
        low = min(first, total - length)
        stop = total if low + length == total else low + length - context
        yield Call(low, length, stop)
        made = stop


def stop_of(span: Span, start: int, frames: int) -> int:
    """Where a window of about `frames` codec frames ends that begins at acoustic frame `start`:
    never within a pause, which is put where it is quietest; a pause that it can't end before is
    in it whole."""
    stop = min(span.frames, start + frames * FRAMES_PER_CODEC_FRAME)
    pause = next((p for p in span.pauses if p.low < stop < p.high), None)
    if pause is None:
        return stop
    return pause.low if pause.low > start else pause.high
