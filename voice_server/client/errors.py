"""What can go wrong in the SDK; `ClientError` is the one base and the message is for people."""

from __future__ import annotations

from sessions.events import Refused
from voice_server.wire.messages import TakeCancelled, TakeFailed


class ClientError(Exception):
    """Base of all that the SDK raises."""


class ConnectFailed(ClientError):
    """No session could be opened; the message says at which address and why."""


class ConnectionLost(ClientError):
    """The connection has ended. code: the socket's close code, 1006 if it just broke off."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"the connection ended ({code}{': ' if reason else ''}{reason})")
        self.code = code
        self.reason = reason


class ServerFault(ClientError):
    """The server said something that is not the protocol; the connection is closed."""


class RequestRefused(ClientError):
    """The server would not do what was asked.

    code: a stable word for machines. field: what was wrong in the request, if something was.
    """

    def __init__(self, answer: Refused) -> None:
        super().__init__(answer.message)
        self.code = answer.code
        self.field = answer.field


class TakeHasFailed(ClientError):
    """The server failed while it made the take. code: a stable word for machines."""

    def __init__(self, event: TakeFailed) -> None:
        super().__init__(event.error.message)
        self.take_id = event.take_id
        self.code = event.error.code


class TakeWasCancelled(ClientError):
    """The take was cancelled, so it has no result.

    sent_ms: sound that had been sent. heard, rest: its text, as far as it had been played.
    """

    def __init__(self, event: TakeCancelled) -> None:
        super().__init__(f"the take was cancelled after {event.sent_ms:g} ms had been sent")
        self.take_id = event.take_id
        self.sent_ms = event.sent_ms
        self.heard = event.heard
        self.rest = event.rest
