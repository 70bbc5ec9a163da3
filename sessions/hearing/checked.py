"""An edit that is listened to before its changed words are handed on."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, assert_never

import numpy as np

from engine.api import Engine, Request
from engine.errors import EngineError
from engine.types import (
    ClauseScore,
    Credit,
    Failed,
    Finished,
    Int16,
    Notice,
    Output,
    Part,
    Pause,
    Pcm,
    RequestId,
    Utterance,
)
from sessions.events import Recognised
from sessions.hearing.judging import Judge, JudgeFailed, Verdict, judged
from sessions.hearing.passages import passages
from sessions.hearing.retries import retries, starts_before

log = logging.getLogger(__name__)

LONGEST_S: Final = 120.0
"""A longer take is not listened to: it would have to be made and held whole."""
JOIN_S: Final = 0.2
"""How far from a changed word a join may lie."""
ALL: Final = Credit(until=2**62)


@dataclass(frozen=True, slots=True)
class ChecksStats:
    """Edits that were listened to, by what came of them: right at once, mended by another try, or
    never right; failed: the recogniser could not listen. seconds: to the last verdict."""

    right: int
    mended: int
    wrong: int
    failed: int
    seconds: float


class Checks:
    """Makes edits that are listened to. clock: monotonic seconds."""

    def __init__(
        self, engine: Engine, judge: Judge, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._engine = engine
        self._judge = judge
        self._clock = clock
        self._counts = {"right": 0, "mended": 0, "wrong": 0, "failed": 0}
        self._seconds = 0.0
        self._typical = 1.0

    def request(self, said: Utterance) -> CheckedRequest | None:
        """The edit, begun; None if nobody can listen to it. Raises as `Engine.submit`."""
        rate = self._engine.info.sample_rate
        parent = said.parent
        fits = parent is not None and said.changes and len(parent.samples) <= LONGEST_S * rate
        if not fits or not self._judge.ready:
            return None
        return CheckedRequest(said, self._engine, self._judge, self)

    @property
    def typical_s(self) -> float:
        """From the request to the verdict, of late."""
        return self._typical

    def now(self) -> float:
        return self._clock()

    def ended(self, recognised: Recognised | None, seconds: float) -> None:
        """Counts an edit; None: nobody could listen."""
        self._seconds += seconds
        self._counts[_outcome(recognised)] += 1

    def judged(self, seconds: float) -> None:
        """A first verdict came so long after the request."""
        self._typical += (seconds - self._typical) / 4

    def stats(self) -> ChecksStats:
        return ChecksStats(**self._counts, seconds=self._seconds)


def _outcome(recognised: Recognised | None) -> str:
    if recognised is None:
        return "failed"
    if not recognised.right:
        return "wrong"
    return "right" if recognised.tries == 1 else "mended"


@dataclass(frozen=True, slots=True, eq=False)
class _Made:
    """A try, made to its end."""

    said: Utterance
    windows: tuple[Pcm, ...]
    finished: Finished

    @property
    def samples(self) -> Int16:
        parts = [pcm.samples for pcm in self.windows]
        return np.concatenate(parts) if parts else np.zeros(0, np.int16)

    @property
    def scores(self) -> list[ClauseScore]:
        return [score for pcm in self.windows for score in pcm.scores]


class CheckedRequest:
    """A `Request` of an edit. Its sound comes as ever up to the words before the change, where that
    lasts as long as listening is known to take; the rest comes when the changed words were heard
    right, or of the best of all tries. `recognised` says so once it is over.

    It is made without waiting for the listener, and its memory is that of the take.
    """

    def __init__(self, said: Utterance, engine: Engine, judge: Judge, checks: Checks) -> None:
        self._said = said
        self._engine = engine
        self._judge = judge
        self._checks = checks
        self._rate = engine.info.sample_rate
        self._begun = checks.now()
        self._passed: list[Pcm] = []
        self._until = self._passes()
        self._request = self._submitted(said)
        self.recognised: Recognised | None = None

    @property
    def id(self) -> RequestId:
        return self._said.request

    def append(
        self, text: str, parts: tuple[Part, ...] = (), pauses: tuple[Pause, ...] = ()
    ) -> None:
        raise AssertionError("no text is added to an edit")

    def finish(self) -> None:
        raise AssertionError("an edit has all its text")

    def credit(self, credit: Credit) -> None:
        """It is made to its end whatever is played."""

    def abort(self) -> None:
        self._request.abort()

    async def __aiter__(self) -> AsyncIterator[Output]:
        windows: list[Pcm] = []
        async for output in self._request:
            match output:
                case Pcm():
                    windows.append(output)
                    if self._may_pass(output):
                        self._passed.append(output)
                        yield output
                case Notice() | Failed():
                    yield output
                case Finished():
                    made = await self._best(_Made(self._said, tuple(windows), output))
                    for pcm in made.windows[len(self._passed) :]:
                        # All is made by now: nothing that follows can be late.
                        yield replace(pcm, hold=0.0)
                    yield made.finished
                case _:
                    assert_never(output)

    async def _best(self, first: _Made) -> _Made:
        """The first try that is heard right, or the one with the least wrong; says so."""
        try:
            made, verdict, tries = await self._tried(first)
        except JudgeFailed as error:
            log.warning("the edit %s was not listened to: %s", self.id, error)
            self._checks.ended(None, self._checks.now() - self._begun)
            return first
        self.recognised = Recognised(verdict.right, verdict.words, tries)
        self._checks.ended(self.recognised, self._checks.now() - self._begun)
        return made

    async def _tried(self, first: _Made) -> tuple[_Made, Verdict, int]:
        best, verdict, tries = first, await self._verdict(first), 1
        self._checks.judged(self._checks.now() - self._begun)
        for said in retries(self._said, self._least()):
            if verdict.right:
                break
            made = await self._again(said)
            if made is None:
                continue
            tries += 1
            other = await self._verdict(made)
            if other.wrong < verdict.wrong:
                best, verdict = made, other
        return best, verdict, tries

    async def _again(self, said: Utterance) -> _Made | None:
        """Another try; None if it can't take the first one's place."""
        windows: list[Pcm] = []
        try:
            self._request = self._submitted(said)
        except EngineError as error:
            log.warning("the edit %s could not be tried again: %s", self.id, error)
            return None
        async for output in self._request:
            match output:
                case Pcm():
                    windows.append(output)
                case Notice():
                    pass
                case Failed():
                    return None
                case Finished():
                    return self._continuing(_Made(said, tuple(windows), output))
                case _:
                    assert_never(output)
        return None

    def _continuing(self, made: _Made) -> _Made | None:
        """In windows that follow what was passed on; None if that is not what it begins with."""
        passed = sum(len(pcm.samples) for pcm in self._passed)
        words = sum(len(pcm.words) for pcm in self._passed)
        scores = sum(len(pcm.scores) for pcm in self._passed)
        before = [pcm.samples for pcm in self._passed] or [np.zeros(0, np.int16)]
        samples = made.samples
        if not np.array_equal(samples[:passed], np.concatenate(before)):
            return None
        rest = Pcm(
            request=self.id,
            epoch=self._said.epoch,
            start=passed,
            samples=samples[passed:],
            words=tuple(word for pcm in made.windows for word in pcm.words)[words:],
            frames=sum(pcm.frames for pcm in made.windows) - sum(p.frames for p in self._passed),
            scores=tuple(made.scores[scores:]),
            changed=tuple(span for pcm in made.windows for span in pcm.changed),
            began=made.windows[0].began if made.windows else None,
        )
        return replace(made, windows=(*self._passed, rest))

    async def _verdict(self, made: _Made) -> Verdict:
        """Tries have other changes, but what was asked for is to be heard."""
        assert self._said.parent is not None, "an edit has a parent"
        parts = passages(self._said.parent.text, self._said.text, self._said.changes, made.scores)
        return await judged(self._judge, made.samples, self._rate, parts)

    def _submitted(self, said: Utterance) -> Request:
        request = self._engine.submit(said)
        request.credit(ALL)
        return request

    def _may_pass(self, pcm: Pcm) -> bool:
        return pcm.start + len(pcm.samples) <= self._until and pcm.start == _end(self._passed)

    def _least(self) -> int:
        """Sample before which no try may change anything."""
        passed = _end(self._passed)
        return passed + int(JOIN_S * self._rate) if passed else 0

    def _passes(self) -> int:
        """Samples of the parent that can be heard before the verdict is there: as few as last until
        then, so that as many ways as can be are left to try; 0 if there are too few."""
        assert self._said.parent is not None, "an edit has a parent"
        join = int(JOIN_S * self._rate)
        starts = (start - join for start in starts_before(self._said.parent, self._said.changes[0]))
        lasting = self._checks.typical_s * self._rate
        return next((start for start in starts if start >= lasting), 0)


def _end(windows: Sequence[Pcm]) -> int:
    return windows[-1].start + len(windows[-1].samples) if windows else 0
