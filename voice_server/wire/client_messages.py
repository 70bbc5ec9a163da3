"""What a client may say: the closed union. The commands themselves are the sessions' own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from sessions.commands import Command

Encoding: TypeAlias = Literal["opus", "pcm16"]
FrameMs: TypeAlias = Literal[20, 40, 60]
ENCODINGS: Final[tuple[Encoding, ...]] = ("opus", "pcm16")
FRAME_MS: Final[tuple[FrameMs, ...]] = (20, 40, 60)


@dataclass(frozen=True, slots=True)
class AudioFormat:
    """How sound comes to this client: the packets' encoding and their length in milliseconds."""

    format: Encoding = "opus"
    frame_ms: FrameMs = 20


@dataclass(frozen=True, slots=True)
class Resume:
    """Picks up a session after a drop. received: the last seq that came, by stream."""

    session_id: str
    token: str
    received: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SessionOpen:
    """The first message. lead_ms: how far ahead of the listener sound may be sent."""

    audio: AudioFormat = AudioFormat()
    lead_ms: int | None = None
    resume: Resume | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class SessionClose:
    """Ends the session for good."""

    id: str | None = None


@dataclass(frozen=True, slots=True)
class Ping:
    """Answered with `pong`."""

    id: str | None = None


ClientMessage: TypeAlias = SessionOpen | SessionClose | Ping | Command
