"""How to connect: the address and what to ask of the session."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never
from urllib.parse import urlsplit, urlunsplit

from sessions.events import Refused, Warned
from voice_server.client.errors import ClientError, ConnectFailed
from voice_server.client.session_core import Notice, Reports, SessionCore
from voice_server.wire.messages import (
    AudioFormat,
    Encoding,
    FrameMs,
    Resume,
    SessionDraining,
    SessionOpen,
    SessionOpened,
)

PATH = "/v1/session"
CLOSE_S = 5.0
"""How long the server may take to answer `session.close`."""
MAX_BYTES = 16 * 1024 * 1024
"""Of one frame from the server; a longer one is a fault."""
_SCHEMES = {"ws": "ws", "wss": "wss", "http": "ws", "https": "wss"}
log = logging.getLogger("voice_server.client")


def log_notice(notice: Notice) -> None:
    """What becomes of notices where the app names nobody to tell."""
    match notice:
        case Warned() | Refused():
            log.warning("%s: %s", notice.code, notice.message)
        case SessionDraining():
            log.warning("the server goes away in %g ms", notice.time_left_ms)
        case _:
            assert_never(notice)


@dataclass(frozen=True, slots=True)
class Ticket:
    """What lets somebody go on with a session that was left: `session.ticket`, or what
    `POST /v1/sessions` answers to a session's file."""

    session_id: str
    token: str


@dataclass(frozen=True, slots=True)
class Options:
    """See `connect`."""

    format: Encoding = "opus"
    frame_ms: FrameMs = 20
    lead_ms: int | None = None
    reports: Reports = "taken"
    on_notice: Callable[[Notice], None] = log_notice
    open_timeout: float = 15.0
    resume: Ticket | None = None
    leave: bool = False

    def core(self) -> SessionCore:
        audio, ticket = AudioFormat(self.format, self.frame_ms), self.resume
        resume = None if ticket is None else Resume(ticket.session_id, ticket.token)
        return SessionCore(SessionOpen(audio, self.lead_ms, resume), self.reports)

    def check(self, opened: SessionOpened) -> None:
        """Raises ClientError unless it is the session that was asked for, if one was."""
        if self.resume is not None and not opened.resumed:
            name = self.resume.session_id
            raise ClientError(f"session {name} is over, open elsewhere, or its token another one")


def address(url: str) -> str:
    """The socket's address, from one that may be the studio's: http becomes ws, and the path is
    filled in. Raises ConnectFailed for what is no address.
    """
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - reading it is what checks it
    except ValueError as error:
        raise ConnectFailed(f"{url!r} is no address: {error}") from error
    scheme = _SCHEMES.get(parts.scheme)
    if scheme is None or not parts.hostname:
        raise ConnectFailed(f"{url!r} is no address: expected one like ws://127.0.0.1:8765")
    path = parts.path if parts.path.strip("/") else PATH
    return urlunsplit((scheme, parts.netloc, path, parts.query, ""))
