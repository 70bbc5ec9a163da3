"""Sessions are opened within bounds and closed whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessions.commands import Speak
from sessions.errors import Draining, SessionsFull, UnknownVoice
from sessions.limits import SessionLimits
from sessions.scheduler import SchedulerStats, SessionScheduler
from sessions.store import Store
from tests.sessions.scripted import ScriptedEngine
from tests.sessions.stage import Stage


async def test_no_more_sessions_than_the_limit() -> None:
    async with Stage(limits=SessionLimits(sessions=1)) as stage:
        person = stage.person()
        with pytest.raises(SessionsFull, match="all 1 sessions"):
            stage.scheduler.open()
        stage.scheduler.close(person.session.id)
        stage.person()


async def test_a_draining_scheduler_opens_nothing_and_lets_the_rest_go_on() -> None:
    async with Stage() as stage:
        person = stage.person()
        stage.scheduler.drain()
        with pytest.raises(Draining):
            stage.scheduler.open()
        assert await person.speaks()


async def test_stats_count_what_is_there() -> None:
    async with Stage(capacity=1) as stage:
        person = stage.person()
        await person.speaks()
        await stage.scheduler.control(person.session.id, Speak("two"))
        assert stage.scheduler.stats() == SchedulerStats(1, 1, 1, 2, 2, 1)


async def test_what_is_said_to_a_closed_session_does_nothing() -> None:
    async with Stage() as stage:
        person = stage.person()
        stage.scheduler.close(person.session.id)
        await stage.scheduler.control(person.session.id, Speak("hello"))
        assert not stage.engine.requests


def test_a_default_voice_that_is_not_there_is_told_at_the_start(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(UnknownVoice):
        SessionScheduler(ScriptedEngine(), SessionLimits(), 1, store, voice="nobody")
