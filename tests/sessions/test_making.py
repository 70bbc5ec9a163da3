"""A take is asked for when its command was read, on every way there is to ask for one.

The scheduler's clock stands at 10 while commands were read at 9, so that it would show if anybody
looked at the clock instead.
"""

from __future__ import annotations

import numpy as np
import pytest

from engine.types import Epoch, Pcm, RequestId
from sessions.commands import Append, Command, Direct, Edit, Finish, Perform, Speak
from sessions.events import Making, TakeFinished, TakeStarted
from sessions.making import WINDOWS, MakingRecord
from tests.sessions.scripted import EVERYTHING
from tests.sessions.stage import Person, Stage

READ_AT = 9.0
NOW = 10.0


def started(events: list[object]) -> str:
    """The take that was begun."""
    (take_id,) = (event.take_id for event in events if isinstance(event, TakeStarted))
    return take_id


async def made(person: Person, take_id: str) -> Making:
    """What is told of how it was made, once it is."""
    request = person.request(take_id)
    request.sound(100, "hello", frames=4, began=11.0)
    request.sound(200, frames=10, began=12.0)
    request.complete()
    (finished,) = (one for one in await person.hears() if isinstance(one, TakeFinished))
    assert finished.take_id == take_id
    return finished.making


async def test_speak_counts_from_its_frame_read() -> None:
    async with Stage() as stage:
        stage.now = NOW
        person = stage.person()
        take_id = started([*await person.does(Speak("hello"), READ_AT)])
        stage.now = 20.0
        assert await made(person, take_id) == Making(READ_AT, 0.0, 11.0, (4, 10))


@pytest.mark.parametrize("command", ["direct", "edit"])
async def test_a_take_of_a_take_counts_from_its_frame_read(command: str) -> None:
    async with Stage(can=EVERYTHING) as stage:
        stage.now = 5.0
        person = stage.person()
        parent = await person.speaks()
        await made(person, parent)
        stage.now = NOW
        asked: Command = Direct(parent, "slower")
        if command == "edit":
            asked = Edit(parent, text="goodbye")
        take_id = started([*await person.does(asked, READ_AT)])
        assert (await made(person, take_id)).asked_at == READ_AT


@pytest.mark.parametrize("opening", ["", " "])
async def test_text_still_to_come_counts_from_the_frame_that_brought_the_first(
    opening: str,
) -> None:
    async with Stage() as stage:
        person = stage.person()
        take_id = await person.speaks(opening, more=True)
        stage.now = NOW
        await person.does(Append(take_id, "hel"), READ_AT)
        await person.does(Append(take_id, "lo"), 9.5)
        await person.does(Finish(take_id), 9.75)
        assert (await made(person, take_id)).asked_at == READ_AT


async def test_text_that_came_with_speak_counts_from_that_whatever_follows() -> None:
    async with Stage() as stage:
        stage.now = NOW
        person = stage.person()
        take_id = started([*await person.does(Speak("hel", more=True), READ_AT)])
        await person.does(Append(take_id, "lo"), 9.5)
        await person.does(Finish(take_id), 9.75)
        assert (await made(person, take_id)).asked_at == READ_AT


async def test_a_wait_in_the_queue_counts_and_is_told() -> None:
    async with Stage(capacity=1) as stage:
        stage.now = NOW
        person = stage.person()
        first = await person.speaks()
        take_id = started([*await person.does(Speak("hello"), READ_AT)])
        stage.now = 12.5
        assert (await made(person, first)).queued_s == 0.0
        stage.now = 20.0
        assert await made(person, take_id) == Making(READ_AT, 3.5, 11.0, (4, 10))


async def test_a_take_that_waited_for_its_text_too_did_not_wait_longer_than_since_then() -> None:
    async with Stage(capacity=1) as stage:
        person = stage.person()
        first = await person.speaks()
        take_id = await person.speaks("", more=True)
        stage.now = 8.0
        await made(person, first)
        stage.now = NOW
        await person.does(Append(take_id, "hello"), READ_AT)
        await person.does(Finish(take_id), READ_AT)
        assert (await made(person, take_id)).queued_s == 0.0


async def test_lines_of_a_scene_count_from_their_turn_and_the_first_from_the_command() -> None:
    async with Stage() as stage:
        stage.now = NOW
        person = stage.person()
        script = "ANNA: One.\n\nBERT: Two.\n\nANNA: Three.\n"
        first = started([*await person.does(Perform(script, format="plain"), READ_AT)])
        stage.now = 30.0
        asked = [(await made(person, first)).asked_at]
        for turn in (30.0, 31.0):
            (take_id,) = (one.id for one in stage.engine.requests[len(asked) :])
            stage.now = turn + 1
            asked.append((await made(person, take_id)).asked_at)
        assert asked == [READ_AT, 30.0, 31.0]


async def test_script_that_is_added_while_nothing_is_left_counts_from_its_command() -> None:
    async with Stage() as stage:
        person = stage.person()
        events = await person.does(Perform("ANNA: One.\n\n", format="plain", more=True), 0.0)
        scene_id = next(one.scene_id for one in events if isinstance(one, TakeStarted))
        await person.does(Perform("BERT: Two.\n\n", "plain", scene_id=scene_id, more=True), 1.0)
        await made(person, started([*events]))
        stage.now = 2.0
        await made(person, stage.engine.requests[1].id)
        stage.now = NOW
        await person.does(Perform("ANNA: Three.\n\n", "plain", scene_id=scene_id), READ_AT)
        assert (await made(person, stage.engine.requests[2].id)).asked_at == READ_AT


def test_no_more_windows_are_told_than_the_bound() -> None:
    record = MakingRecord(READ_AT)
    for number in range(2 * WINDOWS):
        silence = np.zeros(10, np.int16)
        record.window(Pcm(RequestId("t"), Epoch(1), 10 * number, silence, frames=number))
    assert record.told() == Making(READ_AT, windows=tuple(range(WINDOWS)))
