"""One process's end of all its connections to the other processes of an engine on this host.

A process receives on one socket, and sends to each peer on a socket of its own, so what one sends
to another stays in order. Large arrays go through an arena for each direction (see `arena`).

A peer is known by its number and by how often it was started. What comes from one that is not the
peer of now, such as the last words of one that died, is let fall here and nowhere else.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
import tempfile
import threading
import time
import uuid
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Final

import zmq

from engine.errors import StageFailed
from engine.transport.arena import INLINE_BYTES, ArenaReader, ArenaWriter, Block

PROCESS: Final = 0xFFFF
"""The address of a process itself; smaller numbers are of its stages."""
_HEAD: Final = struct.Struct("<HIHHd")
_BLOCK: Final = struct.Struct("<IQQ")


@dataclass(frozen=True, slots=True)
class Origin:
    """A process: its number in the engine, and how often it had been started before."""

    number: int
    starts: int = 0


@dataclass(frozen=True, slots=True)
class Envelope:
    """A message that came. to: the stage's number, or PROCESS. sent: monotonic seconds, which all
    processes of a host share. size: bytes, arrays included."""

    origin: Origin
    to: int
    sent: float
    size: int
    message: object


@dataclass(slots=True)
class _Peer:
    origin: Origin
    socket: zmq.Socket[bytes]
    writer: ArenaWriter
    reader: ArenaReader
    lock: threading.Lock


class Node:
    """Sends from any thread; receives, connects and drops from one.

    keep: what is received stays in shared memory until it is dropped; else it is copied out, for
    whoever may hold it long.
    """

    def __init__(self, me: Origin, endpoint: str, *, keep: bool) -> None:
        self.me = me
        self.endpoint = endpoint
        self._keep = keep
        self._context = zmq.Context()
        self._inlet = self._context.socket(zmq.PULL)
        self._inlet.setsockopt(zmq.RCVHWM, 0)
        self._inlet.setsockopt(zmq.RCVTIMEO, 0)
        self._patience = 0
        if sys.platform == "linux":
            # An abstract address has no permissions of its own; the kernel says who connects.
            self._inlet.setsockopt(zmq.IPC_FILTER_UID, os.getuid())
        self._inlet.bind(endpoint)
        self._peers: dict[int, _Peer] = {}

    def connect(self, peer: Origin, endpoint: str, *descriptors: int) -> None:
        """From now on `peer` is the process of its number. descriptors: of the arenas to it and
        from it, which are mapped and not kept."""
        outgoing, incoming = descriptors
        self.drop(peer.number)
        socket = self._context.socket(zmq.PUSH)
        socket.setsockopt(zmq.SNDHWM, 0)
        socket.setsockopt(zmq.LINGER, 0)
        socket.setsockopt(zmq.RECONNECT_IVL, 10)
        socket.connect(endpoint)
        self._peers[peer.number] = _Peer(
            peer, socket, ArenaWriter(outgoing), ArenaReader(incoming), threading.Lock()
        )

    def drop(self, number: int, starts: int | None = None) -> None:
        """Nothing goes to that process any more, nor comes from it. starts: only that life."""
        peer = self._peers.get(number)
        if peer is None or starts not in (None, peer.origin.starts):
            return
        del self._peers[number]
        with peer.lock:
            peer.socket.close()

    def send(self, number: int, to: int, message: object) -> None:
        """Never blocks; does nothing for a process that is not there. Raises StageFailed for what
        can't be sent."""
        peer = self._peers.get(number)
        if peer is None:
            return
        buffers: list[memoryview] = []
        payload = _pickled(message, buffers)
        with peer.lock:
            blocks = _stored(peer.writer, buffers)
            if blocks is None:
                payload, blocks = pickle.dumps(message, 5), []
            head = _HEAD.pack(self.me.number, self.me.starts, to, len(blocks), time.monotonic())
            parts = [_BLOCK.pack(block.number, block.at, block.size) for block in blocks]
            if not peer.socket.closed:
                peer.socket.send(b"".join((head, *parts, payload)), copy=True)

    def receive(self, patience: float = 0.0) -> Envelope | None:
        """The next message; None when none came within `patience` seconds."""
        self._wait_for(1000 * patience)
        while True:
            try:
                data = self._inlet.recv()
            except zmq.Again:
                return None
            envelope = self._opened(data) if data else None
            if envelope is not None or not data:
                return envelope

    def wake(self) -> None:
        """Makes a `receive` that waits in another thread return None, or the next one do so."""
        with self._context.socket(zmq.PUSH) as socket:
            socket.connect(self.endpoint)
            socket.send(b"")

    def fileno(self) -> int:
        """Readable when messages may have come since all were received."""
        return int(self._inlet.getsockopt(zmq.FD))

    def close(self) -> None:
        """Nothing may be sent or received any more."""
        for number in list(self._peers):
            self.drop(number)
        self._inlet.close(linger=0)
        self._context.term()

    def _wait_for(self, milliseconds: float) -> None:
        """Rounded up, so that a wait of less than that does not become a loop that spins."""
        patience = ceil(milliseconds)
        if patience != self._patience:
            self._inlet.setsockopt(zmq.RCVTIMEO, patience)
            self._patience = patience

    def _opened(self, data: bytes) -> Envelope | None:
        number, starts, to, count, sent = _HEAD.unpack_from(data)
        peer = self._peers.get(number)
        if peer is None or peer.origin.starts != starts:
            return None
        end = _HEAD.size + count * _BLOCK.size
        found = _BLOCK.iter_unpack(data[_HEAD.size : end])
        take = peer.reader.take if self._keep else peer.reader.copy
        buffers = [take(Block(*block)) for block in found]
        size = len(data) + sum(buffer.nbytes for buffer in buffers)
        message = pickle.loads(memoryview(data)[end:], buffers=buffers)
        return Envelope(peer.origin, to, sent, size, message)


def _pickled(message: object, buffers: list[memoryview]) -> bytes:
    """Large arrays are left out, and their bytes put into `buffers`."""

    def inline(buffer: pickle.PickleBuffer) -> bool:
        raw = buffer.raw()
        if raw.nbytes <= INLINE_BYTES:
            return True
        buffers.append(raw)
        return False

    try:
        return pickle.dumps(message, 5, buffer_callback=inline)
    except Exception as error:  # Whatever an item's own code raises.
        raise StageFailed(f"{type(message).__name__} can't leave its process: {error}") from error


def _stored(writer: ArenaWriter, buffers: list[memoryview]) -> list[Block] | None:
    blocks: list[Block] = []
    for buffer in buffers:
        block = writer.put(buffer)
        if block is None:
            for taken in blocks:
                writer.give_back(taken)
            return None
        blocks.append(block)
    return blocks


class Endpoints:
    """Addresses that nobody else knows. On Linux they have no name in the file system, so that
    nothing is left of them; elsewhere they are files in a folder that `close` removes."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        if sys.platform != "linux":
            self._folder = tempfile.TemporaryDirectory(prefix="voice-server-")

    def new(self) -> str:
        name = uuid.uuid4().hex
        if self._folder is None:
            return f"ipc://@voice-server-{name}"
        return f"ipc://{Path(self._folder.name) / name[:12]}"

    def close(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()
