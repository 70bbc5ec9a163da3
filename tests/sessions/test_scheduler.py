"""Sessions are opened within bounds and closed whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessions.commands import Edit, Speak
from sessions.errors import Draining, SessionInUse, SessionsFull, UnknownVoice
from sessions.events import TakeStarted
from sessions.limits import SessionLimits
from sessions.scheduler import SchedulerStats, SessionScheduler
from sessions.store import Store, UnknownSession
from tests.sessions.scripted import ScriptedEngine
from tests.sessions.stage import Person, Stage


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


async def test_a_session_that_was_left_is_taken_up_with_all_that_was_said_in_it() -> None:
    async with Stage(can=("speak", "direct", "edit")) as stage:
        person = stage.person(b"first")
        take = await person.speaks("hello", speaker="HERO", voice="am_adam")
        person.request(take).sound(100, "hello")
        person.request(take).complete()
        await person.hears()
        person.session.delivered(take)
        left = person.session.id
        with pytest.raises(SessionInUse, match=left):
            await stage.scheduler.take_up(left, b"first", b"second")
        stage.scheduler.close(left)
        for session_id, secret in ((left, b"other"), ("session_none", b"first")):
            with pytest.raises(UnknownSession):
                await stage.scheduler.take_up(session_id, secret, b"second")
        again = Person(stage, await stage.scheduler.take_up(left, b"first", b"second"))
        assert again.session.id == left
        assert [one.id for one in again.session.scene.takes()] == [take]
        (started, *_) = await again.does(Edit(take, text="goodbye"))
        assert isinstance(started, TakeStarted)
        assert (started.parent, started.speaker, started.voice) == (take, "HERO", "am_adam")
        (started, *_) = await again.does(Speak("more", speaker="HERO"))
        assert isinstance(started, TakeStarted)
        assert started.voice == "am_adam"
        stage.scheduler.close(left)
        with pytest.raises(UnknownSession):
            await stage.scheduler.take_up(left, b"first", b"third")
        assert await stage.scheduler.take_up(left, b"second", b"third")


async def test_what_is_taken_up_counts_as_any_session() -> None:
    async with Stage(limits=SessionLimits(sessions=1)) as stage:
        left = stage.person(b"first").session.id
        stage.scheduler.close(left)
        stage.person()
        with pytest.raises(SessionsFull):
            await stage.scheduler.take_up(left, b"first", b"second")
        stage.scheduler.drain()
        with pytest.raises(Draining):
            await stage.scheduler.take_up(left, b"first", b"second")


async def test_stats_count_what_is_there() -> None:
    async with Stage(capacity=1) as stage:
        person = stage.person()
        await person.speaks()
        await stage.scheduler.control(person.session.id, Speak("two"), 0.0)
        assert stage.scheduler.stats() == SchedulerStats(1, 1, 1, 2, 2, 1)


async def test_what_is_said_to_a_closed_session_does_nothing() -> None:
    async with Stage() as stage:
        person = stage.person()
        stage.scheduler.close(person.session.id)
        await stage.scheduler.control(person.session.id, Speak("hello"), 0.0)
        assert not stage.engine.requests


def test_a_default_voice_that_is_not_there_is_told_at_the_start(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(UnknownVoice):
        SessionScheduler(ScriptedEngine(), SessionLimits(), 1, store, voice="nobody")
