"""What the talker hands to code2wav. Knows neither torch nor transformers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.types import ClauseScore

Codes: TypeAlias = NDArray[np.int64]

CODEBOOKS: Final = 16
"""Codes of a frame."""
SAMPLE_RATE: Final = 24_000
FRAME: Final = 1920
"""Samples of a frame, 80 ms."""
LATE: Final = 555
"""Samples that the first frame's sound is short of a frame: each transposed convolution drops its
first block. Frame f of a take ends at sample FRAME * (f + 1) - LATE."""

FIRST: Final = 4
LATER: Final = 10
"""Frames of a take's first window, at most of all later ones."""
SIZES: Final = (FIRST, 6, LATER)


@dataclass(frozen=True, slots=True)
class WordFrames:
    """A word and the codec frames [start, end) of the take in which it is said.

    index: counts up through the take. span: [from, to) into the take's whole text.
    """

    index: int
    text: str
    start: int
    end: int
    span: tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class CodeFrames:
    """The next frames of a take, to be decoded.

    codes: int64 [n, CODEBOOKS], each within its codebook; none where only words are told. words:
    those whose times became known with these frames.
    """

    codes: Codes
    words: tuple[WordFrames, ...] = ()


@dataclass(frozen=True, slots=True)
class KeptFrames:
    """Frames [start, end) of the parent's take, whose sound goes out as the parent's samples are.

    It comes first if at all, and start is 0. words: those said in them.
    """

    start: int
    end: int
    words: tuple[WordFrames, ...] = ()


TalkerOutput: TypeAlias = CodeFrames | KeptFrames


def pack(codes: Codes) -> bytes:
    """Codes [n, CODEBOOKS] as the notes of a score."""
    return codes.astype("<u2").tobytes()


def unpack(notes: bytes) -> Codes:
    """Codes [n, CODEBOOKS] that `pack` put into notes. Raises ValueError for any other bytes."""
    return np.frombuffer(notes, "<u2").reshape(-1, CODEBOOKS).astype(np.int64)


def codes_of(scores: tuple[ClauseScore, ...]) -> Codes:
    """All codes [frames, CODEBOOKS] of a take of this family, from its scores in order."""
    return np.concatenate([np.empty((0, CODEBOOKS), np.int64), *(unpack(s.notes) for s in scores)])


def samples_before(frame: int) -> int:
    """Samples that the first `frame` frames of a take come to."""
    return max(0, FRAME * frame - LATE)
