"""One process's end of its connections to others that may be on other hosts.

Messages are pickled where they are sent, and what has gathered for a peer goes there in one call.
One call to a peer is under way at a time, so order is held whatever the carrier does with calls,
and the longer a call takes, the more the next one brings along.

Who frees what: each side has its own copy. Nothing is shared, so nothing is left of a peer that
dies but what it had already been sent.
"""

from __future__ import annotations

import logging
import pickle
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Final, Protocol, TypeAlias

from engine.errors import StageFailed
from engine.messages import CreditUpdate
from engine.transport.node import Envelope, Origin

CONTROL: Final = 0xFFFE
"""The address of the thread that listens to the supervisor, in a process of stages."""
AT_ONCE: Final = 256
"""Messages that one call takes along at most."""
CALL_BYTES: Final = 2**20
"""How much one call takes along, if it is more than one message."""
Entry: TypeAlias = tuple[int, float, bytes]
"""A message on its way: the stage's number, PROCESS or CONTROL; when it was sent, by the server's
monotonic clock; the pickled message."""
Carry: TypeAlias = Callable[[Sequence[Entry]], None]
"""Brings them to one peer and returns when they are there. Raises ConnectionError."""

logger = logging.getLogger(__name__)


class Outlet(Protocol):
    """Where messages to one peer go."""

    def put(self, entry: Entry) -> None: ...

    def close(self) -> None: ...


class Bag:
    """What waits to be taken, by one taker, in order. Filled from any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._entries: deque[Entry] = deque()
        self._closed = False

    def put(self, entry: Entry) -> None:
        """After `close` it is let fall."""
        with self._changed:
            if not self._closed:
                self._entries.append(entry)
                self._changed.notify()

    def take(self, most: int, patience: float | None = None) -> list[Entry] | None:
        """What is there: AT_ONCE at most and, if it is more than one, `most` bytes at most. Waits
        up to `patience` seconds (None: without end) for the first. None once it is closed and all
        was taken."""
        with self._changed:
            self._changed.wait_for(lambda: self._entries or self._closed, patience)
            if self._closed and not self._entries:
                return None
            return [self._entries.popleft() for _ in range(self._fitting(most))]

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify()

    def _fitting(self, most: int) -> int:
        """How many of the first entries can go together."""
        size = 0
        for count, (_, _, data) in enumerate(islice(self._entries, AT_ONCE)):
            size += len(data)
            if size > most:
                return max(1, count)
        return min(AT_ONCE, len(self._entries))


class Courier:
    """Brings messages to one peer, from a thread of its own. lost: called when that fails."""

    def __init__(self, name: str, carry: Carry, lost: Callable[[], None]) -> None:
        self._bag = Bag()
        self._carry = carry
        self._lost = lost
        self._dropped = False
        threading.Thread(target=self._run, name=f"to {name}", daemon=True).start()

    def put(self, entry: Entry) -> None:
        self._bag.put(entry)

    def close(self) -> None:
        """What was not brought yet is let fall."""
        self._dropped = True
        self._bag.close()

    def _run(self) -> None:
        while (entries := self._bag.take(CALL_BYTES)) is not None and not self._dropped:
            try:
                self._carry(entries)
            except ConnectionError as error:
                logger.info("could not be brought: %s", error)
                self._bag.close()
                if not self._dropped:
                    self._lost()
                return


class RayNode:
    """Implements `Wire`. Sends from any thread; receives, connects and drops from one; what comes
    is put in from any.

    dial: makes an outlet to a peer at an endpoint; raises ConnectionError when there is none.
    offset: seconds from this host's monotonic clock to the server's.
    """

    def __init__(
        self, me: Origin, dial: Callable[[Origin, str], Outlet], offset: float = 0.0
    ) -> None:
        self.me = me
        self._dial = dial
        self._offset = offset
        self._peers: dict[int, tuple[Origin, Outlet]] = {}
        self._inlet: SimpleQueue[tuple[Origin, Entry] | None] = SimpleQueue()

    def connect(self, peer: Origin, endpoint: str, *descriptors: int) -> None:
        """One that is gone already is left out, as whoever named it will tell."""
        try:
            self.join(peer, self._dial(peer, endpoint))
        except ConnectionError as error:
            logger.info("%s is gone: %s", endpoint, error)

    def join(self, peer: Origin, outlet: Outlet) -> None:
        """As `connect`, where it is known how."""
        self.drop(peer.number)
        self._peers[peer.number] = peer, outlet

    def drop(self, number: int, starts: int | None = None) -> None:
        found = self._peers.get(number)
        if found is None or starts not in (None, found[0].starts):
            return
        del self._peers[number]
        found[1].close()

    def send(self, number: int, to: int, message: object) -> None:
        found = self._peers.get(number)
        if found is not None:
            found[1].put((to, time.monotonic() + self._offset, _pickled(message)))

    def put(self, origin: Origin, entries: Sequence[Entry]) -> None:
        """What a peer sent, to be received."""
        for entry in entries:
            self._inlet.put((origin, entry))

    def receive(self, patience: float = 0.0) -> Envelope | None:
        while True:
            try:
                found = self._inlet.get(patience > 0, patience or None)
            except Empty:
                return None
            envelope = self.opened(*found) if found is not None else None
            if envelope is not None or found is None:
                return envelope

    def opened(self, origin: Origin, entry: Entry) -> Envelope | None:
        """None for what comes from a life that is not the peer's of now."""
        peer, _ = self._peers.get(origin.number, (None, None))
        if peer != origin:
            return None
        to, sent, data = entry
        message = _by_our_clock(pickle.loads(data), self._offset)
        return Envelope(origin, to, sent - self._offset, len(data), message)

    def wake(self) -> None:
        self._inlet.put(None)

    def close(self) -> None:
        """Nothing is sent any more."""
        for number in list(self._peers):
            self.drop(number)


def _by_our_clock(message: object, offset: float) -> object:
    """Credit says when a take plays, by the server's clock."""
    if not isinstance(message, CreditUpdate) or message.credit.plays_at is None:
        return message
    plays_at = message.credit.plays_at - offset
    return replace(message, credit=replace(message.credit, plays_at=plays_at))


def _pickled(message: object) -> bytes:
    try:
        return pickle.dumps(message, 5)
    except Exception as error:  # Whatever an item's own code raises.
        raise StageFailed(f"{type(message).__name__} can't leave its process: {error}") from error
