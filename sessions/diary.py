"""What happens in a session, told to the store as it happens."""

from __future__ import annotations

import asyncio
from functools import partial

from sessions.events import Warned
from sessions.live import LiveTake
from sessions.outbox import Outbox
from sessions.recording import Recording
from sessions.scene import Line
from sessions.store import (
    Change,
    LineAdded,
    SessionDeleted,
    SessionOpened,
    Store,
    TakeBegun,
    TakeEnded,
    TakeKept,
    VoiceCast,
)


class Diary:
    """Writes without waiting, in order; what could not be stored is told as a warning. Whoever
    writes much awaits `room` after it."""

    def __init__(
        self, session_id: str, store: Store, outbox: Outbox, sample_rate: int, take_s: float
    ) -> None:
        self._session_id = session_id
        self._store = store
        self._outbox = outbox
        self._sample_rate = sample_rate
        self._most = int(take_s * sample_rate)

    def opened(self, secret: bytes | None = None) -> None:
        """Somebody is there: a session that is in use is not too old to keep."""
        self._write(SessionOpened(self._session_id, secret))

    def deleted(self) -> None:
        self._write(SessionDeleted(self._session_id))

    def recording(self) -> Recording:
        """For the sound of a take that is about to begin."""
        return Recording(self._store.sound_buffer(self._sample_rate, self._most))

    def line(self, line: Line, text: str) -> None:
        """A line is there, or has another text or standing direction."""
        self._write(
            LineAdded(self._session_id, line.id, text, line.speaker, line.direction, line.scene_id)
        )

    def cast(self, speaker: str, voice: str) -> None:
        self._write(VoiceCast(self._session_id, speaker, voice))

    def begun(self, take: LiveTake) -> None:
        begun = TakeBegun(self._session_id, take.frozen(), self._sample_rate, take.order.direction)
        self._write(begun, take.id)

    def made(self, take: LiveTake) -> None:
        """All of its sound is there, and goes to the store."""
        heard = take.recording
        score, sound = heard.score, heard.hand_on()
        self._write(TakeEnded(take.frozen(), heard.words, sound, score), take.id)

    def ended(self, take: LiveTake) -> None:
        """It is over; sound that was not made to its end is let go."""
        take.recording.close()
        self._write(TakeEnded(take.frozen()), take.id)

    async def kept(self, take_id: str, line_id: str) -> None:
        """Returns when it is stored. Raises SessionError."""
        await self._store.write(TakeKept(line_id, take_id))

    def together(self, change: Change) -> asyncio.Future[None]:
        """For what has to be there before anything goes on: await it. Raises SessionError."""
        return self._store.write(change)

    async def room(self) -> None:
        """Waits until the store's queue is under its bound."""
        await self._store.room()

    def _write(self, change: Change, take_id: str | None = None) -> None:
        answer = self._store.write(change)
        answer.add_done_callback(partial(self._written, take_id))

    def _written(self, take_id: str | None, answer: asyncio.Future[None]) -> None:
        error = None if answer.cancelled() else answer.exception()
        if error is not None:
            self._outbox.post(Warned("not_stored", f"not stored: {error}", take_id))
