"""A scheduler on a scripted engine, and what its sessions said, for tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory

from sessions.commands import Command, Speak
from sessions.events import Event, TakeStarted
from sessions.hearing import Checks, Judge
from sessions.limits import SessionLimits
from sessions.scheduler import SessionScheduler
from sessions.session import Session
from sessions.store import Store
from tests.sessions.scripted import ScriptedEngine, ScriptedRequest


async def settle() -> None:
    """Lets every task run until all of them wait."""
    for _ in range(12):
        await asyncio.sleep(0)


class Person:
    """One session, with all that it was told so far."""

    def __init__(self, stage: Stage, session: Session) -> None:
        self.session = session
        self.heard: list[Event] = []
        self._stage = stage
        self._events: AsyncIterator[Event] = session.events()

    async def does(self, command: Command, read_at: float | None = None) -> list[Event]:
        """The events that came of it. read_at: now, if not given."""
        at = self._stage.now if read_at is None else read_at
        await self._stage.scheduler.control(self.session.id, command, at)
        return await self.hears()

    async def hears(self) -> list[Event]:
        """All that is to be heard without anything else being done."""
        news: list[Event] = []
        await settle()
        while self.session.queued_events:
            news.append(await anext(self._events))
            await settle()
        self.heard += news
        return news

    async def speaks(self, text: str = "hello", **others: object) -> str:
        """The new take's id."""
        (started, *_) = await self.does(Speak(text, **others))  # type: ignore[arg-type]
        assert isinstance(started, TakeStarted)
        return started.take_id

    def request(self, take_id: str) -> ScriptedRequest:
        return self._stage.engine.by_id(take_id)


class Stage:
    """The engine, the scheduler and whoever is there; it is `now` for the scheduler."""

    def __init__(
        self,
        capacity: int = 4,
        limits: SessionLimits | None = None,
        can: tuple[str, ...] = ("speak",),
        judge: Judge | None = None,
        listens: bool = False,
        reads: bool = False,
    ) -> None:
        self.engine = ScriptedEngine(can, listens, reads)
        self.now = 0.0
        self._folder = TemporaryDirectory()
        self.store = Store(Path(self._folder.name))
        checks = None if judge is None else Checks(self.engine, judge)
        self.scheduler = SessionScheduler(
            self.engine,
            limits or SessionLimits(),
            capacity,
            self.store,
            checks=checks,
            clock=lambda: self.now,
        )

    def person(self, secret: bytes | None = None) -> Person:
        return Person(self, self.scheduler.open(secret))

    async def __aenter__(self) -> Stage:
        await self.store.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.scheduler.__aexit__(None, None, None)
        self.scheduler.check_integrity()
        await self.store.check_integrity()
        assert self.store.stats().failed == 0
        await self.store.close()
        self._folder.cleanup()
