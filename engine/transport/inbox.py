"""The inbox of one replica of a stage."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from math import inf
from queue import Empty, SimpleQueue

from engine.messages import Chunk, CreditUpdate, Done, Inbound, Job, NewRequest, SourceGone

LONGEST_WAIT_S = 10.0
"""For the socket, at one go."""


class InboxOverflow(Exception):
    """More messages than the edges' credit allows: a fault of the sender, never of load."""


class _Closed:
    """Last entry of a closed inbox."""


class _Woken:
    """No message: the reader is to look at what else it has."""


class Inbox:
    """Many senders, one reader, in order. Holds at most `bound` messages.

    Of the credit updates of one request only the newest is kept, however many come, in the place
    of the first that was not read yet. A new request waits for the message after it and is read
    before that: alone it gives a stage nothing to do, and a thread woken for it would only take the
    interpreter from the stages before, which have.
    """

    def __init__(self, name: str, bound: int) -> None:
        self.name = name
        self.bound = bound
        self._queue: SimpleQueue[Inbound | SourceGone | Job | _Closed | _Woken] = SimpleQueue()
        self._lock = threading.Lock()
        self._credits: dict[Job, CreditUpdate] = {}
        self._begun: list[NewRequest] = []
        self._owed = 0
        self._closed = False

    def put(self, message: Inbound | SourceGone) -> None:
        """Raises InboxOverflow when full. After `close` messages are let fall."""
        with self._lock:
            if self._closed:
                return
            if self.depth() >= self.bound:
                raise InboxOverflow(f"{self.name} holds {self.bound} messages")
            if isinstance(message, CreditUpdate):
                self._put_credit(message)
                return
            self._owed += _is_owed(message)
            if isinstance(message, NewRequest):
                self._begun.append(message)
            else:
                self._queue.put(message)

    def take(self, timeout: float | None) -> list[Inbound | SourceGone] | None:
        """All that is there; waits up to `timeout` seconds (None: without end, 0: not at all) for
        the first. Empty when nothing came, None once the inbox is closed."""
        return self._take(timeout)

    def _take(self, timeout: float | None) -> list[Inbound | SourceGone] | None:
        entries: list[Inbound | SourceGone | Job | _Closed | _Woken] = []
        try:
            entries.append(self._queue.get(timeout is None or timeout > 0, timeout or None))
            while True:
                entries.append(self._queue.get_nowait())
        except Empty:
            pass
        return self._read(entries)

    def close(self) -> None:
        """Wakes the reader; what was not read yet is let fall."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._queue.put(_Closed())

    def wake(self) -> None:
        """Makes the reader return from `take`, now or the next time."""
        with self._lock:
            if not self._closed:
                self._queue.put(_Woken())

    def depth(self) -> int:
        return self._queue.qsize() + len(self._begun)

    def owed(self) -> int:
        """How many unread messages carry something that a stage must take and give back."""
        return self._owed

    def _put_credit(self, update: CreditUpdate) -> None:
        if update.job not in self._credits:
            self._queue.put(update.job)
        self._credits[update.job] = update

    def _read(
        self, entries: list[Inbound | SourceGone | Job | _Closed | _Woken]
    ) -> list[Inbound | SourceGone] | None:
        with self._lock:
            messages: list[Inbound | SourceGone] = list(self._begun)
            self._owed -= len(self._begun)
            self._begun.clear()
            for entry in entries:
                if isinstance(entry, _Closed):
                    return None
                if isinstance(entry, _Woken):
                    continue
                message = self._credits.pop(entry) if isinstance(entry, Job) else entry
                self._owed -= _is_owed(message)
                messages.append(message)
        return messages


class FedInbox(Inbox):
    """The inbox of a stage that is alone in its process and waits for the socket itself: from there
    to the stage no other thread has to wake up.

    feed: puts in what there is; where the inbox is empty it waits up to so many seconds for that.
    rouse: ends its waiting.
    """

    def __init__(
        self, name: str, bound: int, feed: Callable[[float], None], rouse: Callable[[], None]
    ) -> None:
        super().__init__(name, bound)
        self._feed = feed
        self._rouse = rouse
        self._woken = False

    def take(self, timeout: float | None) -> list[Inbound | SourceGone] | None:
        until = inf if timeout is None else time.monotonic() + timeout
        while True:
            left = max(0.0, min(LONGEST_WAIT_S, until - time.monotonic()))
            self._feed(left)
            found = self._take(0)
            if found is None or found or not left or self._woken:
                self._woken = False
                return found

    def wake(self) -> None:
        super().wake()
        self._woken = True
        self._rouse()


def _is_owed(message: Inbound | SourceGone) -> bool:
    return isinstance(message, NewRequest | Chunk | Done)
