"""Sessions against a simple model: whatever is done in whatever order, every take has a beginning
and at most one end, nothing comes after it, slots balance, and the store knows what happened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from engine.errors import StageFailed
from sessions.commands import Append, Cancel, Command, Direct, Edit, Finish, Keep, Perform, Speak
from sessions.errors import SessionsFull
from sessions.events import (
    Event,
    Refused,
    SceneDone,
    SceneStarted,
    TakeAudio,
    TakeCancelled,
    TakeFailed,
    TakeFinished,
    TakeKept,
    TakeStarted,
    TakeWords,
    Warned,
)
from sessions.limits import SessionLimits
from sessions.scenes import LOOK_AHEAD
from sessions.states import TakeState
from tests.sessions.scripted import EVERYTHING, ScriptedRequest
from tests.sessions.stage import Person, Stage

T = TypeVar("T")
CAPACITY, QUEUED = 2, 2
LIMITS = SessionLimits(
    concurrent_takes=4, queued_takes=QUEUED, sessions=3, remembered_takes=4, take_chars=20
)
picks = st.integers(0, 10**6)
texts = st.text("ab ", max_size=12)


@dataclass(eq=False)
class Modelled:
    """A take as the model has it. whole: all its sound is there, so that it can be kept."""

    person: Person
    take_id: str
    line_id: str
    text: str
    open: bool
    scene_id: str | None = None
    made: bool = False
    samples: int = 0
    state: TakeState | None = None

    @property
    def over(self) -> bool:
        return self.state is not None

    @property
    def whole(self) -> bool:
        return self.made and (self.state is not TakeState.CANCELLED or self.samples > 0)


@dataclass
class Here:
    """Somebody, and how much of what they were told the model has seen."""

    person: Person
    seen: int = 0
    kept: dict[str, str] = field(default_factory=dict)


class Sessions(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.stage = self.runner.run(Stage(CAPACITY, LIMITS, EVERYTHING).__aenter__())
        self.here: list[Here] = []
        self.all: list[Modelled] = []

    def teardown(self) -> None:
        for one in self.here:
            self.check_stored(one)
        self.runner.run(self.stage.__aexit__())
        self.runner.close()

    def check_stored(self, one: Here) -> None:
        """The store has every take, with its parent before it, and what was kept."""
        record = self.runner.run(self.stage.store.load_session(one.person.session.id))
        takes = {take.id: take for take in record.takes}
        modelled = [take for take in self.all if take.person is one.person]
        assert set(takes) == {take.take_id for take in modelled}
        for take in modelled:
            if take.over:
                assert takes[take.take_id].state is take.state
            if take.over or take.made:
                assert takes[take.take_id].text == take.text
            assert takes[take.take_id].samples == (take.samples if take.made else 0)
        assert record.kept == one.kept

    def at_once(self, call: Callable[[], T]) -> T:
        """Called where there is a loop."""

        async def called() -> T:
            return call()

        return self.runner.run(called())

    def does(self, person: Person, command: Command) -> list[Event]:
        answers = self.runner.run(person.does(command))
        self.learn()
        return answers

    def hear_all(self) -> None:
        for one in self.here:
            self.runner.run(one.person.hears())
        self.learn()

    def learn(self) -> None:
        """Takes that began by themselves, as lines of a scene do."""
        for one in self.here:
            for event in one.person.heard[one.seen :]:
                if isinstance(event, TakeStarted):
                    known = Modelled(
                        one.person,
                        event.take_id,
                        event.line_id,
                        event.text,
                        False,
                        event.scene_id if event.reply_to == "perform" else None,
                    )
                    self.all.append(known)
            one.seen = len(one.person.heard)

    def under_way(self, person: Person | None = None) -> list[Modelled]:
        return [take for take in self.all if not take.over and person in (None, take.person)]

    def request(self, take: Modelled) -> ScriptedRequest | None:
        ids = [request.id for request in self.stage.engine.requests]
        return take.person.request(take.take_id) if take.take_id in ids else None

    def take(self, pick: int) -> Modelled | None:
        """One of the takes of those who are here."""
        people = [one.person for one in self.here]
        takes = [take for take in self.all if take.person in people]
        return takes[pick % len(takes)] if takes else None

    def one(self, person: Person) -> Here:
        return next(one for one in self.here if one.person is person)

    def room(self, person: Person) -> str | None:
        """The code with which another take would be refused."""
        if len(self.under_way(person)) >= LIMITS.concurrent_takes:
            return "too_many_takes"
        stats = self.stage.scheduler.stats()
        return "busy" if stats.speaking == CAPACITY and stats.waiting == QUEUED else None

    @rule()
    def come(self) -> None:
        try:
            person = self.at_once(self.stage.person)
        except SessionsFull:
            assert len(self.here) == LIMITS.sessions
            return
        self.here.append(Here(person))

    @precondition(lambda self: self.here)
    @rule(pick=picks)
    def leave(self, pick: int) -> None:
        one = self.here[pick % len(self.here)]
        self.hear_all()
        self.at_once(lambda: self.stage.scheduler.close(one.person.session.id))
        for take in self.under_way(one.person):
            take.state = TakeState.CANCELLED
        self.check_stored(one)
        self.here.remove(one)
        self.hear_all()

    @precondition(lambda self: self.here)
    @rule(pick=picks, text=texts, more=st.booleans())
    def speak(self, pick: int, text: str, more: bool) -> None:
        person = self.here[pick % len(self.here)].person
        self.asks(person, Speak(text, more=more), None)

    def asks(self, person: Person, command: Command, wrong: str | None) -> None:
        """Whatever asks for a take is refused for the same reasons, or begins one."""
        code = wrong or self.room(person)
        full = self.stage.scheduler.stats().speaking == CAPACITY
        count = len(self.all)
        (first, *others) = self.does(person, command)
        if code is not None:
            assert isinstance(first, Refused)
            assert first.code == code
            return
        assert isinstance(first, TakeStarted)
        queued = [one for one in others if isinstance(one, Warned) and one.code == "queued"]
        assert len(queued) == full
        self.all[count].open = isinstance(command, Speak) and command.more

    @rule(pick=picks, text=texts)
    def append(self, pick: int, text: str) -> None:
        if (take := self.take(pick)) is None:
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

    @rule(pick=picks)
    def finish(self, pick: int) -> None:
        if (take := self.take(pick)) is None:
            return
        answers = self.does(take.person, Finish(take.take_id))
        expected = [] if take.open and not take.over else [Refused]
        assert [type(answer) for answer in answers] == expected
        take.open = False

    def wrong(self, take: Modelled) -> str | None:
        """Why a new take can't start from this one."""
        failed = take.state is TakeState.FAILED
        return "wrong_state" if failed or (not take.over and not take.made) else None

    @rule(pick=picks, direction=st.sampled_from(["slower", "whisper “b”", "zxqv"]))
    def direct(self, pick: int, direction: str) -> None:
        if (take := self.take(pick)) is None:
            return
        quoted = "b" in direction and "b" not in take.text.split()
        lost = "direction_not_understood" if quoted or direction == "zxqv" else None
        command = Direct(take.take_id, direction)
        self.asks(take.person, command, self.wrong(take) or lost)

    @rule(pick=picks)
    def edit(self, pick: int) -> None:
        if (take := self.take(pick)) is None:
            return
        text = take.text + " ab"
        long = "too_long" if len(text) > LIMITS.take_chars else None
        self.asks(take.person, Edit(take.take_id, text), long or self.wrong(take))

    @rule(pick=picks)
    def keep(self, pick: int) -> None:
        if (take := self.take(pick)) is None:
            return
        (answer,) = self.does(take.person, Keep(take.take_id))
        if self.wrong(take) or not take.whole:
            assert isinstance(answer, Refused)
            assert answer.code == "wrong_state"
            return
        assert answer == TakeKept(take.take_id, take.line_id)
        self.one(take.person).kept[take.line_id] = take.take_id

    @precondition(lambda self: self.here)
    @rule(pick=picks, lines=st.integers(1, 5))
    def perform(self, pick: int, lines: int) -> None:
        person = self.here[pick % len(self.here)].person
        busy = self.performing(person)
        script = "\n".join(f"{'AB'[n % 2]}: ab" for n in range(lines))
        (first, *_) = self.does(person, Perform(script, "plain", id="perform"))
        assert isinstance(first, Refused if busy else SceneStarted)

    @rule(pick=picks)
    def cancel(self, pick: int) -> None:
        if (take := self.take(pick)) is None:
            return
        answers = self.does(take.person, Cancel(take.take_id))
        assert isinstance(answers[0], Refused if take.over else TakeCancelled)
        take.state = take.state or TakeState.CANCELLED
        self.hear_all()

    @precondition(lambda self: self.here)
    @rule(pick=picks)
    def cancel_all(self, pick: int) -> None:
        person = self.here[pick % len(self.here)].person
        ended, performing = self.under_way(person), self.performing(person)
        answers = self.does(person, Cancel())
        assert len(answers) == max(1, len(ended) + performing)
        assert isinstance(answers[-1], SceneDone) is performing
        for take in ended:
            take.state = TakeState.CANCELLED
        self.hear_all()

    @precondition(lambda self: self.stage.scheduler.stats().speaking)
    @rule(data=st.data(), what=st.sampled_from(["sound", "complete", "complete", "fail"]))
    def engine_makes(self, data: st.DataObject, what: str) -> None:
        made = [
            (take, request)
            for take in self.under_way()
            if (request := self.request(take)) is not None and not take.made
        ]
        take, request = data.draw(st.sampled_from(made))
        if what == "sound":
            request.sound(10)
            take.samples += 10
        elif what == "fail":
            request.fail(StageFailed("broke"))
            take.state = TakeState.FAILED
        elif not take.open:
            request.complete()
            take.made = True
        self.hear_all()

    @rule(pick=picks)
    def deliver(self, pick: int) -> None:
        take = self.take(pick)
        if take is not None and take.made and not take.over:
            self.at_once(lambda: take.person.session.delivered(take.take_id))
            take.state = TakeState.DONE
            self.hear_all()

    def performing(self, person: Person) -> bool:
        begun = sum(isinstance(event, SceneStarted) for event in person.heard)
        return begun > sum(isinstance(event, SceneDone) for event in person.heard)

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

    @invariant()
    def scenes_go_on_in_order_and_not_too_far(self) -> None:
        for one in self.here:
            lines = [take for take in self.under_way(one.person) if take.scene_id is not None]
            assert len(lines) <= LOOK_AHEAD + 1
            assert all(take.made for take in lines[:-1])
            if lines:
                assert self.performing(one.person)


def _about(event: Event, take_id: str) -> bool:
    match event:
        case TakeStarted() | TakeAudio() | TakeWords() | TakeFinished():
            return event.take_id == take_id
        case TakeCancelled() | TakeFailed() | Warned():
            return event.take_id == take_id
        case Refused() | TakeKept() | SceneStarted() | SceneDone():
            return False


TestSessions = Sessions.TestCase
TestSessions.settings = settings(max_examples=40, stateful_step_count=30)
