"""A session together with how its sound is sent: what a connection is attached to while it lasts.

A session that outlives its connection would be left here, to be attached to the next one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from sessions.commands import Command, Playback
from sessions.events import TakeAudio
from sessions.scheduler import SessionScheduler
from sessions.session import Session
from voice_server.delivery.session import SessionDelivery
from voice_server.delivery.take import Outgoing
from voice_server.opening import pieces
from voice_server.wire.server_messages import ServerMessage, TakeDone


class Attachment:
    """Commands down to the session, its events into delivery, and credit back to the engine.

    All times are monotonic seconds. After `close` nothing comes out and nothing is done.
    """

    def __init__(
        self, scheduler: SessionScheduler, session: Session, delivery: SessionDelivery
    ) -> None:
        self._scheduler = scheduler
        self._session = session
        self._delivery = delivery
        self._room = asyncio.Event()
        self._closed = False

    @property
    def texts(self) -> int:
        """Messages that wait to be written."""
        return self._delivery.texts

    @property
    def waiting_samples(self) -> int:
        """Sound of all takes that waits until it is due."""
        return self._delivery.waiting_samples

    async def control(self, command: Command, read_at: float) -> None:
        """Does what the client asks. read_at: when its frame was read from the socket."""
        await self._scheduler.control(self._session.id, command, read_at)
        if isinstance(command, Playback) and not self._closed:
            self._delivery.report(command, read_at)
            self._credit(read_at)

    async def hear(self, clock: Callable[[], float]) -> AsyncIterator[None]:
        """Brings the session's events to delivery, sound a little at a time; yields after each, as
        there may be something to write."""
        sample_rate = self._scheduler.engine.info.sample_rate
        async for event in self._session.events():
            for piece in pieces(event, sample_rate):
                await self.room()
                if self._closed:
                    return
                self._delivery.handle(piece, clock())
                self._credit(clock())
                yield
                if isinstance(piece, TakeAudio):
                    await asyncio.sleep(0)

    def say(self, message: ServerMessage) -> None:
        """Writes a message of the server's own."""
        self._delivery.say(message)

    def outgoing(self, now: float, most: int) -> list[Outgoing]:
        """What is to be written now. A take whose end is among it is over from here on."""
        batch = self._delivery.poll(now, most)
        for item in batch:
            if isinstance(item, TakeDone):
                self._session.delivered(item.take_id)
        self._credit(now)
        if not self._delivery.full:
            self._room.set()
        return batch

    def next_due(self, now: float) -> float | None:
        """When to ask for `outgoing` again; None: once something has been heard or said."""
        return self._delivery.next_due(now)

    async def room(self) -> None:
        """Waits while more waits to be written than should."""
        while self._delivery.full and not self._closed:
            self._room.clear()
            await self._room.wait()

    def close(self, for_good: bool = False) -> None:
        """Ends the session and gives back what it held; for good: what was said in it is forgotten
        too. Twice is once.
        """
        self._closed = True
        if for_good:
            self._scheduler.delete(self._session.id)
        else:
            self._scheduler.close(self._session.id)
        self._delivery.close()
        self._room.set()

    def _credit(self, now: float) -> None:
        """Tells the engine how much sound is wanted."""
        for told in self._delivery.credits(now):
            self._scheduler.credit(self._session.id, told.take_id, told.credit)
