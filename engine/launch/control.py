"""What a supervisor and a process of stages say to each other beside the work: few small words on
a socket that both hold from the start. Its end is how either knows that the other is gone."""

from __future__ import annotations

import pickle
import socket
import struct
from collections import deque
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from engine.errors import EngineError
from engine.messages import StageAddress
from engine.stats import WindowStats
from engine.transport.node import Origin

_HEAD = struct.Struct("<IB")
_MOST = 4
"""Descriptors that one word can bring."""


@dataclass(frozen=True, slots=True)
class Start:
    """The first word: a descriptor of the pickled `Assignment`, and that of the page of figures."""


@dataclass(frozen=True, slots=True)
class Join:
    """A peer to talk to; brings the arenas to it and from it."""

    peer: Origin
    endpoint: str


@dataclass(frozen=True, slots=True)
class Stop:
    """All stages are idle: end."""


@dataclass(frozen=True, slots=True)
class Ready:
    """Every runner is made and the process can be sent to. windows: what they cost the stages that
    make them; later only the factor changes, which is on the page."""

    windows: tuple[tuple[StageAddress, WindowStats], ...] = ()


@dataclass(frozen=True, slots=True)
class Joined:
    """The answer to `Join`."""

    peer: Origin


@dataclass(frozen=True, slots=True)
class Broken:
    """The last word of a process that can't go on."""

    error: EngineError


@dataclass(frozen=True, slots=True)
class Lost:
    """What was to go to this peer could not be brought there. Said only where that can happen
    though both are alive."""

    peer: Origin


@dataclass(frozen=True, slots=True)
class Said:
    """A line for the log, of a process that has no terminal in common with its supervisor. level,
    name: of its logger."""

    level: int
    name: str
    text: str


Word: TypeAlias = Start | Join | Stop | Ready | Joined | Broken | Lost | Said


@dataclass(frozen=True, slots=True)
class PeerGone:
    """Sent among the work and in order with it: a process died, with these stages."""

    peer: Origin
    stages: tuple[StageAddress, ...]
    error: EngineError


class Ear(Protocol):
    """The end of a process of stages."""

    def send(self, word: Word) -> None:
        """Raises OSError when the other end is gone."""
        ...

    def receive(self) -> tuple[Word, tuple[int, ...]] | None:
        """The next word and the descriptors that came with it; None at the end."""
        ...


class Control:
    """One end. `receive` blocks, `read` never does; use one of them."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self._bytes = bytearray()
        self._descriptors: deque[int] = deque()

    def send(self, word: Word, descriptors: tuple[int, ...] = ()) -> None:
        """Raises OSError when the other end is gone."""
        payload = pickle.dumps(word, 5)
        frame = _HEAD.pack(len(payload), len(descriptors)) + payload
        if descriptors:
            socket.send_fds(self.socket, [frame], descriptors)
        else:
            self.socket.sendall(frame)

    def receive(self) -> tuple[Word, tuple[int, ...]] | None:
        """The next word and the descriptors that came with it; None at the end."""
        while (found := self._next()) is None:
            if not self._fill():
                return None
        return found

    def read(self) -> list[Word] | None:
        """The words that are there; None at the end."""
        try:
            alive = self._fill()
        except BlockingIOError:
            return []
        words: list[Word] = []
        while (found := self._next()) is not None:
            words.append(found[0])
        return words if alive or words else None

    def close(self) -> None:
        self.socket.close()

    def _fill(self) -> bool:
        try:
            data, descriptors, _, _ = socket.recv_fds(self.socket, 65_536, 16 * _MOST)
        except ConnectionResetError:
            return False
        self._bytes += data
        self._descriptors.extend(descriptors)
        return bool(data)

    def _next(self) -> tuple[Word, tuple[int, ...]] | None:
        if len(self._bytes) < _HEAD.size:
            return None
        length, count = _HEAD.unpack_from(self._bytes)
        if len(self._bytes) < _HEAD.size + length:
            return None
        word: Word = pickle.loads(self._bytes[_HEAD.size : _HEAD.size + length])
        del self._bytes[: _HEAD.size + length]
        return word, tuple(self._descriptors.popleft() for _ in range(count))
