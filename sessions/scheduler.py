"""Hop 3 of the one way: sessions are opened, controlled and closed here.

A session belongs to the scheduler and not to the connection it is heard over, so that a later
connection can take it up.
"""

from __future__ import annotations

import asyncio
import hmac
import itertools
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from types import TracebackType

from engine.api import Engine
from engine.types import Credit
from sessions import voices
from sessions.admission import Admission, Ticket
from sessions.commands import Command
from sessions.directions import Directions
from sessions.errors import Draining, SessionInUse, SessionsFull
from sessions.hearing import Checks
from sessions.ids import new_id
from sessions.limits import SessionLimits
from sessions.session import Session
from sessions.store import Store, UnknownSession
from sessions.takes import Surroundings
from sessions.turns import Turns


@dataclass(frozen=True, slots=True)
class SchedulerStats:
    """What is going on. speaking, waiting: takes with and without a slot. under_way: takes that
    are not over, those still being sent included. queued_events: of all sessions together.
    """

    sessions: int
    speaking: int
    waiting: int
    under_way: int
    queued_events: int
    capacity: int


class SessionScheduler:
    """Owns the sessions and the takes' slots. Use it as an async context manager: leaving closes
    every session and waits for its tasks.

    capacity: takes the engine makes at once. store: an open one, that stays open for longer.
    voice: for those who name none; raises UnknownVoice. directions: what understands them, if not
    the vocabulary alone. checks: what listens to edits, if anything does. clock: monotonic seconds,
    by which the wait of a queued take is told, and by which commands are read.
    """

    def __init__(
        self,
        engine: Engine,
        limits: SessionLimits,
        capacity: int,
        store: Store,
        voice: str | None = None,
        directions: Directions | None = None,
        checks: Checks | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        offered = engine.info.voices
        self.engine = engine
        self.limits = limits
        self.default_voice = voices.find(offered, voice) if voice else offered[0].id
        self.draining = False
        self.checks = checks
        self._admission = Admission(capacity, limits.queued_takes)
        self._turns = Turns(clock)
        self._sessions: dict[str, Session] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._ended = asyncio.Event()
        self._around = Surroundings(
            engine=engine,
            limits=limits,
            store=store,
            directions=directions or Directions(),
            checks=checks,
            admission=self._admission,
            turns=self._turns,
            epochs=itertools.count(1),
            default_voice=self.default_voice,
            spawn=self._spawn,
            admitted=self._start,
            ended=self._take_ended,
            clock=clock,
        )

    async def __aenter__(self) -> SessionScheduler:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.draining = True
        for session_id in list(self._sessions):
            self.close(session_id)
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def open(self, secret: bytes | None = None) -> Session:
        """A new session. secret: a digest of the token that lets somebody come back to it. Raises
        SessionsFull, or Draining.
        """
        self._check_room()
        session = Session(new_id("session"), self._around, secret)
        self._sessions[session.id] = session
        return session

    async def take_up(self, session_id: str, secret: bytes, renewed: bytes) -> Session:
        """A session that was left, with all that was said in it. secret, renewed: digests of the
        token that it was left with and of the one that lets somebody come back the next time.

        Raises UnknownSession where no session of that name was left or its token is another;
        SessionInUse, SessionsFull, Draining or StoreError.
        """
        self._check_room()
        kept = await self._around.store.secret(session_id)
        if kept is None or not hmac.compare_digest(kept, secret):
            raise UnknownSession(f"no session is called {session_id!r}")
        record = await self._around.store.load_session(session_id)
        self._check_room()
        if session_id in self._sessions:
            raise SessionInUse(f"session {session_id} is open in another connection")
        session = Session(session_id, self._around, renewed, record.scene())
        self._sessions[session_id] = session
        return session

    async def control(self, session_id: str, command: Command, read_at: float) -> None:
        """Does what is asked; see Session.control. Of a session that is closed, nothing."""
        session = self._sessions.get(session_id)
        if session is not None:
            await session.control(command, read_at)

    def credit(self, session_id: str, take_id: str, credit: Credit) -> None:
        """Says how much sound of a take is wanted; see Session.credit."""
        session = self._sessions.get(session_id)
        if session is not None:
            session.credit(take_id, credit)

    def close(self, session_id: str) -> None:
        """Ends whatever a session has under way, and it with that; what was said in it stays in
        the store. Twice is once.
        """
        session = self._sessions.pop(session_id, None)
        if session is not None:
            session.close()

    def delete(self, session_id: str) -> None:
        """Ends a session for good: nothing is kept of it."""
        session = self._sessions.get(session_id)
        if session is not None:
            self.close(session_id)
            session.diary.deleted()

    async def expire(self, older_than: float) -> tuple[str, ...]:
        """Has what is stored of sessions forgotten that were not in use since then (seconds since
        1970); returns their names."""
        for session in self._sessions.values():
            session.diary.opened()
        return await self._around.store.expire(older_than)

    def drain(self) -> None:
        """Opens no further session and begins no further line of a scene; takes go on."""
        self.draining = True
        for session in self._sessions.values():
            session.drain()

    async def idle(self) -> None:
        """Returns when no take is under way."""
        while self.stats().under_way:
            self._ended.clear()
            await self._ended.wait()

    def stats(self) -> SchedulerStats:
        sessions = self._sessions.values()
        return SchedulerStats(
            sessions=len(sessions),
            speaking=self._admission.running,
            waiting=self._admission.waiting,
            under_way=sum(session.under_way for session in sessions),
            queued_events=sum(session.queued_events for session in sessions),
            capacity=self._admission.capacity,
        )

    def check_integrity(self) -> None:
        """Raises AssertionError, naming the resource, unless every take has ended and given back
        what it held. For when nothing is under way.
        """
        for session in self._sessions.values():
            session.check_integrity()
        self._admission.check_integrity()
        self._turns.check_integrity()
        assert not self._tasks, f"{len(self._tasks)} pumps still run"

    def _check_room(self) -> None:
        """Raises SessionsFull or Draining where no session can be opened."""
        if self.draining:
            raise Draining("the server is about to restart and opens no session")
        if len(self._sessions) >= self.limits.sessions:
            raise SessionsFull(f"all {self.limits.sessions} sessions are taken; try again later")

    def _take_ended(self) -> None:
        """What it held is free, perhaps for a line of another session's scene."""
        self._ended.set()
        for session in self._sessions.values():
            session.advance()

    def _spawn(self, pump: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(pump)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _start(self, admitted: list[Ticket]) -> None:
        for ticket in admitted:
            self._sessions[ticket.session_id].start(ticket.take_id)
