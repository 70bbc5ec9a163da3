"""An edit in a session: listened to where somebody can, and as ever where nobody does."""

import pytest

from sessions.commands import Cancel, Edit
from sessions.events import Recognised, TakeAudio, TakeCancelled, TakeFinished, TakeStarted
from tests.sessions.stage import Stage


class Ears:
    """Hears what it is told to."""

    ready = True

    def __init__(self, *heard: str) -> None:
        self.heard = list(heard)

    async def hear(self, sound, sample_rate):
        assert len(sound)
        return self.heard.pop(0)

    def normalise(self, text):
        return text


async def spoken(stage, person):
    take = await person.speaks("hello")
    person.request(take).sound(2_400, "hello")
    person.request(take).complete()
    await person.hears()
    person.session.delivered(take)
    return take


async def edited(stage, person):
    """The new take, with its first window made."""
    take = await spoken(stage, person)
    started, *_ = await person.does(Edit(take, text="goodbye"))
    assert isinstance(started, TakeStarted)
    person.request(started.take_id).sound(2_400, "goodbye")
    return started.take_id


async def test_an_edit_is_told_as_it_was_heard() -> None:
    async with Stage(can=("speak", "edit"), judge=Ears("goodbye")) as stage:
        person = stage.person()
        take = await edited(stage, person)
        assert not await person.hears()
        person.request(take).complete()
        *_, sound, finished = await person.hears()
        assert isinstance(sound, TakeAudio)
        assert isinstance(finished, TakeFinished)
        assert finished.heard == Recognised(True, "goodbye", 1)
        assert stage.scheduler.checks.stats().right == 1
        person.session.delivered(take)
        assert (await stage.store.load_take(take)).take.heard == finished.heard


@pytest.mark.parametrize("judge", [None, Ears()])
async def test_without_ears_nothing_is_held_back_or_said(judge) -> None:
    if judge is not None:
        judge.ready = False
    async with Stage(can=("speak", "edit"), judge=judge) as stage:
        person = stage.person()
        take = await edited(stage, person)
        assert any(isinstance(event, TakeAudio) for event in await person.hears())
        person.request(take).complete()
        (finished,) = await person.hears()
        assert finished.heard is None
        person.session.delivered(take)


async def test_an_edit_that_is_held_back_can_be_cancelled() -> None:
    async with Stage(can=("speak", "edit"), judge=Ears()) as stage:
        person = stage.person()
        take = await edited(stage, person)
        (cancelled,) = await person.does(Cancel(take))
        assert isinstance(cancelled, TakeCancelled)
        assert person.request(take).aborted
        assert not await person.hears()
