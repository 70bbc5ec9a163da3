"""Errors of the sessions; `SessionError` is the one base, and `code` is what the wire says."""

from __future__ import annotations


class SessionError(Exception):
    """Base of all that a session can refuse.

    `code` is a stable word for machines, `field` the field of the message that was wrong, if one
    was; the message is for people.
    """

    code = "session_error"

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class UnknownTake(SessionError):
    """No take of that name, or one so long over that it is forgotten."""

    code = "unknown_take"


class UnknownLine(SessionError):
    """No line of that name, or one so old that it is forgotten."""

    code = "unknown_line"


class UnknownVoice(SessionError):
    """No voice of that name; the message lists those that are near."""

    code = "unknown_voice"


class WrongState(SessionError):
    """The take is there, but this can't be done to it any more."""

    code = "wrong_state"


class TooLong(SessionError):
    """More text than the limits allow."""

    code = "too_long"


class TooMany(SessionError):
    """More takes at once than one session may have."""

    code = "too_many_takes"


class Busy(SessionError):
    """Neither capacity nor a place in the queue; try again later."""

    code = "busy"


class SessionsFull(SessionError):
    """As many sessions as may be; try again later."""

    code = "full"


class SessionInUse(SessionError):
    """Somebody has the session open."""

    code = "session_in_use"


class Draining(SessionError):
    """The server is about to stop and begins nothing new."""

    code = "draining"


class Unsupported(SessionError):
    """The loaded voice can't do it; the message says what it can."""

    code = "unsupported"


class SessionOver(SessionError):
    """The session was closed meanwhile."""

    code = "session_over"
