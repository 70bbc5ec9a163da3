"""Sessions against a simple model: whatever is done in whatever order, every take has a beginning
and at most one end, nothing comes after it, and the slots balance."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    precondition,
    rule,
)

from engine.errors import StageFailed
from sessions.commands import Append, Cancel, Command, Finish, Speak
from sessions.errors import SessionsFull
from sessions.events import (
    Event,
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
from tests.sessions.scripted import ScriptedRequest
from tests.sessions.stage import Person, Stage

T = TypeVar("T")
CAPACITY, QUEUED = 2, 2
LIMITS = SessionLimits(
    concurrent_takes=3, queued_takes=QUEUED, sessions=3, remembered_takes=4, take_chars=20
)


@dataclass(eq=False)
class Modelled:
    """A take as the model has it."""

    person: Person
    take_id: str
    text: str
    open: bool
    made: bool = False
    over: bool = False


class Sessions(RuleBasedStateMachine):
    people = Bundle("people")
    takes = Bundle("takes")

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.stage = self.runner.run(self._begin())
        self.here: list[Person] = []
        self.all: list[Modelled] = []

    async def _begin(self) -> Stage:
        return await Stage(CAPACITY, LIMITS).__aenter__()

    def teardown(self) -> None:
        self.runner.run(self.stage.__aexit__())
        self.runner.close()

    def does(self, person: Person, command: Command) -> list[Event]:
        return self.runner.run(person.does(command))

    def at_once(self, call: Callable[[], T]) -> T:
        """Called where there is a loop."""

        async def called() -> T:
            return call()

        return self.runner.run(called())

    def hear_all(self) -> None:
        for person in self.here:
            self.runner.run(person.hears())

    def under_way(self, person: Person | None = None) -> list[Modelled]:
        return [take for take in self.all if not take.over and person in (None, take.person)]

    def request(self, take: Modelled) -> ScriptedRequest | None:
        ids = [request.id for request in self.stage.engine.requests]
        return take.person.request(take.take_id) if take.take_id in ids else None

    @rule(target=people)
    def come(self) -> object:
        try:
            person = self.at_once(self.stage.person)
        except SessionsFull:
            assert len(self.here) == LIMITS.sessions
            return multiple()
        self.here.append(person)
        return person

    @rule(person=consumes(people))
    def leave(self, person: Person) -> None:
        self.at_once(lambda: self.stage.scheduler.close(person.session.id))
        self.here.remove(person)
        for take in self.under_way(person):
            take.over = True
        self.hear_all()

    @rule(target=takes, person=people, text=st.text("ab ", max_size=12), more=st.booleans())
    def speak(self, person: Person, text: str, more: bool) -> object:
        many = len(self.under_way(person)) >= LIMITS.concurrent_takes
        stats = self.stage.scheduler.stats()
        busy = stats.speaking == CAPACITY and stats.waiting == QUEUED
        (first, *others) = self.does(person, Speak(text, more=more))
        if many or busy:
            assert isinstance(first, Refused)
            assert first.code == ("too_many_takes" if many else "busy")
            return multiple()
        assert isinstance(first, TakeStarted)
        assert [type(other) for other in others] == ([Warned] if stats.speaking == CAPACITY else [])
        take = Modelled(person, first.take_id, text, more)
        self.all.append(take)
        return take

    @rule(take=takes, text=st.text("ab ", max_size=12))
    def append(self, take: Modelled, text: str) -> None:
        if take.person not in self.here:
            return
        answers = self.does(take.person, Append(take.take_id, text))
        fits = len(take.text) + len(text) <= LIMITS.take_chars
        if take.over or not take.open or not fits:
            (refused,) = answers
            assert isinstance(refused, Refused)
            assert refused.field == ("text" if not take.over and take.open else "take_id")
            return
        assert answers == []
        take.text += text

    @rule(take=takes)
    def finish(self, take: Modelled) -> None:
        if take.person not in self.here:
            return
        answers = self.does(take.person, Finish(take.take_id))
        assert [type(answer) for answer in answers] == (
            [] if take.open and not take.over else [Refused]
        )
        take.open = False

    @rule(take=takes)
    def cancel(self, take: Modelled) -> None:
        if take.person not in self.here:
            return
        answers = self.does(take.person, Cancel(take.take_id))
        (only,) = answers
        assert isinstance(only, Refused if take.over else TakeCancelled)
        take.over = True
        self.hear_all()

    @rule(person=people)
    def cancel_all(self, person: Person) -> None:
        ended = self.under_way(person)
        answers = self.does(person, Cancel())
        assert len(answers) == max(1, len(ended))
        for take in ended:
            take.over = True
        self.hear_all()

    @precondition(lambda self: self.stage.scheduler.stats().speaking)
    @rule(data=st.data(), what=st.sampled_from(["sound", "complete", "fail"]))
    def engine_makes(self, data: st.DataObject, what: str) -> None:
        made = [
            (take, request)
            for take in self.under_way()
            if (request := self.request(take)) is not None and not take.made
        ]
        take, request = data.draw(st.sampled_from(made))
        if what == "sound":
            request.sound(10, "a")
        elif what == "fail":
            request.fail(StageFailed("broke"))
            take.over = True
        elif not take.open:
            request.complete()
            take.made = True
        self.hear_all()

    @rule(take=takes)
    def deliver(self, take: Modelled) -> None:
        if take.made and not take.over:
            self.at_once(lambda: take.person.session.delivered(take.take_id))
            take.over = True

    @invariant()
    def every_take_has_one_beginning_and_at_most_one_end(self) -> None:
        for take in self.all:
            told = [event for event in take.person.heard if _about(event, take.take_id)]
            assert isinstance(told[0], TakeStarted)
            ends = [isinstance(event, TakeCancelled | TakeFailed) for event in told]
            assert sum(ends) <= 1
            assert not any(ends[:-1])
            assert sum(isinstance(event, TakeFinished) for event in told) == take.made

    @invariant()
    def slots_balance(self) -> None:
        stats = self.stage.scheduler.stats()
        holding = [take for take in self.under_way() if not take.made]
        assert stats.speaking + stats.waiting == len(holding)
        assert stats.speaking == min(CAPACITY, len(holding))
        assert stats.under_way == len(self.under_way())

    @invariant()
    def what_the_engine_has_is_the_text_that_was_said(self) -> None:
        for take in self.under_way():
            request = self.request(take)
            if request is not None:
                assert request.utterance.text + "".join(request.appended) == take.text
                assert request.finished is not take.open


def _about(event: Event, take_id: str) -> bool:
    match event:
        case TakeStarted() | TakeAudio() | TakeWords() | TakeFinished():
            return event.take_id == take_id
        case TakeCancelled() | TakeFailed() | Warned():
            return event.take_id == take_id
        case Refused():
            return False


TestSessions = Sessions.TestCase
TestSessions.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
