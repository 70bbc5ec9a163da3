"""What a session does of each command in each state, on an engine that makes what the test says."""

from __future__ import annotations

import asyncio

import pytest

from engine.errors import EngineStopped, StageFailed
from engine.types import Credit, Utterance
from sessions.commands import Append, Cancel, Command, Direct, Edit, Finish, Playback, Speak
from sessions.events import (
    Making,
    Refused,
    TakeAudio,
    TakeCancelled,
    TakeFailed,
    TakeFinished,
    TakeStarted,
    TakeWords,
    Warned,
)
from sessions.limits import SessionLimits
from sessions.states import TakeState
from tests.sessions.stage import Person, Stage


async def test_a_take_is_started_heard_and_finished_in_that_order() -> None:
    async with Stage() as stage:
        person = stage.person()
        take_id = await person.speaks("hi", voice="heart", seed=7, id="m1")
        request = person.request(take_id)
        assert (request.utterance.voice, request.utterance.seed) == ("af_heart", 7)
        request.sound(100, "hi")
        request.sound(50)
        request.complete()
        await person.hears()
        started, words, first, second, finished = person.heard
        assert isinstance(started, TakeStarted)
        assert (started.stream, started.kind, started.reply_to) == (1, "spoken", "m1")
        assert isinstance(words, TakeWords)
        assert isinstance(first, TakeAudio)
        assert isinstance(second, TakeAudio)
        assert (first.start, second.start, len(second.samples)) == (0, 100, 50)
        assert finished == TakeFinished(
            take_id, 1, 150, started.performance, Making(0.0, windows=(1, 1)), "m1"
        )
        person.session.delivered(take_id)
        remembered = person.session.scene.take(take_id)
        assert remembered is not None
        assert (remembered.state, remembered.samples) == (TakeState.DONE, 150)
        stage.scheduler.check_integrity()


async def test_text_added_goes_on_to_the_engine_and_is_remembered_whole() -> None:
    async with Stage() as stage:
        person = stage.person()
        take_id = await person.speaks("one ", more=True)
        assert await person.does(Append(take_id, "two")) == []
        assert await person.does(Finish(take_id)) == []
        request = person.request(take_id)
        assert (request.utterance.text, request.appended, request.finished) == (
            "one ",
            ["two"],
            True,
        )
        request.complete()
        await person.hears()
        person.session.delivered(take_id)
        remembered = person.session.scene.take(take_id)
        assert remembered is not None
        assert remembered.text == "one two"


@pytest.mark.parametrize("more", [True, False])
async def test_a_queued_take_keeps_its_text_and_credit_until_it_is_admitted(more: bool) -> None:
    async with Stage(capacity=1) as stage:
        person = stage.person()
        first = await person.speaks("first")
        started, warned = await person.does(Speak("second ", more=more, id="m2"))
        assert isinstance(started, TakeStarted)
        assert isinstance(warned, Warned)
        assert (warned.code, warned.take_id, warned.reply_to) == ("queued", started.take_id, "m2")
        assert "place 1" in warned.message
        if more:
            await person.does(Append(started.take_id, "and more"))
        stage.scheduler.credit(person.session.id, started.take_id, Credit(123))
        person.request(first).complete()
        await person.hears()
        request = person.request(started.take_id)
        assert request.utterance.text == ("second and more" if more else "second ")
        assert request.utterance.more is more
        assert request.credits == [Credit(123)]


async def test_past_the_queue_a_take_is_refused_and_leaves_nothing() -> None:
    async with Stage(capacity=1, limits=SessionLimits(queued_takes=0)) as stage:
        one, two = stage.person(), stage.person()
        await one.speaks()
        (refused,) = await two.does(Speak("hello", id="m"))
        assert isinstance(refused, Refused)
        assert (refused.code, refused.reply_to) == ("busy", "m")
        two.session.check_integrity()
        await one.does(Cancel())
        assert await two.speaks()


async def test_two_sessions_take_turns_for_what_becomes_free() -> None:
    async with Stage(capacity=1) as stage:
        one, two = stage.person(), stage.person()
        takes = [await one.speaks() for _ in range(3)]
        other = await two.speaks()
        order = []
        for _ in range(4):
            request = stage.engine.requests[-1]
            order.append(request.id)
            request.complete()
            await one.hears()
            await two.hears()
        assert order == [takes[0], takes[1], other, takes[2]]


