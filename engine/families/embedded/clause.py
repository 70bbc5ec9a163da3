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
from engine.types import Word

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
class Plan:
    """Thinker to talker: tokens with word marks, and how long each token lasts.

    tokens: int64 [1, n], padded by one 0 on both sides. style: [1, 256]. durations: acoustic
    frames, float [1, n]. hidden: what the durations graph made that prosody needs too. directed:
    None where all is neutral. softer: style [1, 256] of the softer timbre, where it is wanted.
    """

    span: Span
    tokens: NDArray[np.int64]
    style: Float
    durations: Float
    hidden: dict[str, Array]
    words: tuple[Word, ...]
    directed: Directed | None = None
    softer: Float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """Talker to code2wav: acoustic frames [at, at + n) of a clause.

    features: [512, n]. f0 (Hz, 0 where unvoiced) and energy: [2 n]. style: [1, 256]. pooled: sums
    over the whole clause that its norm statistics are predicted from. words: those of the clause,
    with its first frames only. directed, softer: as in the plan.
    """

    span: Span
    at: int
    features: Float
    f0: Float
    energy: Float
    style: Float
    pooled: Float
    words: tuple[Word, ...] = ()
    directed: Directed | None = None
    softer: Float | None = None

    @property
    def count(self) -> int:
        return int(self.features.shape[1])
