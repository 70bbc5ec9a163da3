"""Both ends in one process: the object itself is handed over, and nobody has to free it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping

from engine.messages import Inbound, News, StageAddress
from engine.transport.inbox import Inbox


class DirectPost:
    """Puts messages into inboxes of this process, and the coordinator's mail onto its loop."""

    def __init__(self, inboxes: Mapping[StageAddress, Inbox], mailbox: LoopMailbox) -> None:
        self._inboxes = inboxes
        self._mailbox = mailbox

    def to_stage(self, address: StageAddress, message: Inbound) -> None:
        self._inboxes[address].put(message)

    def to_coordinator(self, mail: News, *, patient: bool = False) -> None:
        self._mailbox.put(mail, patient=patient)

    def mail_waiting(self) -> int:
        return self._mailbox.depth()


class LoopMailbox:
    """Mail from any thread, read on the event loop, all that is there at once.

    Its bound is that of what the stages may put out: credit for each request and message kind.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._lock = threading.Lock()
        self._mail: list[News] = []
        self._reader: Callable[[News], None] | None = None
        self._called = False

    def open(self, read: Callable[[News], None]) -> None:
        """`read` is called on the loop with each piece of mail, in order."""
        self._reader = read

    def put(self, mail: News, *, patient: bool = False) -> None:
        """patient: the loop is not woken for it alone."""
        with self._lock:
            self._mail.append(mail)
            call = not patient and not self._called
            self._called = self._called or call
        if call:
            self._loop.call_soon_threadsafe(self._deliver)

    def deliver(self, mail: News) -> None:
        """Reads one piece at once; called on the loop, by a path that keeps its own order."""
        assert self._reader is not None, "the mailbox is opened before any stage starts"
        self._reader(mail)

    def depth(self) -> int:
        return len(self._mail)

    def _deliver(self) -> None:
        with self._lock:
            batch, self._mail = self._mail, []
            self._called = False
        assert self._reader is not None, "the mailbox is opened before any stage starts"
        for mail in batch:
            self._reader(mail)
