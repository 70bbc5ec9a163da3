"""Frames into windows of sound, in the order and of the sizes in which listeners need them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Any, Final

from engine.costs import LearntCosts
from engine.messages import Job, NewRequest, Noticed, Outgoing, StreamItem, Taken
from engine.runners import Ready, VocoderRunner
from engine.schedulers import fixed
from engine.schedulers.base import NOW, Lane, LaneScheduler
from engine.schedulers.chains import Terms, chain
from engine.schedulers.choices import Choice, Go, Standing, Wait
from engine.schedulers.planning import decide
from engine.stats import WindowStats
from engine.types import Credit, Notice, Pcm

NO_CREDIT = Credit(until=0)
UNNOTICED_S: Final = 0.05
"""A take that is held back for less is not said to be."""


@dataclass(slots=True, kw_only=True, eq=False)
class VocoderLane(Lane):
    """ready: what could be decoded now. credit: how far sound is wanted. since: when there was
    first something to decode. made: windows. opens: the next one is the first of a clause.

    held: its clause was begun late, so that all of it is made as soon as can be: with no more ahead
    than credit allows it would fall behind again.

    assumed: when sample 0 is taken to play, from what was made and held back; whoever plays it may
    say that it was later, never earlier.
    """

    state: Any
    ready: Ready | None = None
    credit: Credit = NO_CREDIT
    since: float = inf
    made: int = 0
    opens: bool = True
    held: bool = False
    assumed: float | None = None

    @property
    def wanted(self) -> bool:
        """A first window needs no credit, nor does what is left of a clause that is held back."""
        ready = self.ready
        if ready is None:
            return False
        return ready.start == 0 or self.held or ready.start < self.credit.until

    def plays_at(self) -> float | None:
        known = [at for at in (self.credit.plays_at, self.assumed) if at is not None]
        return max(known, default=None) if self.made else None


@dataclass(frozen=True, slots=True)
class _Call:
    """The call of the runner that was made last. begun: when. starts: first samples of its windows,
    by lane."""

    starts: tuple[tuple[VocoderLane, int], ...]
    frames: int
    work: float
    begun: float
    hold: float


@dataclass(frozen=True, slots=True)
class _Asked:
    """A window to be made. frames: codec frames. hold: seconds that it must not be played before,
    once it is made. began: monotonic seconds at which its decoding begins."""

    frames: int
    hold: float
    began: float


class VocoderScheduler(LaneScheduler[VocoderLane]):
    """Makes one window at a time, as `planning` says, or `fixed` where windows are given or sound
    depends on them. Windows of one shape and size share a call.

    The runner is pushed the next item only while less is ready than its largest window may have;
    that is when the item counts as taken. An aborted request loses at most the window in hand.
    """

    def __init__(
        self,
        name: str,
        runner: VocoderRunner[Any, Any],
        sample_rate: int,
        frame_samples: int,
        plan: tuple[int, ...] | None = None,
    ) -> None:
        """frame_samples: of one codec frame. plan: frames of each window of a take, the last of
        which repeats; None to follow costs and load."""
        super().__init__(name)
        self._runner = runner
        self._rate = sample_rate
        self._frame_s = frame_samples / sample_rate
        self._max_batch = max(1, runner.max_batch())
        self._costs = LearntCosts(runner.costs())
        self._sizes = tuple(runner.sizes())
        self._plan = fixed.plan_of(plan, self._terms(), runner.exact)
        self._largest = self._sizes[-1] if self._plan is None else max(self._plan)
        self._stirred: dict[Job, VocoderLane] = {}
        self._changed = False
        self._due: float | None = None
        self._last: _Call | None = None

    def windows(self) -> WindowStats | None:
        costs = self._costs
        return WindowStats(costs.measured, costs.factor, self._sizes, self._plan, self._frame_s)

    def ready_at(self) -> float | None:
        if self._out or self._stirred or (self._changed and self._lanes):
            return NOW
        return self._due if self._lanes else None

    def run_once(self, now: float) -> list[Outgoing]:
        self._learn(now)
        stirred, self._stirred = self._stirred, {}
        for lane in stirred.values():
            self._try_fill(lane, now)
        choice = self._choice(now)
        match choice:
            case Go():
                self._go(choice, now)
            case Wait(until=until):
                self._changed, self._due = False, until
        return self._flush()

    def _terms(self) -> Terms:
        return Terms.of(self._sizes, self._costs, self._frame_s)

    def _choice(self, now: float) -> Choice:
        takes = [self._standing(lane) for lane in self._lanes.values() if lane.ready or lane.made]
        if self._plan is not None:
            return fixed.follow(self._plan, takes, self._terms())
        return decide(takes, self._terms(), now)

    def _standing(self, lane: VocoderLane) -> Standing:
        plays_at, ready = lane.plays_at(), lane.ready
        deadline = None
        if plays_at is not None and ready is not None:
            deadline = plays_at + ready.start / self._rate
        elif lane.made:
            deadline = NOW
        return Standing(
            lane.order,
            lane.since,
            ready,
            deadline,
            lane.wanted,
            lane.ended and not lane.waiting,
            lane.opens,
            lane.made,
        )

    def _go(self, choice: Go, now: float) -> None:
        self._changed = True
        chosen = next(lane for lane in self._lanes.values() if lane.order == choice.order)
        batch = [chosen]
        if choice.hold == 0:
            batch += self._beside(chosen, choice.frames)[: self._max_batch - 1]
        if choice.hold > UNNOTICED_S and not chosen.made:
            self._out.append(Noticed(chosen.job, _held_back(chosen, choice.hold)))
        ready = _ready(chosen)
        frames = self._terms().size(min(choice.frames, ready.frames))
        starts = tuple((lane, _ready(lane).start) for lane in batch)
        self._last = _Call(starts, frames, ready.work, now, choice.hold)
        self._decode(batch, _Asked(choice.frames, choice.hold, now))

    def _beside(self, chosen: VocoderLane, frames: int) -> list[VocoderLane]:
        """Other lanes whose next window may be made in the same call, most urgent first."""
        if self._max_batch == 1:
            return []
        alike = [lane for lane in self._lanes.values() if self._alike(lane, chosen, frames)]
        return sorted(alike, key=lambda lane: (self._standing(lane).deadline or NOW, lane.order))

    def _alike(self, lane: VocoderLane, chosen: VocoderLane, frames: int) -> bool:
        one, other = lane.ready, chosen.ready
        if lane is chosen or one is None or other is None or not lane.wanted:
            return False
        if bool(lane.made) != bool(chosen.made) or one.shape != other.shape:
            return False
        if self._plan is not None and fixed.window(self._plan, self._standing(lane)) != frames:
            return False
        enough = one.frames >= frames or not one.more
        return enough and min(one.frames, frames) == min(other.frames, frames)

    def _decode(self, batch: list[VocoderLane], asked: _Asked) -> None:
        try:
            windows = self._runner.decode([lane.state for lane in batch], asked.frames)
            pairs = list(zip(batch, windows, strict=True))
        except Exception as error:
            self._take_apart(batch, asked, error)
            return
        for lane, pcm in pairs:
            self._made(lane, replace(pcm, hold=asked.hold, began=asked.began))

    def _take_apart(self, batch: list[VocoderLane], asked: _Asked, error: Exception) -> None:
        """One window of the batch raised: each is tried alone, to lose only the one at fault."""
        self._last = None
        if len(batch) == 1:
            self._fail(batch[0], error)
            return
        for lane in batch:
            self._decode([lane], asked)

    def _made(self, lane: VocoderLane, pcm: Pcm) -> None:
        ready = _ready(lane)
        self._out.append(StreamItem(lane.job, pcm))
        lane.made += 1
        lane.opens = not ready.more and pcm.frames >= ready.frames
        lane.held = (lane.held or pcm.hold > 0) and not lane.opens
        lane.ready = None
        self._stirred[lane.job] = lane

    def _learn(self, now: float) -> None:
        """What the last call tells, which is over by now: what it cost, and when it plays."""
        call, self._last = self._last, None
        if call is None:
            return
        if len(call.starts) == 1:
            self._costs.observe(call.frames, call.work, now - call.begun)
        for lane, start in call.starts:
            if start == 0 or call.hold:
                plays_at = now + call.hold - start / self._rate
                lane.assumed = max(plays_at, lane.assumed or plays_at)

    def _try_fill(self, lane: VocoderLane, now: float) -> None:
        try:
            self._fill(lane)
        except Exception as error:
            self._fail(lane, error)
        if lane.ready is not None:
            lane.since = min(lane.since, now)

    def _fill(self, lane: VocoderLane) -> None:
        """Pushes until as much is ready as a window may have, there is nothing to push, or it has
        ended."""
        while True:
            lane.ready = self._runner.ready(lane.state)
            if lane.ready is not None and not self._wants_more(lane, lane.ready):
                return
            if lane.waiting:
                self._out.append(Taken(lane.job))
                self._runner.push(lane.state, lane.waiting.popleft())
            elif lane.ended and not lane.told:
                lane.told = True
                self._runner.end(lane.state)
            else:
                break
        if lane.told and lane.ready is None:
            self._finish(lane)

    def _wants_more(self, lane: VocoderLane, ready: Ready) -> bool:
        """Where no windows keep up, all of a clause, by which it is known how long to hold it."""
        unbounded = self._plan is None and lane.opens and not self._keeps_up()
        return ready.more and (unbounded or ready.frames < self._largest)

    def _keeps_up(self) -> bool:
        return chain(self._terms(), 1.0).steady is not None

    def _make(self, request: NewRequest, order: int) -> VocoderLane:
        state = self._runner.open(request.utterance)
        return VocoderLane(job=request.job, utterance=request.utterance, order=order, state=state)

    def _close(self, lane: VocoderLane) -> None:
        self._runner.close(lane.state)

    def _touched(self, lane: VocoderLane, now: float) -> None:
        if lane.ready is None or self._wants_more(lane, lane.ready):
            self._stirred[lane.job] = lane

    def _credited(self, lane: VocoderLane, credit: Credit) -> None:
        lane.credit = credit
        self._changed = True

    def _forget(self, lane: VocoderLane) -> None:
        self._stirred.pop(lane.job, None)
        self._changed = True


def _ready(lane: VocoderLane) -> Ready:
    assert lane.ready is not None, "only lanes with something ready are chosen"
    return lane.ready


def _held_back(lane: VocoderLane, hold: float) -> Notice:
    text = (
        "this machine makes this voice slower than it is heard, so the take begins "
        f"{hold:.1f} s late and then has no gap"
    )
    return Notice(lane.utterance.request, lane.utterance.epoch, "held_back", text)
