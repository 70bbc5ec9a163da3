"""The server's end of one connection as a state machine, sans-IO: frames and times in, events out.

Whoever drives it feeds every frame that came to `receive_text` or `receive_binary`, calls `tick`
at `deadline`, and does what the events say, in order: hand an `Accepted` message on, write an
`Answer`, and after a `Close` read no more and close the socket once what was written is out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Final, TypeAlias

from voice_server.wire.client_messages import ClientMessage, Ping, SessionClose, SessionOpen
from voice_server.wire.client_parsing import Parsed, parse_client
from voice_server.wire.errors import WireError
from voice_server.wire.limits import Limits
from voice_server.wire.messages import (
    Append,
    Cancel,
    Direct,
    Edit,
    Finish,
    Keep,
    Perform,
    Playback,
    Speak,
)
from voice_server.wire.server_messages import (
    Pong,
    ServerMessage,
    SessionClosed,
    SessionDraining,
    WarningMessage,
)
from voice_server.wire.throttle import Throttle

SUBPROTOCOL: Final = "voice.v1"
_NAMED: Final = 16
"""Unknown fields that the one warning names; the rest are counted."""


class State(Enum):
    """Where a connection stands; the value reads as words."""

    AWAITING_OPEN = "awaiting session.open"
    OPEN = "open"
    DRAINING = "draining"
    CLOSED = "closed"


class CloseCode(IntEnum):
    """Why a socket is closed, as the protocol numbers it."""

    DONE = 1000
    NOT_ALLOWED = 1008
    TOO_LARGE = 1009
    OUR_FAULT = 1011
    RESTARTING = 1012
    FULL = 1013
    NOT_OUR_PROTOCOL = 4400


@dataclass(frozen=True, slots=True)
class Accepted:
    """A message that is in order here: hand it on."""

    message: ClientMessage


@dataclass(frozen=True, slots=True)
class Answer:
    """Write this to the client."""

    message: ServerMessage


@dataclass(frozen=True, slots=True)
class Close:
    """Read no more; write what is waiting, then close the socket with `code`."""

    code: CloseCode
    reason: str


Received: TypeAlias = Accepted | Answer | Close

_TABLE: Final[Mapping[State, Mapping[type[ClientMessage], State]]] = {
    State.AWAITING_OPEN: {
        SessionOpen: State.OPEN,
        Ping: State.AWAITING_OPEN,
        SessionClose: State.CLOSED,
    },
    State.OPEN: {
        Speak: State.OPEN,
        Append: State.OPEN,
        Finish: State.OPEN,
        Cancel: State.OPEN,
        Playback: State.OPEN,
        Direct: State.OPEN,
        Edit: State.OPEN,
        Keep: State.OPEN,
        Perform: State.OPEN,
        Ping: State.OPEN,
        SessionClose: State.CLOSED,
    },
    State.DRAINING: {
        Append: State.DRAINING,
        Finish: State.DRAINING,
        Cancel: State.DRAINING,
        Playback: State.DRAINING,
        Keep: State.DRAINING,
        Ping: State.DRAINING,
        SessionClose: State.CLOSED,
    },
    State.CLOSED: {},
}
"""Which message may come in which state, and the state that follows; all else is refused."""


class ServerProtocol:
    """One connection. `now` is monotonic seconds, everywhere."""

    def __init__(self, limits: Limits, now: float) -> None:
        self._limits = limits
        self._state = State.AWAITING_OPEN
        self._open_by = now + limits.open_s
        self._warned = False
        self._throttle = Throttle(limits.messages_per_s, limits.messages_burst, now)

    @property
    def state(self) -> State:
        return self._state

    def deadline(self) -> float | None:
        """When to call `tick` at the latest; None when nothing waits for a time."""
        return self._open_by if self._state is State.AWAITING_OPEN else None

    def tick(self, now: float) -> list[Received]:
        """Closes a connection whose `session.open` has not come in time."""
        deadline = self.deadline()
        if deadline is None or now < deadline:
            return []
        return self._close(
            CloseCode.NOT_OUR_PROTOCOL, f"no session.open within {self._limits.open_s:g} s"
        )

    def pause(self, now: float) -> float:
        """Seconds to wait before reading the next frame: a flood is slowed, not lost."""
        return self._throttle.pause(now)

    def receive_text(self, data: str | bytes, now: float) -> list[Received]:
        """Takes one text frame, whole. Do what the events say, then wait `pause` and read on."""
        if self._state is State.CLOSED:
            return []
        self._throttle.count(now)
        if _larger(data, self._limits.message_bytes):
            return self._too_large()
        try:
            parsed = parse_client(data, self._limits)
            return self._warning(parsed) + self._take(parsed.message)
        except WireError as error:
            return [Answer(error.answer())]

    def receive_binary(self, data: bytes, now: float) -> list[Received]:
        """Takes one binary frame. Clients have none to send yet, so an error answers it."""
        if self._state is State.CLOSED:
            return []
        self._throttle.count(now)
        if len(data) > self._limits.message_bytes:
            return self._too_large()
        message = "expected JSON in a text frame; clients send no binary frames"
        return [Answer(WireError("unexpected_binary", message).answer())]

    def drain(self, time_left_ms: float) -> list[Received]:
        """The server is going away: from now on no new take is accepted.

        When the time is over, or all takes are, the caller calls `close` with RESTARTING.
        """
        match self._state:
            case State.AWAITING_OPEN:
                return self._close(CloseCode.RESTARTING, "restarting")
            case State.OPEN:
                self._state = State.DRAINING
                return [Answer(SessionDraining(time_left_ms))]
            case State.DRAINING | State.CLOSED:
                return []

    def close(self, code: CloseCode, reason: str) -> list[Received]:
        """Ends the connection from our side. Whatever still comes in is ignored."""
        return [] if self._state is State.CLOSED else self._close(code, reason)

    def _take(self, message: ClientMessage) -> list[Received]:
        following = _TABLE[self._state].get(type(message))
        if following is None:
            raise _out_of_order(self._state, message)
        self._state = following
        match message:
            case Ping():
                return [Answer(Pong(message.id))]
            case SessionClose():
                closed = Answer(SessionClosed(message.id))
                return [Accepted(message), closed, Close(CloseCode.DONE, "session closed")]
            case _:
                return [Accepted(message)]

    def _warning(self, parsed: Parsed) -> list[Received]:
        if self._warned or not parsed.unknown:
            return []
        self._warned = True
        named = ", ".join(path[:100] for path in parsed.unknown[:_NAMED])
        more = len(parsed.unknown) - _NAMED
        message = f"unknown fields were ignored: {named}" + (f" and {more} more" * (more > 0))
        return [Answer(WarningMessage("unknown_fields", message, reply_to=parsed.message.id))]

    def _too_large(self) -> list[Received]:
        message = f"a frame of more than {self._limits.message_bytes} bytes"
        answer = Answer(WireError("too_large", message).answer())
        return [answer, *self._close(CloseCode.TOO_LARGE, message)]

    def _close(self, code: CloseCode, reason: str) -> list[Received]:
        self._state = State.CLOSED
        return [Close(code, reason)]


def _out_of_order(state: State, message: ClientMessage) -> WireError:
    if state is State.AWAITING_OPEN:
        return WireError("not_open", "expected session.open first", "type", message.id)
    if isinstance(message, SessionOpen):
        return WireError("already_open", "this session is open already", "type", message.id)
    return WireError("draining", "the server is restarting: no new takes", "type", message.id)


def _larger(data: str | bytes, most: int) -> bool:
    """Whether the frame is larger than `most` bytes of UTF-8; counts bytes only where it must."""
    if isinstance(data, bytes) or data.isascii() or len(data) > most:
        return len(data) > most
    return 4 * len(data) > most and len(data.encode(errors="surrogatepass")) > most
