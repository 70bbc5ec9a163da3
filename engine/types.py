"""The values that travel through the engine.

All are frozen. Times are in samples at the family's sample rate, counted from the start of the
take; an `epoch` marks which life of a request an item belongs to, so that stale items can be told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NewType, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError

RequestId = NewType("RequestId", str)
Epoch = NewType("Epoch", int)
Int16 = NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Performance:
    """The numbers a direction came to. Neutral by default.

    rate: pace as a factor, 1 is the voice's own; length is divided by it.
    """

    rate: float = 1.0


@dataclass(frozen=True, slots=True)
class Utterance:
    """What a session asks to hear: one take.

    text: as the user wrote it. more: text will follow by `Request.append`.
    seed: the same words, voice, performance and seed give the same samples.
    """

    request: RequestId
    epoch: Epoch
    text: str
    voice: str
    performance: Performance = Performance()
    seed: int = 0
    more: bool = False


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it is spoken.

    index: counts up through the take. text: as written. start, end: samples from the take's start,
    never going back from one word to the next. span: [from, to) into the take's whole text.
    """

    index: int
    text: str
    start: int
    end: int
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Pcm:
    """One window of sound: `samples` (int16, mono) begin at sample `start` of the take.

    words: those whose times became known with this window.
    """

    request: RequestId
    epoch: Epoch
    start: int
    samples: Int16
    words: tuple[Word, ...] = ()
    frames: int = 0


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should know that does not end the take, such as an unreadable script."""

    request: RequestId
    epoch: Epoch
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The request is complete: `samples` were made in `frames` codec frames. Comes once, last."""

    request: RequestId
    epoch: Epoch
    samples: int
    frames: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The request ended in an error; all it held is free again. Comes once, last."""

    request: RequestId
    epoch: Epoch
    error: EngineError


Output: TypeAlias = Pcm | Notice | Finished | Failed


@dataclass(frozen=True, slots=True)
class Credit:
    """How far sound is wanted, coming up from delivery.

    until: windows may be made while they start before this sample.
    plays_at: monotonic seconds at which sample 0 plays (or would), None before the first packet;
    a window that starts at sample s is due at plays_at + s / sample_rate.
    """

    until: int
    plays_at: float | None = None


@dataclass(frozen=True, slots=True)
class Voice:
    """A voice of the loaded family. language is a BCP 47 tag; gender "female" or "male"."""

    id: str
    name: str
    language: str
    gender: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FamilyInfo:
    """What a loaded family is and can do.

    frame_samples: samples of one codec frame. windows: frames of the first window, of all later
    ones. can: a subset of {"speak", "direct", "edit", "clone"}.
    """

    family: str
    model: str
    sample_rate: int
    frame_samples: int
    windows: tuple[int, int]
    voices: tuple[Voice, ...]
    can: tuple[str, ...]

    @property
    def frame_ms(self) -> float:
        return 1000 * self.frame_samples / self.sample_rate
