"""How long a take that waits will wait: going by how long takes before it held their slots."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Sequence
from typing import Final

from sessions.admission import Ticket

_LATEST: Final = 0.25
"""What the latest take counts for in what is typical."""


class Turns:
    """Told when takes get their slots and give them back. A slot is held until all of a take's
    sound is made, which is no sooner than its listener wants it; so what is learnt is seconds a
    character, whatever bounds them. clock: monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began: dict[Ticket, float] = {}
        self._per_char: float | None = None

    def began(self, ticket: Ticket) -> None:
        """It has a slot."""
        self._began[ticket] = self._clock()

    def ended(self, ticket: Ticket, whole: bool) -> None:
        """Its slot is free. whole: its sound was made to the end, so that it tells how long."""
        began = self._began.pop(ticket, None)
        if began is None or not whole or not ticket.chars:
            return
        latest = (self._clock() - began) / ticket.chars
        known = latest if self._per_char is None else self._per_char
        self._per_char = known + (latest - known) * _LATEST

    def wait_s(self, ahead: Sequence[Ticket]) -> float | None:
        """Seconds until a take has a slot that is served after `ahead`, while all slots are taken;
        None before any take has told how long one lasts.
        """
        if self._per_char is None or not self._began:
            return None
        now = self._clock()
        free = [max(now, at + self._lasts(ticket)) for ticket, at in self._began.items()]
        heapq.heapify(free)
        for ticket in ahead:
            heapq.heapreplace(free, free[0] + self._lasts(ticket))
        return free[0] - now

    def check_integrity(self) -> None:
        """Raises AssertionError unless every slot was given back."""
        assert not self._began, f"slots that nobody gave back: {list(self._began)}"

    def _lasts(self, ticket: Ticket) -> float:
        return ticket.chars * (self._per_char or 0.0)
