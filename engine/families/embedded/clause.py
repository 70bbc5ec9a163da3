"""What goes from thinker to talker and from talker to code2wav. A clause is what one call of the
model says: a sentence, or a part of a long one.

"Frame" in these values is the acoustic frame, 25 ms or 600 samples; three make a codec frame.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.families.embedded.compute import Array
from engine.families.embedded.levers import Directed
from engine.families.embedded.notes import Notes
from engine.types import ClauseScore, Word

Float = NDArray[np.float32]

SAMPLE_RATE = 24_000
#: Samples of an acoustic frame; acoustic frames of a codec frame.
HOP = 600
FRAMES_PER_CODEC_FRAME = 3


@dataclass(frozen=True, slots=True)
class Silence:
    """`samples` of silence put into acoustic frames [low, high) of a clause, which lie between two
    words; just where is decided when they have been decoded."""

    low: int
    high: int
    samples: int


@dataclass(frozen=True, slots=True)
class Span:
    """Where a clause stands: it begins at sample `start` of the take, and of its `frames` acoustic
    frames the first `skip` (silence) are not played. pauses: in order, apart."""

    voice: str
    start: int
    skip: int
    frames: int
    pauses: tuple[Silence, ...] = ()

    @property
    def samples(self) -> int:
        return self.sample(self.frames) - self.start

    def sample(self, frame: int) -> int:
        """Where an acoustic frame begins in the take. Inside a pause's frames: before the pause."""
        paused = sum(pause.samples for pause in self.pauses if pause.high <= frame)
        return self.start + (frame - self.skip) * HOP + paused


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """What a clause is read from. chars: [from, to) of its text in the take's. phonemes: padding
    not counted. row: of the voice's styles. durations: acoustic frames of each token [n], padding
    counted. marks: tokens [from, to) of each word."""

    chars: tuple[int, int]
    phonemes: str
    row: int
    durations: Float
    marks: tuple[tuple[int, int], ...]

    def edges(self) -> list[int]:
        """Frames at which tokens begin and end [n + 1]."""
        return [0, *np.cumsum(self.durations).astype(int).tolist()]


@dataclass(frozen=True, slots=True)
class Splice:
    """Tokens [old_start, old_stop) of the old clause that become [start, stop) of the new one."""

    old_start: int
    old_stop: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """How a clause is made from one of the parent's. splices: in order and apart. notes: of the old
    clause, which begins at sample `at` of the parent's sound and has `samples`; its first `copied`
    have been handed on already, with its first `words` words."""

    splices: tuple[Splice, ...]
    notes: Notes
    at: int
    samples: int
    copied: int
    words: int


@dataclass(frozen=True, slots=True, eq=False)
class Copied:
    """Samples [start, stop) of the parent's sound as they are. words: in the parent's time, but
    numbered and spanned as in the new take. score: of the clause that ends here, likewise; its
    start is in the parent's time too."""

    start: int
    stop: int
    words: tuple[Word, ...]
    score: ClauseScore | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Thinker to talker: tokens with word marks, and how long each token lasts.

    tokens: int64 [1, n], padded by one 0 on both sides. style: [1, 256]. durations: acoustic
    frames, float [1, n]. hidden: what the durations graph made that prosody needs too. directed:
    None where all is neutral. softer: style [1, 256] of the softer timbre, where it is wanted.
    patch: None where the clause is made whole.
    """

    span: Span
    tokens: NDArray[np.int64]
    style: Float
    durations: Float
    hidden: dict[str, Array]
    words: tuple[Word, ...]
    sheet: Sheet
    directed: Directed | None = None
    softer: Float | None = None
    patch: Patch | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A clause's own norm statistics [1, S, 1]; see `norms`. generator: None where they are to be
    predicted; else the clause was decoded to know them, and its neutral sound is `wave` [600 T]."""

    low: Float
    generator: Float | None = None
    wave: Float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """Talker to code2wav: all acoustic frames of a clause.

    features: [512, T]. f0 (Hz, 0 where unvoiced) and energy: [2 T]. style: [1, 256]. pooled: sums
    that its norm statistics are predicted from. measured: where it is too short for that. words,
    sheet, directed, softer, patch: as in the plan.
    """

    span: Span
    features: Float
    f0: Float
    energy: Float
    style: Float
    pooled: Float
    sheet: Sheet
    measured: Measured | None = None
    words: tuple[Word, ...] = ()
    directed: Directed | None = None
    softer: Float | None = None
    patch: Patch | None = None
