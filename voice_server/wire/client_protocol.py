"""The client's end of one connection, sans-IO; the SDK's sync and async twins both drive it.

Write what `open` gives as the first text frame, then feed every frame that comes and act on the
events in order. `received` is what a resume has to tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sessions.events import TakeStarted
from voice_server.wire.audio_frame import AudioFrame
from voice_server.wire.client_encoding import encode_command
from voice_server.wire.client_messages import ClientMessage, SessionOpen
from voice_server.wire.errors import WireError
from voice_server.wire.protocol import State
from voice_server.wire.server_messages import (
    ServerMessage,
    SessionClosed,
    SessionDraining,
    SessionOpened,
    TakeCancelled,
    TakeDone,
    TakeFailed,
)
from voice_server.wire.server_text import Unknown, parse_server


@dataclass(frozen=True, slots=True)
class Fault:
    """The server broke the protocol; close with 4400 and tell the user."""

    code: str
    message: str


ClientReceived: TypeAlias = ServerMessage | AudioFrame | Unknown | Fault


class ClientProtocol:
    """One connection, seen from the client.

    For a resume give a new one the `session.open` that carries it; packets that come twice are
    dropped, and one that is missing is a Fault.
    """

    def __init__(self, opening: SessionOpen) -> None:
        self._opening = opening
        self._state = State.AWAITING_OPEN
        self._received = dict(opening.resume.received) if opening.resume else {}
        self._streams: dict[str, int] = {}

    @property
    def state(self) -> State:
        return self._state

    @property
    def is_open(self) -> bool:
        """Whether anything may be sent."""
        return self._state in (State.OPEN, State.DRAINING)

    @property
    def received(self) -> Mapping[int, int]:
        """The last seq that came of each stream still open, for `Resume.received`."""
        return dict(self._received)

    def open(self) -> str:
        """The first text frame to write."""
        return encode_command(self._opening)

    def send(self, message: ClientMessage) -> str:
        """The text frame of a message. Raises WireError `not_open` before the server opened."""
        if not self.is_open:
            raise WireError("not_open", f"the session is {self._state.value}")
        return encode_command(message)

    def receive_text(self, data: str | bytes) -> list[ClientReceived]:
        """Takes one text frame: the message in it, typed, or a Fault."""
        try:
            message = parse_server(data)
        except WireError as error:
            return [Fault(error.code, error.message)]
        self._follow(message)
        return [message]

    def receive_binary(self, data: bytes) -> list[ClientReceived]:
        """Takes one binary frame: its audio, nothing if it came before, or a Fault."""
        try:
            frame = AudioFrame.unpack(data)
        except WireError as error:
            return [Fault(error.code, error.message)]
        expected = self._received.get(frame.stream, -1) + 1
        if frame.seq < expected:
            return []
        if frame.seq > expected:
            message = f"stream {frame.stream}: expected packet {expected}, got {frame.seq}"
            return [Fault("packet_missing", message)]
        self._received[frame.stream] = frame.seq
        return [frame]

    def _follow(self, message: ServerMessage | Unknown) -> None:
        match message:
            case SessionOpened():
                self._state = State.OPEN
            case SessionDraining():
                self._state = State.DRAINING
            case SessionClosed():
                self._state = State.CLOSED
            case TakeStarted():
                self._streams[message.take_id] = message.stream
            case TakeDone() | TakeCancelled() | TakeFailed():
                self._received.pop(self._streams.pop(message.take_id, -1), None)
            case _:
                pass
