"""The inbox of one replica of a stage."""

from __future__ import annotations

import threading
from queue import Empty, SimpleQueue

from engine.messages import Chunk, CreditUpdate, Done, Inbound, Job, NewRequest, SourceGone


class InboxOverflow(Exception):
    """More messages than the edges' credit allows: a fault of the sender, never of load."""


class _Closed:
    """Last entry of a closed inbox."""


class Inbox:
    """Many senders, one reader, in order. Holds at most `bound` messages.

    Of the credit updates of one request only the newest is kept, however many come, in the place
    of the first that was not read yet.
    """

    def __init__(self, name: str, bound: int) -> None:
        self.name = name
        self.bound = bound
        self._queue: SimpleQueue[Inbound | SourceGone | Job | _Closed] = SimpleQueue()
        self._lock = threading.Lock()
        self._credits: dict[Job, CreditUpdate] = {}
        self._owed = 0
        self._closed = False

    def put(self, message: Inbound | SourceGone) -> None:
        """Raises InboxOverflow when full. After `close` messages are let fall."""
        with self._lock:
            if self._closed:
                return
            if self._queue.qsize() >= self.bound:
                raise InboxOverflow(f"{self.name} holds {self.bound} messages")
            if isinstance(message, CreditUpdate):
                self._put_credit(message)
                return
            self._owed += _is_owed(message)
            self._queue.put(message)

    def take(self, timeout: float | None) -> list[Inbound | SourceGone] | None:
        """All that is there; waits up to `timeout` seconds (None: without end, 0: not at all) for
        the first. Empty when nothing came, None once the inbox is closed."""
        entries: list[Inbound | SourceGone | Job | _Closed] = []
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

    def depth(self) -> int:
        return self._queue.qsize()

    def owed(self) -> int:
        """How many unread messages carry something that a stage must take and give back."""
        return self._owed

    def _put_credit(self, update: CreditUpdate) -> None:
        if update.job not in self._credits:
            self._queue.put(update.job)
        self._credits[update.job] = update

    def _read(
        self, entries: list[Inbound | SourceGone | Job | _Closed]
    ) -> list[Inbound | SourceGone] | None:
        messages: list[Inbound | SourceGone] = []
        with self._lock:
            for entry in entries:
                if isinstance(entry, _Closed):
                    return None
                message = self._credits.pop(entry) if isinstance(entry, Job) else entry
                self._owed -= _is_owed(message)
                messages.append(message)
        return messages


def _is_owed(message: Inbound | SourceGone) -> bool:
    return isinstance(message, NewRequest | Chunk | Done)
