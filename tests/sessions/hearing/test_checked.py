"""An edit is heard right or tried again; nobody hears what is taken back; time is passed in."""

import asyncio

import numpy as np
import pytest

from engine.errors import EngineStopped
from engine.types import Failed, Finished, Pcm
from sessions.events import Recognised
from sessions.hearing import Checks
from sessions.hearing.judging import JudgeFailed
from tests.sessions.hearing.edits import RATE, WORD, edit, made
from tests.sessions.scripted import INFO

LINE = " ".join(["one two three four five six seven eight nine ten eleven twelve"] * 2)
NEW = LINE.replace("twelve", "dodici")
LATE = "".join(LINE.rsplit("twelve", 1)[0]) + "dodici"
EARLY = "uno" + LINE[3:]


class Tape:
    """An engine that makes an edit at once."""

    info = INFO

    def __init__(self, stopped_after: int = 99, fails_after: int = 99) -> None:
        self.asked = []
        self.credits = []
        self.aborted = 0
        self.stopped_after, self.fails_after = stopped_after, fails_after

    def submit(self, said):
        if len(self.asked) >= self.stopped_after:
            raise EngineStopped
        self.asked.append(said)
        return Made(self, said, len(self.asked))


class Made:
    def __init__(self, tape, said, number):
        self.tape, self.said, self.number = tape, said, number

    def credit(self, credit):
        self.tape.credits.append(credit)

    def abort(self):
        self.tape.aborted += 1

    async def __aiter__(self):
        outputs = made(self.said, self.number)
        if self.number > self.tape.fails_after:
            outputs = [*outputs[:2], Failed(self.said.request, self.said.epoch, EngineStopped())]
        for output in outputs:
            await asyncio.sleep(0)
            yield output


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class Script:
    """Hears what the test says, and takes a while by the clock."""

    ready = True

    def __init__(self, clock, *heard, seconds=0.5):
        self.clock, self.heard, self.seconds = clock, list(heard), seconds
        self.sounds = []

    async def hear(self, sound, sample_rate):
        assert sample_rate == RATE
        self.sounds.append(sound)
        self.clock.now += self.seconds
        heard = self.heard.pop(0)
        if heard is None:
            raise JudgeFailed("no ears")
        return heard

    def normalise(self, text):
        return text.lower().replace(".", "")


class Listening:
    def __init__(self, *heard, tape=None):
        self.clock = Clock()
        self.tape = tape or Tape()
        self.judge = Script(self.clock, *heard)
        self.checks = Checks(self.tape, self.judge, self.clock)

    async def edit(self, old, new):
        """(outputs, at what time each came, the request)"""
        request = self.checks.request(edit(old, new))
        outputs = [(output, self.clock.now) async for output in request]
        return [output for output, _ in outputs], [at for _, at in outputs], request


def sound(outputs):
    return np.concatenate([one.samples for one in outputs if isinstance(one, Pcm)])


def assert_whole(outputs):
    """Windows and words follow each other, and the end comes once, last."""
    windows, end = outputs[:-1], outputs[-1]
    assert isinstance(end, Finished)
    at = 0
    for window in windows:
        assert window.start == at
        at += len(window.samples)
    assert end.samples == at
    indexes = [word.index for window in windows for word in window.words]
    assert indexes == list(range(len(indexes)))


async def test_what_is_heard_right_is_made_once():
    listening = Listening(LATE)
    outputs, _, request = await listening.edit(LINE, LATE)
    assert_whole(outputs)
    assert request.recognised == Recognised(True, "dodici", 1)
    assert len(listening.tape.asked) == 1
    assert listening.checks.stats().right == 1