async def state_of(person: Person, state: TakeState) -> str:
    """A take of this person that is in that state (the first take holds the only slot)."""
    opens = state in (TakeState.QUEUED_OPEN, TakeState.SPEAKING_OPEN)
    if state in (TakeState.QUEUED_OPEN, TakeState.QUEUED):
        await person.speaks("first")
    take_id = await person.speaks("hello", more=opens)
    if state in (TakeState.MADE, TakeState.DONE):
        person.request(take_id).sound()
        person.request(take_id).complete()
        await person.hears()
    if state is TakeState.DONE:
        person.session.delivered(take_id)
    if state is TakeState.FAILED:
        person.request(take_id).fail(StageFailed("no"))
        await person.hears()
    if state is TakeState.CANCELLED:
        await person.does(Cancel(take_id))
    return take_id


UNDER_WAY = [
    TakeState.QUEUED_OPEN,
    TakeState.QUEUED,
    TakeState.SPEAKING_OPEN,
    TakeState.SPEAKING,
    TakeState.MADE,
]


@pytest.mark.parametrize("state", UNDER_WAY)
@pytest.mark.parametrize("by_name", [True, False])
async def test_a_cancel_in_any_state_is_answered_once_and_last(
    state: TakeState, by_name: bool
) -> None:
    async with Stage(capacity=1) as stage:
        person = stage.person()
        take_id = await state_of(person, state)
        told = await person.does(Cancel(take_id if by_name else None, played_ms=40.0, id="m"))
        mine = [event for event in told if event == _cancelled(event, take_id)]
        assert len(mine) == 1
        for request in stage.engine.requests:
            request.sound()
            request.complete()
        after = await person.hears()
        assert not [event for event in after if getattr(event, "take_id", None) == take_id]
        await person.does(Cancel())
        stage.scheduler.check_integrity()


def _cancelled(event: object, take_id: str) -> TakeCancelled | None:
    stream = event.stream if isinstance(event, TakeCancelled) else 0
    return TakeCancelled(take_id, stream, 40.0, "m", "hello")


async def test_a_queued_take_is_told_about_how_long_it_will_wait() -> None:
    """Five characters took two seconds: those of eleven and of five before it take 4.4 and 2."""
    async with Stage(capacity=1) as stage:
        one, other = stage.person(), stage.person()
        first = await one.speaks("hello")
        *_, warned = await one.does(Speak("hello"))
        assert isinstance(warned, Warned)
        assert (warned.seconds, warned.message[-20:]) == (None, "place 1 in the queue")
        await one.does(Cancel(warned.take_id))
        stage.now = 2.0
        one.request(first).complete()
        await one.hears()
        await one.speaks("hello hello")
        stage.now = 3.0
        *_, second = await one.does(Speak("hello"))
        *_, third = await other.does(Speak("hello", direction="softly"))
        assert isinstance(second, Warned)
        assert isinstance(third, Warned)
        assert (second.seconds, third.seconds) == (3.0, 5.0)
        assert third.message.endswith("place 2 in the queue, about 5 s")


async def test_sound_that_is_queued_when_the_cancel_comes_is_never_told() -> None:
    async with Stage() as stage:
        person = stage.person()
        take_id = await person.speaks()
        for _ in range(5):
            person.request(take_id).sound()
        await asyncio.sleep(0.01)
        assert person.session.queued_events == 5
        (told,) = await person.does(Cancel(take_id))
        assert isinstance(told, TakeCancelled)


@pytest.mark.parametrize("state", list(TakeState))
@pytest.mark.parametrize("command", [Append("", "x", "m"), Finish("", "m"), Cancel("", None, "m")])
async def test_what_does_not_fit_the_state_names_the_take_and_changes_nothing(
    state: TakeState, command: Append | Finish | Cancel
) -> None:
    fits: list[TakeState] = (
        UNDER_WAY
        if isinstance(command, Cancel)
        else [TakeState.QUEUED_OPEN, TakeState.SPEAKING_OPEN]
    )
    if state in fits:
        return
    async with Stage(capacity=1) as stage:
        person = stage.person()
        take_id = await state_of(person, state)
        (refused,) = await person.does(_with_take(command, take_id))
        assert isinstance(refused, Refused)
        assert (refused.code, refused.field, refused.reply_to) == ("wrong_state", "take_id", "m")


def _with_take(command: Append | Finish | Cancel, take_id: str) -> Command:
    match command:
        case Append():
            return Append(take_id, command.text, command.id)
        case Finish():
            return Finish(take_id, command.id)
        case Cancel():
            return Cancel(take_id, None, command.id)


