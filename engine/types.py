"""The values that travel through the engine.

All are frozen. Times are in samples at the family's sample rate, counted from the start of the
take; an `epoch` marks which life of a request an item belongs to, so that stale items can be told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NewType, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError

RequestId = NewType("RequestId", str)
Epoch = NewType("Epoch", int)
Int16 = NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Levers:
    """How something is said, as numbers; neutral by default.

    rate: pace as a factor, length is divided by it. vowels: length of vowels alone, a factor.
    pitch: shift of F0 in semitones. range: of F0 about its median in log, a factor. ending: rise
    (or fall, if negative) in semitones over the last voiced sounds. slope: semitones that F0 gains
    from the first word to the last, on top of the voice's own. tilt: shelf over 1.5 kHz in dB.
    gain: in dB. breath: share of breathy sound mixed in, 0 to 0.25. soft: share of a softer timbre,
    0 to 0.3. tremor: depth of a trembling F0 in semitones, at `tremor_hz`. whisper: no voicing.
    emphasis: strength of stress, 1 is plain; only where it is said of words.
    """

    rate: float = 1.0
    vowels: float = 1.0
    pitch: float = 0.0
    range: float = 1.0
    ending: float = 0.0
    slope: float = 0.0
    tilt: float = 0.0
    gain: float = 0.0
    breath: float = 0.0
    soft: float = 0.0
    tremor: float = 0.0
    tremor_hz: float = 5.5
    whisper: bool = False
    emphasis: float = 0.0


@dataclass(frozen=True, slots=True)
class Part:
    """Characters [from, to) of the take's whole text that are said otherwise than the rest; where
    parts overlap, the later one holds."""

    span: tuple[int, int]
    levers: Levers


@dataclass(frozen=True, slots=True)
class Pause:
    """Silence of `seconds` before the word that begins at or after character `at`, on top of the
    voice's own there. 0: within a clause the voice's own goes too; between clauses it stays."""

    at: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Performance(Levers):
    """The numbers a direction came to: levers of the whole take, of parts of it, and pauses."""

    parts: tuple[Part, ...] = ()
    pauses: tuple[Pause, ...] = ()


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
class Change:
    """Characters [from, to) of the parent's text, `old`, become [from, to) of the new text, `new`.

    Changes are in order and apart; outside them both texts are equal. A change whose words are the
    same is made again because their levers differ.
    """

    old: tuple[int, int]
    new: tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class ClauseScore:
    """What a family needs to make parts of a clause again.

    span: [from, to) of its text in the take's whole text. start, samples: where its sound is in the
    take. notes: durations, curves and the like, in the family's own format.
    """

    span: tuple[int, int]
    start: int
    samples: int
    words: tuple[Word, ...]
    notes: bytes


@dataclass(frozen=True, slots=True, eq=False)
class Parent:
    """The take that a new one differs from: samples is all its sound, scores all its clauses in
    order, performance what it was said with."""

    text: str
    samples: Int16
    scores: tuple[ClauseScore, ...]
    performance: Performance


@dataclass(frozen=True, slots=True)
class Utterance:
    """What a session asks to hear: one take.

    text: as the user wrote it. more: text will follow by `Request.append`.
    seed: the same words, voice, performance and seed give the same samples.
    parent: with it, everything outside `changes` is the parent's sound sample for sample; an
    utterance with a parent has no `more`.
    direction: the plain words that `performance` was understood from, for families that read words.
    before: texts of the lines that are heard before this one, the nearest last.
    directions: what the takes that this one comes from were asked for with, the oldest first.
    earlier: the take that is said otherwise, where nothing of it is kept (else it is the parent);
    only for families that listen.
    """

    request: RequestId
    epoch: Epoch
    text: str
    voice: str
    performance: Performance = Performance()
    seed: int = 0
    more: bool = False
    parent: Parent | None = None
    changes: tuple[Change, ...] = ()
    direction: str | None = None
    before: tuple[str, ...] = ()
    directions: tuple[str, ...] = ()
    earlier: Parent | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """Text that follows what an utterance began with; `parts` and `pauses` of it are at characters
    of the take's whole text, and join those of its performance."""

    text: str
    parts: tuple[Part, ...] = ()
    pauses: tuple[Pause, ...] = ()

    def of(self, performance: Performance) -> Performance:
        """The performance with what this passage adds to it."""
        return replace(
            performance,
            parts=(*performance.parts, *self.parts),
            pauses=(*performance.pauses, *self.pauses),
        )


@dataclass(frozen=True, slots=True)
class Pcm:
    """One window of sound: `samples` (int16, mono) begin at sample `start` of the take.

    words: those whose times became known with this window. frames: codec frames in it. scores:
    of the clauses that end with it; after the last window a take has the scores of all its clauses,
    in order. changed: for a take with a parent, the spans [from, to) of the take's samples that lie
    in this window and are not the parent's. hold: seconds, from when it was made, before which it
    must not be played, as what follows would come too late. began: monotonic seconds, by the
    server's clock, at which its decoding began; None where nobody noted it.
    """

    request: RequestId
    epoch: Epoch
    start: int
    samples: Int16
    words: tuple[Word, ...] = ()
    frames: int = 0
    scores: tuple[ClauseScore, ...] = ()
    changed: tuple[tuple[int, int], ...] = ()
    hold: float = 0.0
    began: float | None = None


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

    frame_samples: samples of a codec frame. can: a subset of {"speak", "direct", "edit", "clone"}.
    embeddings: speaker embeddings by voice id, all of one length, of which only the angles between
    them mean anything: small where voices sound alike. Voices whose sound nobody measured have
    none. listens: whether it hears the take that is directed. reads: whether it is told directions
    in the words they were given in, and so does with them more than their performance comes to.
    """

    family: str
    model: str
    sample_rate: int
    frame_samples: int
    voices: tuple[Voice, ...]
    can: tuple[str, ...]
    embeddings: Mapping[str, tuple[float, ...]] = field(
        default_factory=dict, repr=False, hash=False
    )
    listens: bool = False
    reads: bool = False

    @property
    def frame_ms(self) -> float:
        return 1000 * self.frame_samples / self.sample_rate
