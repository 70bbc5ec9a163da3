"""Events on their way from a session to whoever is attached to it."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass

from engine.types import Epoch
from sessions.events import Event


@dataclass(frozen=True, slots=True)
class Item:
    """An event and the life of the take it belongs to; None for what can't go stale."""

    event: Event
    epoch: Epoch | None


class Outbox:
    """A bounded queue, and the one place where stale items die.

    `post` never waits; whoever posts calls `room` after it, and goes on once there is room again.
    So the queue holds at most `bound` items and what one command of each poster causes.
    """

    def __init__(self, bound: int) -> None:
        self._bound = bound
        self._items: deque[Item] = deque()
        self._live: set[Epoch] = set()
        self._closed = False
        self._some = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()

    def __len__(self) -> int:
        return len(self._items)

    @property
    def live(self) -> int:
        """How many epochs are begun and not ended."""
        return len(self._live)

    def begin(self, epoch: Epoch) -> None:
        """Items of this epoch may be posted from now on."""
        self._live.add(epoch)

    def end(self, epoch: Epoch) -> None:
        """What is queued of this epoch is still told; nothing more of it is taken."""
        self._live.discard(epoch)

    def revoke(self, epoch: Epoch) -> None:
        """Drops what is queued of this epoch, and whatever of it is still to come."""
        self.end(epoch)
        self._items = deque(item for item in self._items if item.epoch != epoch)
        self._tell()

    def post(self, event: Event, epoch: Epoch | None = None) -> None:
        if self._closed or (epoch is not None and epoch not in self._live):
            return
        self._items.append(Item(event, epoch))
        self._tell()

    async def room(self) -> None:
        """Waits until the queue is under its bound, or closed."""
        while not self._room.is_set():
            await self._room.wait()

    async def get(self) -> Event | None:
        """The next event; None once the queue is closed and empty."""
        while not self._items:
            if self._closed:
                return None
            await self._some.wait()
        item = self._items.popleft()
        self._tell()
        return item.event

    def close(self) -> None:
        """No further event is taken; what is queued can still be read."""
        self._closed = True
        self._tell()

    def _tell(self) -> None:
        _set(self._some, bool(self._items) or self._closed)
        _set(self._room, len(self._items) < self._bound or self._closed)


def _set(flag: asyncio.Event, value: bool) -> None:
    if value:
        flag.set()
    else:
        flag.clear()
