"""What the server says: the closed union, and the `type` that each has on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from engine.types import Performance, Voice, Word
from sessions.events import (
    Recognised,
    Refused,
    SceneDone,
    SceneStarted,
    TakeKept,
    TakeStarted,
    Warned,
)
from voice_server.wire.client_messages import Encoding, FrameMs
from voice_server.wire.limits import Limits

ErrorMessage: TypeAlias = Refused
WarningMessage: TypeAlias = Warned


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """The loaded family. frame_ms: one codec frame. can: what `speak` and its kin may ask of it."""

    family: str
    model: str
    frame_ms: float
    can: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AudioInfo:
    """How sound comes: pre_skip samples (at sample_rate) come off the front once a take."""

    format: Encoding
    sample_rate: int
    channels: int
    pre_skip: int
    frame_ms: FrameMs


@dataclass(frozen=True, slots=True)
class SessionOpened:
    """The answer to `session.open`. resumed: whether what `resume` named was picked up."""

    session_id: str
    token: str
    resumed: bool
    limits: Limits
    voices: tuple[Voice, ...]
    engine: EngineInfo
    audio: AudioInfo
    reply_to: str | None = None


@dataclass(frozen=True, slots=True)
class WordTime:
    """A word in milliseconds from the take's start; span: [from, to) into the take's text."""

    index: int
    text: str
    start_ms: float
    end_ms: float
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class TakeWords:
    """Words whose times became known; they come no later than the audio they speak of."""

    take_id: str
    words: tuple[WordTime, ...]


@dataclass(frozen=True, slots=True)
class Underruns:
    """Time in which the listener had nothing to play; source says by whose clock."""

    count: int
    total_ms: float
    longest_ms: float
    source: Literal["server", "player"]


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a take, from start_ms up to end_ms."""

    start_ms: float
    end_ms: float


@dataclass(frozen=True, slots=True)
class Made:
    """How a take was made, for whoever measures.

    frames_ms: from the command read until the first window began to be decoded, as its frames were
    there; None where that was not noted. windows: codec frames of each window in order, of the
    first 64. held_ms: from the first packet made to the first written; None for a take that is
    heard after another, whose packets wait for its turn.
    """

    frames_ms: float | None
    windows: tuple[int, ...]
    held_ms: float | None


@dataclass(frozen=True, slots=True)
class TakeDone:
    """The take is whole and sent. first_audio_ms and rtf are None for a take without sound.

    The command read is the moment at which the server had read the frame that asked for the take
    from the socket; for one opened with `more` and no text, the frame that brought the first text;
    for a line of a scene after the first, the moment at which its turn to be made had come.

    first_audio_ms: from the command read to the first packet written; of a take that is heard
    after another, to the first packet made. rtf: from the command read to all sound made, over the
    sound's duration; waiting for the listener is left out of it. queued_ms: from the command read
    until the engine had it, which is in both; 0 where it did not wait its turn. made: absent where
    there is no sound. changed: for a take with a parent, the spans that are not the parent's sound;
    absent where all of it is new. heard: of an edit, what a recogniser made of the changed words;
    absent where none could listen.
    """

    take_id: str
    samples: int
    duration_ms: float
    first_audio_ms: float | None
    rtf: float | None
    underruns: Underruns
    performance: Performance
    changed: tuple[Span, ...] | None = None
    reply_to: str | None = None
    heard: Recognised | None = None
    queued_ms: float = 0.0
    made: Made | None = None


@dataclass(frozen=True, slots=True)
class TakeCancelled:
    """Not one more packet of the take comes.

    heard + rest is the take's text; both are None where the client did not say what it played.
    """

    take_id: str
    sent_ms: float
    heard: str | None = None
    rest: str | None = None
    reply_to: str | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a take failed: a stable code, and words for people."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class TakeFailed:
    """The take is over; what it held is free again."""

    take_id: str
    error: Failure
    reply_to: str | None = None


@dataclass(frozen=True, slots=True)
class SessionDraining:
    """The server is going away: no new take starts, and in time_left_ms the session ends."""

    time_left_ms: float


@dataclass(frozen=True, slots=True)
class Pong:
    """The answer to `ping`."""

    reply_to: str | None = None


@dataclass(frozen=True, slots=True)
class SessionClosed:
    """The session is over for good."""

    reply_to: str | None = None


ServerMessage: TypeAlias = (
    SessionOpened
    | TakeStarted
    | TakeWords
    | TakeDone
    | TakeCancelled
    | TakeFailed
    | TakeKept
    | SceneStarted
    | SceneDone
    | WarningMessage
    | ErrorMessage
    | SessionDraining
    | Pong
    | SessionClosed
)

SERVER_TYPES: Final[Mapping[str, type[ServerMessage]]] = {
    "session.opened": SessionOpened,
    "take.started": TakeStarted,
    "take.words": TakeWords,
    "take.done": TakeDone,
    "take.cancelled": TakeCancelled,
    "take.failed": TakeFailed,
    "take.kept": TakeKept,
    "scene.started": SceneStarted,
    "scene.done": SceneDone,
    "warning": Warned,
    "error": Refused,
    "session.draining": SessionDraining,
    "pong": Pong,
    "session.closed": SessionClosed,
}


def milliseconds(samples: int, sample_rate: int) -> float:
    """Samples as milliseconds, to a microsecond: fine enough to give the samples back."""
    return round(1000 * samples / sample_rate, 3)


def word_times(words: tuple[Word, ...], sample_rate: int) -> tuple[WordTime, ...]:
    """The engine's words, in samples, as the wire has them."""
    return tuple(
        WordTime(
            word.index,
            word.text,
            milliseconds(word.start, sample_rate),
            milliseconds(word.end, sample_rate),
            word.span,
        )
        for word in words
    )