@pytest.mark.parametrize(
    ("command", "code", "field"),
    [
        (Speak("hello", voice="af_hart"), "unknown_voice", "voice"),
        (Speak("hello", line_id="line_none"), "unknown_line", "line_id"),
        (Speak("x" * 101), "too_long", "text"),
        (Append("take_none", "x"), "unknown_take", "take_id"),
        (Append("take_none", "x" * 101), "too_long", "text"),
        (Finish("take_none"), "unknown_take", "take_id"),
        (Cancel("take_none"), "unknown_take", "take_id"),
        (Playback("take_none", 10.0), "unknown_take", "take_id"),
    ],
)
async def test_what_is_wrong_is_refused_with_its_field(
    command: Command, code: str, field: str
) -> None:
    async with Stage(limits=SessionLimits(text_chars=100)) as stage:
        person = stage.person()
        (refused,) = await person.does(command)
        assert isinstance(refused, Refused)
        assert (refused.code, refused.field) == (code, field)
        stage.scheduler.check_integrity()
        assert await person.speaks()


async def test_a_take_grows_to_its_limit_and_no_further() -> None:
    async with Stage(limits=SessionLimits(take_chars=10)) as stage:
        person = stage.person()
        take_id = await person.speaks("12345", more=True)
        assert await person.does(Append(take_id, "67890")) == []
        (refused,) = await person.does(Append(take_id, "x"))
        assert isinstance(refused, Refused)
        assert (refused.code, refused.field) == ("too_long", "text")
        assert await person.does(Finish(take_id)) == []


async def test_a_session_has_only_so_many_takes_at_once() -> None:
    async with Stage(limits=SessionLimits(concurrent_takes=2)) as stage:
        person = stage.person()
        await person.speaks()
        take_id = await person.speaks()
        (refused,) = await person.does(Speak("third"))
        assert isinstance(refused, Refused)
        assert refused.code == "too_many_takes"
        await person.does(Cancel(take_id))
        await person.speaks()


async def test_a_direction_is_quoted_in_a_warning_and_the_line_spoken() -> None:
    async with Stage() as stage:
        person = stage.person()
        _, warned = await person.does(Speak("hello", direction="a little gentler"))
        assert isinstance(warned, Warned)
        assert warned.code == "direction_unsupported"
        assert "'a little gentler'" in warned.message
        assert len(stage.engine.requests) == 1


async def test_a_speaker_keeps_the_voice_it_was_given() -> None:
    async with Stage() as stage:
        person = stage.person()
        await person.speaks("a", speaker="Tom", voice="am_adam")
        take_id = await person.speaks("b", speaker="Tom")
        assert person.request(take_id).utterance.voice == "am_adam"
        assert person.request(await person.speaks("c")).utterance.voice == "af_heart"


async def test_a_fresh_take_of_a_line_belongs_to_that_line() -> None:
    async with Stage() as stage:
        person = stage.person()
        first = await person.speaks("hello")
        (started,) = [event for event in person.heard if isinstance(event, TakeStarted)]
        await person.does(Cancel(first))
        (again,) = await person.does(Speak("hello", line_id=started.line_id))
        assert isinstance(again, TakeStarted)
        assert again.line_id == started.line_id
        assert (again.stream, again.take_id != first) == (2, True)


async def test_a_notice_becomes_a_warning_and_a_failure_frees_the_slot() -> None:
    async with Stage(capacity=1) as stage:
        person = stage.person()
        take_id = await person.speaks(id="m")
        person.request(take_id).notice("unreadable", "can't read: привет")
        person.request(take_id).fail(StageFailed("code2wav broke"))
        warned, failed = await person.hears()
        assert warned == Warned("unreadable", "can't read: привет", take_id, "m")
        assert failed == TakeFailed(take_id, 1, "stage_failed", "code2wav broke", "m")
        stage.scheduler.check_integrity()


async def test_an_engine_that_takes_no_more_fails_the_take() -> None:
    async with Stage() as stage:
        person = stage.person()
        stage.engine.refuse = EngineStopped("the engine is closed")
        _, failed = await person.does(Speak("hello"))
        assert isinstance(failed, TakeFailed)
        assert failed.code == "engine_stopped"
        stage.scheduler.check_integrity()


async def test_the_sound_of_a_take_that_is_over_may_still_be_reported() -> None:
    async with Stage() as stage:
        person = stage.person()
        take_id = await state_of(person, TakeState.DONE)
        assert await person.does(Playback(take_id, 100.0)) == []


async def test_cancelling_nothing_is_answered() -> None:
    async with Stage() as stage:
        (warned,) = await stage.person().does(Cancel(id="m"))
        assert isinstance(warned, Warned)
        assert (warned.code, warned.reply_to) == ("nothing_to_cancel", "m")


