"""Who may be spoken now: as many takes as the machine carries, the rest in turn.

No clock and no tasks: ask, release, and be told who is next. Waiting takes of different sessions
are admitted in turn, so that one session's queue does not hold up another's first take.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass

from sessions.errors import Busy


@dataclass(frozen=True, slots=True)
class Ticket:
    """A take's claim, by the session it belongs to. chars: of text to be made, as far as known."""

    session_id: str
    take_id: str
    chars: int = 0


class Admission:
    """Owns the slots. Every `ask` that did not raise is answered by one `release`."""

    def __init__(self, capacity: int, queued: int) -> None:
        self.capacity = capacity
        self._queued = queued
        self._running: set[Ticket] = set()
        # Sessions in the order of their turns; whoever was served goes to the end.
        self._waiting: OrderedDict[str, deque[Ticket]] = OrderedDict()

    @property
    def running(self) -> int:
        return len(self._running)

    @property
    def waiting(self) -> int:
        return sum(len(queue) for queue in self._waiting.values())

    def ask(self, ticket: Ticket) -> int:
        """0 if the take may start at once, else its place in the queue, from 1.

        Raises Busy if the queue is full.
        """
        if len(self._running) < self.capacity and not self._waiting:
            self._running.add(ticket)
            return 0
        if self.waiting >= self._queued:
            raise Busy(
                f"{self.running} takes are being spoken and {self.waiting} wait; try again later"
            )
        self._waiting.setdefault(ticket.session_id, deque()).append(ticket)
        return len(self.ahead(ticket)) + 1

    def ahead(self, ticket: Ticket) -> list[Ticket]:
        """Those that are served before one that waits, in order, if nobody else comes."""
        waiting = OrderedDict((one, deque(queue)) for one, queue in self._waiting.items())
        served: list[Ticket] = []
        while (following := _take_turn(waiting)) != ticket:
            served.append(following)
        return served

    def release(self, ticket: Ticket) -> list[Ticket]:
        """Gives back a running or waiting take's claim; returns those admitted in its stead."""
        if ticket in self._running:
            self._running.remove(ticket)
        else:
            self._leave_queue(ticket)
        return self._admit()

    def check_integrity(self) -> None:
        """Raises AssertionError unless nothing runs and nothing waits."""
        assert not self._running, f"admission still holds {sorted(map(str, self._running))}"
        assert not self._waiting, f"admission still queues {list(self._waiting)}"

    def _admit(self) -> list[Ticket]:
        admitted = []
        while self._waiting and len(self._running) < self.capacity:
            ticket = _take_turn(self._waiting)
            self._running.add(ticket)
            admitted.append(ticket)
        return admitted

    def _leave_queue(self, ticket: Ticket) -> None:
        queue = self._waiting[ticket.session_id]
        queue.remove(ticket)
        if not queue:
            del self._waiting[ticket.session_id]


def _take_turn(waiting: OrderedDict[str, deque[Ticket]]) -> Ticket:
    """The next of them; whoever was served goes to the end."""
    session_id, queue = waiting.popitem(last=False)
    ticket = queue.popleft()
    if queue:
        waiting[session_id] = queue
    return ticket
