"""Whose window is made next, of how many codec frames, and from when on it may be played.

One window at a time is made, on all cores, and none is broken off. Takes are safe together when,
each in turn by its deadline, all get their next steady window in time: a steady window (see
`chains.Chain`) lasts as long as a window of every take costs, so that whoever was served first has
its turn again before its sound is over, and takes that are safe stay so. Every choice here is one
after which all takes are safe, if there is such a choice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import Final, NamedTuple

from engine.runners import Ready
from engine.schedulers.chains import Chain, Terms, chain, margin
from engine.schedulers.choices import Choice, Go, Standing, Wait

LONGEST_S: Final = 0.6
"""What a window may cost where a smaller one keeps up too: a take that begins meanwhile waits for
the end of it."""
PATIENCE_S: Final = 2.0
"""How long a take may have to wait for its first window because others would run dry."""
CLAUSE_S: Final = 0.25
"""How long a take that has to be held back may wait for the rest of its first clause, by which it
is known how long."""
ROUNDS: Final = 2
"""Steady windows of each take that are looked ahead to. One is enough where all windows are steady;
after the short rest of a clause it shows in the second who is late for it."""
FREE_S: Final = 0.01
"""A larger window that costs no more than this on top is as good as a smaller one."""

_INSTANT: Final = 1e-6


@dataclass(frozen=True, slots=True)
class _Take:
    """A take that could be served now."""

    order: int
    since: float
    ready: Ready
    deadline: float
    ended: bool
    opens: bool

    @property
    def left(self) -> int:
        return self.ready.frames

    def cost(self, terms: Terms, frames: int) -> float:
        return terms.cost(frames, self.ready.work)


class _Due(NamedTuple):
    """A window that some take needs: dry, when sound runs out without it; cost, of it."""

    dry: float
    cost: float


def decide(takes: Iterable[Standing], terms: Terms, now: float) -> Choice:
    """The next window of all takes, or when to look again.

    First windows are planned for all takes together. Later ones are for those alone that are heard:
    whoever comes when they are short of sound has to wait until they can spare the time.
    """
    takes = list(takes)
    heard = [take for take in takes if take.deadline is not None]
    waiting = [_take(t) for t in takes if t.ready is not None and t.deadline is None]
    running = tuple(_take(t) for t in heard if t.ready is not None and t.wanted)
    again: list[float] = []
    blocked = False
    moment = _Moment(terms, now, chain(terms, _load(takes)), running, alone=len(takes) == 1)
    for take in sorted(waiting, key=lambda take: take.order):
        match moment.first(take):
            case Go() as go:
                return go
            case Wait(until=until):
                again += [] if until is None else [until]
            case None:
                again.append(take.since + PATIENCE_S)
                blocked = True
    moment = _Moment(terms, now, chain(terms, _load(heard)), running, alone=len(heard) == 1)
    later = moment.later(hurry=blocked)
    if isinstance(later, Go):
        return later
    again += [] if later.until is None else [later.until]
    return Wait(min(again, default=None))


def _load(takes: Iterable[Standing]) -> float:
    """Work of the windows of all, in plain ones; of those that wait for frames a plain one."""
    return sum(1.0 if take.ready is None else take.ready.work for take in takes)


def _take(standing: Standing) -> _Take:
    assert standing.ready is not None, "only takes with frames are served"
    deadline = inf if standing.deadline is None else standing.deadline
    return _Take(
        standing.order, standing.since, standing.ready, deadline, standing.ended, standing.opens
    )


@dataclass(frozen=True, slots=True)
class _Moment:
    """All that a choice hangs on. running: takes that are being heard."""

    terms: Terms
    now: float
    chain: Chain
    running: tuple[_Take, ...]
    alone: bool

    def first(self, take: _Take) -> Choice | None:
        """None while it would make others run dry."""
        ready, dues = take.ready, self._all(self.running)
        for size in self.terms.windows(take.left, ready.more):
            if self._begins_safely(take, size, dues):
                return Go(take.order, size) if ready.frames >= size or not ready.more else Wait()
        if ready.more and self._must_be_held(take) and self.now < take.since + CLAUSE_S:
            return Wait(take.since + CLAUSE_S)
        held = self._held(take)
        patient = self.now < take.since + PATIENCE_S
        return None if patient and not self._held_safely(take, held) else held

    def _begins_safely(self, take: _Take, size: int, dues: list[_Due]) -> bool:
        """Whether all windows are in time if its first one is made now, and played at once."""
        ends = self.now + take.cost(self.terms, size)
        dry = ends + self.terms.sound(size)
        if self.alone:
            return dry - ends >= self._need(take, size)
        return self._slack(ends, dues + self._after(take, size, dry)) >= 0

    def _must_be_held(self, take: _Take) -> bool:
        """Whether no first window at all lasts until the next, takes sharing the machine as now."""
        largest = self.terms.windows(take.left, take.ready.more)[-1]
        return self._need(take, largest) > self.terms.sound(largest)

    def _held(self, take: _Take) -> Go:
        """The window with which it is heard the soonest, and how long that one has to wait."""
        sizes = self.terms.windows(take.left)
        holds = {size: max(0.0, self._need(take, size) - self.terms.sound(size)) for size in sizes}
        size = min(sizes, key=lambda size: (take.cost(self.terms, size) + holds[size], size))
        return Go(take.order, size, holds[size])

    def _held_safely(self, take: _Take, go: Go) -> bool:
        """Whether its being held back is all that is needed."""
        if not self._must_be_held(take):
            return False
        ends = self.now + take.cost(self.terms, go.frames)
        dues = self._all(self.running)
        hopeless = self.chain.steady is None and self._slack(self.now, dues) < 0
        return hopeless or self._slack(ends, dues) >= 0

    def later(self, hurry: bool) -> Choice:
        """The next window of those that are heard, or when there is no time left to wait for more
        frames. hurry: another take waits for its first window, so that no time is to be lost."""
        for take in sorted(self.running, key=lambda take: (take.deadline, take.order)):
            if hurry or not self._worth_waiting(take):
                return self._next(take)
        return Wait(min((self.now + self._patience(take) for take in self.running), default=None))

    def _next(self, take: _Take) -> Go:
        """The greatest window after which all are safe, if there is one."""
        others = self._all(other for other in self.running if other is not take)
        for size in reversed(self.terms.windows(take.left)):
            if self._goes_on_safely(take, size, others):
                return Go(take.order, size)
        return self._late(take)

    def _worth_waiting(self, take: _Take) -> bool:
        """Whether there is time for a window that is larger than what is there."""
        larger = [size for size in self.terms.sizes if size > take.left]
        if not take.ready.more or not larger:
            return False
        others = self._all(other for other in self.running if other is not take)
        return self._patience(take) > _INSTANT and self._goes_on_safely(take, larger[0], others)

    def _patience(self, take: _Take) -> float:
        """Seconds for which a window of what is ready can be put off."""
        others = self._all(other for other in self.running if other is not take)
        dues = [_Due(take.deadline, take.cost(self.terms, take.left))]
        dry = take.deadline + self.terms.sound(take.left)
        return self._slack(self.now, [*others, *dues, *self._after(take, take.left, dry)])

    def _goes_on_safely(self, take: _Take, size: int, others: list[_Due]) -> bool:
        cost = take.cost(self.terms, size)
        if cost > LONGEST_S and self._too_long(take, size):
            return False
        ends = self.now + cost
        if ends > take.deadline - margin(cost):
            return False
        dry = take.deadline + self.terms.sound(size)
        if self.alone or self.chain.steady is None:
            return dry - ends >= self._need(take, size)
        return self._slack(ends, others + self._after(take, size, dry)) >= 0

    def _too_long(self, take: _Take, size: int) -> bool:
        """Whether smaller windows do as well: they keep up, and leave no short rest of a clause."""
        steady = self.chain.steady
        if steady is None or size <= steady:
            return False
        return size < take.left or size >= 2 * steady

    def _late(self, take: _Take) -> Go:
        """What is best where no choice is safe. Where a clause begins, there is a pause that may
        be longer: the rest of the clause is not to wait for any sound."""
        size = self._least_late(take)
        cost = take.cost(self.terms, size)
        if self.chain.steady is not None or not take.opens:
            return Go(take.order, size)
        early = max(0.0, take.deadline - self.now - cost)
        lacks = max(0.0, self._need(take, size) - self.terms.sound(size) - early)
        return Go(take.order, size, early + lacks if lacks else 0.0)

    def _least_late(self, take: _Take) -> int:
        """Of several takes, the greatest window up to the steady one that is in time; else that.
        Larger ones that cost no more are as good."""
        sizes = self.terms.windows(take.left)
        steady = min(self.chain.steady or self.terms.largest, take.left) or sizes[0]
        if self.alone or self.chain.steady is None:
            steady = self.chain.best(take.left) or steady
        else:
            ends = {size: self.now + take.cost(self.terms, size) for size in sizes}
            in_time = [n for n in sizes if n <= steady and ends[n] <= take.deadline]
            steady = max(in_time, default=steady)
        limit = take.cost(self.terms, steady) + FREE_S
        return max(n for n in (steady, *sizes) if take.cost(self.terms, n) <= limit)

    def _need(self, take: _Take, size: int) -> float:
        """Seconds of sound it must have in hand after a window."""
        if not take.ready.work:
            return 0.0
        return self.chain.need(max(0, take.left - size), take.ended)

    def _after(self, take: _Take, size: int, dry: float) -> list[_Due]:
        return self._dues(take, max(0, take.left - size), dry)

    def _all(self, takes: Iterable[_Take]) -> list[_Due]:
        return [due for take in takes for due in self._dues(take, take.left, take.deadline)]

    def _slack(self, at: float, dues: list[_Due]) -> float:
        """Seconds by which all windows are there before they are needed, if the first is begun at
        `at`; with a margin over all that is computed until then."""
        spent, least = 0.0, inf
        for dry, cost in sorted(dues):
            spent += cost
            least = min(least, dry - at - spent - margin(spent))
        return least

    def _dues(self, take: _Take, left: int, dry: float) -> list[_Due]:
        """Its next steady windows, with what is left of a clause between them, which gains less
        than it costs. left: frames of the clause. dry: when the listener has heard all so far."""
        steady = self.chain.steady or self.terms.largest
        dues, whole = [], 0
        while whole < ROUNDS and (left or not take.ended):
            size = min(left, steady) or steady
            whole += size == steady
            left = max(0, left - size)
            cost = take.cost(self.terms, size)
            dues.append(_Due(dry, cost))
            dry += self.terms.sound(size)
        return dues