@pytest.mark.parametrize(
    ("new", "word", "wrong"), [(LATE, "dodici", 1), (LATE, "dodici", 2), (EARLY, "uno", 3)]
)
async def test_what_is_heard_wrong_is_tried_again(new, word, wrong):
    listening = Listening(*[LINE] * wrong, new)
    outputs, _, request = await listening.edit(LINE, new)
    assert_whole(outputs)
    assert request.recognised == Recognised(True, word, wrong + 1)
    assert sound(outputs).max() == 1000 + wrong + 1
    assert listening.checks.stats().mended == 1
    spans = [span for one in outputs[:-1] for span in one.changed]
    changed = np.zeros(len(sound(outputs)), bool)
    for start, stop in spans:
        changed[start:stop] = True
    np.testing.assert_array_equal(changed, sound(outputs) >= 1000)


async def test_what_is_never_right_is_the_first_try_and_says_so():
    listening = Listening(*[LINE] * 4)
    outputs, _, request = await listening.edit(LINE, EARLY)
    assert_whole(outputs)
    assert request.recognised == Recognised(False, "one", 4)
    assert sound(outputs).max() == 1001
    assert listening.checks.stats().wrong == 1


async def test_a_long_beginning_is_heard_at_once_and_stays():
    listening = Listening(LINE, LATE)
    outputs, times, _ = await listening.edit(LINE, LATE)
    early = [one for one, at in zip(outputs, times, strict=True) if at == 0]
    assert sum(len(one.samples) for one in early) >= RATE
    assert not any(one.changed for one in early)
    passed = sum(len(one.samples) for one in early)
    np.testing.assert_array_equal(sound(outputs)[:passed], sound(early))


async def test_a_beginning_that_would_run_dry_waits_for_the_verdict():
    listening = Listening(EARLY)
    _, times, _ = await listening.edit(LINE, EARLY)
    assert min(times) == 0.5


async def test_how_long_a_beginning_must_be_is_learnt():
    listening = Listening(*[NEW] * 40)
    for _ in range(20):
        await listening.edit(LINE, NEW)
    _, times, _ = await listening.edit(LINE, NEW)
    assert listening.checks.typical_s == pytest.approx(0.5, abs=0.05)
    assert times[0] == listening.clock.now - 0.5


async def test_a_try_that_does_not_begin_as_was_heard_is_passed_over():
    listening = Listening(LINE, LATE)
    submit = listening.tape.submit

    def other(said):
        request = submit(said)
        if request.number == 2:
            request.said = edit(LINE, EARLY)
        return request

    listening.tape.submit = other
    outputs, _, request = await listening.edit(LINE, LATE)
    assert_whole(outputs)
    assert request.recognised == Recognised(True, "dodici", 2)
    assert len(listening.tape.asked) == 3


@pytest.mark.parametrize("tape", [Tape(stopped_after=1), Tape(fails_after=1)])
async def test_where_no_other_try_can_be_made_the_first_stays(tape):
    listening = Listening(LINE, tape=tape)
    outputs, _, request = await listening.edit(LINE, LATE)
    assert_whole(outputs)
    assert request.recognised == Recognised(False, "twelve", 1)


async def test_who_can_not_listen_stops_nothing():
    listening = Listening(None)
    outputs, _, request = await listening.edit(LINE, LATE)
    assert_whole(outputs)
    assert request.recognised is None
    assert listening.checks.stats().failed == 1


async def test_a_first_try_that_fails_is_told():
    listening = Listening(tape=Tape(fails_after=0))
    outputs, _, request = await listening.edit(LINE, EARLY)
    assert [type(one) for one in outputs] == [Failed]
    assert request.recognised is None


async def test_it_is_made_without_waiting_for_the_listener_and_can_be_aborted():
    listening = Listening(LATE)
    _, _, request = await listening.edit(LINE, LATE)
    assert listening.tape.credits[0].until > len(LINE.split()) * WORD
    request.abort()
    assert listening.tape.aborted == 1


def test_what_can_not_be_listened_to_is_made_as_ever():
    listening = Listening()
    said = edit(LINE, LATE)
    listening.judge.ready = False
    assert listening.checks.request(said) is None
    listening.judge.ready = True
    assert listening.checks.request(said) is not None
    listening.tape.info = INFO
    long = " ".join(["word"] * 1300)
    assert listening.checks.request(edit(long, long + " more")) is None