async def test_whoever_does_not_read_events_is_held_back() -> None:
    async with Stage(limits=SessionLimits(outbox=2)) as stage:
        person = stage.person()
        await person.session.control(Finish("take_none"), 0.0)
        held = asyncio.ensure_future(person.session.control(Finish("take_none"), 0.0))
        await asyncio.sleep(0)
        assert not held.done()
        assert len(await person.hears()) == 2
        await held


async def test_a_closed_session_ends_its_takes_and_its_events() -> None:
    async with Stage(capacity=1) as stage:
        one, two = stage.person(), stage.person()
        take_id = await one.speaks()
        other = await two.speaks()
        stage.scheduler.close(one.session.id)
        stage.scheduler.close(one.session.id)
        assert one.request(take_id).aborted
        assert [event async for event in one.session.events()] == []
        assert two.request(other)
        assert stage.scheduler.stats().sessions == 1


@pytest.mark.long
async def test_a_thousand_takes_leave_no_more_than_what_is_remembered() -> None:
    async with Stage(limits=SessionLimits(remembered_takes=16)) as stage:
        person = stage.person()
        for number in range(1000):
            take_id = await person.speaks(f"take {number}")
            person.request(take_id).complete()
            await person.hears()
            person.session.delivered(take_id)
            person.heard.clear()
            stage.engine.requests.clear()
        stage.scheduler.check_integrity()
        assert len(person.session.scene.takes()) == 16
        assert len(person.session.scene.lines) == 16


async def test_a_directed_take_tells_the_engine_its_direction_and_the_lines_before_it() -> None:
    async with Stage(can=("speak", "direct")) as stage:
        person = stage.person()
        for text in ("who is there?", "nobody"):
            take_id = await person.speaks(text)
            person.request(take_id).sound()
            person.request(take_id).complete()
            await person.hears()
            person.session.delivered(take_id)
        assert person.request(take_id).utterance.before == ()
        (started, *_) = await person.does(Direct(take_id, "slower"))
        assert isinstance(started, TakeStarted)
        utterance = person.request(started.take_id).utterance
        assert (utterance.direction, utterance.before) == ("slower", ("who is there?",))


async def directed_twice(listens: bool) -> list[Utterance]:
    """What the engine is asked for: a line with a standing direction, two directions, an edit."""
    async with Stage(can=("speak", "direct", "edit"), listens=listens) as stage:
        person, asked = stage.person(), list[Utterance]()
        take_id = await person.speaks("who is there?", direction="gentler")
        for number, step in enumerate(("slower", "sadder", None)):
            request = person.request(take_id)
            asked.append(request.utterance)
            request.sound(100 * (number + 1))
            request.complete()
            await person.hears()
            person.session.delivered(take_id)
            edit = Edit(take_id, text="who was there?")
            (started, *_) = await person.does(edit if step is None else Direct(take_id, step))
            assert isinstance(started, TakeStarted)
            take_id = started.take_id
        return [*asked, person.request(take_id).utterance]


async def test_the_engine_is_told_of_the_directions_that_a_take_comes_from() -> None:
    asked = await directed_twice(listens=False)
    assert [one.directions for one in asked] == [
        (),
        ("gentler",),
        ("gentler", "slower"),
        ("gentler", "slower", "sadder"),
    ]
    assert [one.direction for one in asked] == ["gentler", "slower", "sadder", None]
    assert [one.earlier for one in asked] == [None] * 4


async def test_an_engine_that_listens_gets_the_take_that_is_said_otherwise() -> None:
    asked = await directed_twice(listens=True)
    heard = [None if one.earlier is None else len(one.earlier.samples) for one in asked]
    assert heard == [None, 100, 200, None]
    assert asked[1].parent is None


async def test_an_engine_that_reads_gets_words_that_nobody_here_understands() -> None:
    async with Stage(can=("speak", "direct", "edit"), reads=True) as stage:
        person = stage.person()
        take_id = await person.speaks("who is there?", direction="like an old captain")
        person.request(take_id).sound()
        person.request(take_id).complete()
        await person.hears()
        person.session.delivered(take_id)
        (started, *others) = await person.does(Direct(take_id, "zxqv blorp"))
        assert isinstance(started, TakeStarted)
        assert not [event for event in (*person.heard, *others) if isinstance(event, Warned)]
        utterance = person.request(started.take_id).utterance
        assert utterance.direction == "zxqv blorp"
        assert utterance.directions == ("like an old captain",)
        assert utterance.parent is None
