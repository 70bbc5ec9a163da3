"""What a session says back: a closed union. Delivery turns TakeAudio and TakeFinished into packets
and `take.done`; the wire writes the rest as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from engine.types import Int16, Performance, Word


@dataclass(frozen=True, slots=True)
class TakeStarted:
    """`stream` numbers the take's audio frames within the session, from 1."""

    take_id: str
    line_id: str
    stream: int
    kind: str
    voice: str
    text: str
    performance: Performance
    speaker: str | None = None
    scene_id: str | None = None
    parent: str | None = None
    reply_to: str | None = None


@dataclass(frozen=True, slots=True)
class TakeAudio:
    """A window of sound; `start` is its first sample within the take."""

    take_id: str
    stream: int
    start: int
    samples: Int16
    frames: int


@dataclass(frozen=True, slots=True)
class TakeWords:
    """Words whose times have become known."""

    take_id: str
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class TakeFinished:
    """All sound of the take is made. Delivery adds what it measured and sends `take.done`."""

    take_id: str
    stream: int
    samples: int
    performance: Performance
    reply_to: str | None = None


@dataclass(frozen=True, slots=True)
class TakeCancelled:
    """Stopped at the user's word. Delivery knows how much was sent and heard.

    text: all of the take's text, what was appended too; None if it is that of its TakeStarted.
    """

    take_id: str
    stream: int
    played_ms: float | None
    reply_to: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class TakeFailed:
    """The take ended in an error; all it held is free again."""

    take_id: str
    stream: int
    code: str
    message: str
    reply_to: str | None = None


@dataclass(frozen=True, slots=True)
class Warned:
    """Something to know that stops nothing."""

    code: str
    message: str
    take_id: str | None = None
    reply_to: str | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """A command that could not be done; `field` names what was wrong in it."""

    code: str
    message: str
    field: str | None = None
    reply_to: str | None = None


Event: TypeAlias = (
    TakeStarted
    | TakeAudio
    | TakeWords
    | TakeFinished
    | TakeCancelled
    | TakeFailed
    | Warned
    | Refused
)
