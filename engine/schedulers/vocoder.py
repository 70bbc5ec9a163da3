"""Frames into windows of sound, in the order in which listeners need them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from engine.messages import Job, NewRequest, Outgoing, StreamItem, Taken
from engine.runners import VocoderRunner
from engine.schedulers.base import NOW, Lane, LaneScheduler
from engine.types import Credit, Pcm

NO_CREDIT = Credit(until=0)


@dataclass(frozen=True, slots=True)
class Window:
    """The next window of a lane: what shape it has and at which sample of the take it starts."""

    shape: tuple[int, ...]
    start: int


@dataclass(slots=True, kw_only=True, eq=False)
class VocoderLane(Lane):
    """window: could be decoded now. credit: how far sound is wanted."""

    state: Any
    window: Window | None = None
    credit: Credit = NO_CREDIT

    def wanted(self) -> bool:
        """A first window needs no credit."""
        window = self.window
        return window is not None and (window.start == 0 or window.start < self.credit.until)


class VocoderScheduler(LaneScheduler[VocoderLane]):
    """First windows go before later ones, then the earliest playback deadline, then the order of
    arrival; a take without a clock yet is due at once. Windows of one shape share a call.

    The runner is pushed the next item only when its state has no window to decode; that is when
    the item counts as taken. An aborted request loses at most the window in hand.
    """

    def __init__(self, name: str, runner: VocoderRunner[Any, Any], sample_rate: int) -> None:
        super().__init__(name)
        self._runner = runner
        self._sample_rate = sample_rate
        self._max_batch = max(1, runner.max_batch())
        self._stirred: dict[Job, VocoderLane] = {}
        self._wanted: dict[Job, VocoderLane] = {}

    def ready_at(self) -> float | None:
        return NOW if self._out or self._stirred or self._wanted else None

    def run_once(self, now: float) -> list[Outgoing]:
        stirred, self._stirred = self._stirred, {}
        for lane in stirred.values():
            self._try_fill(lane)
        batch = self._batch()
        if batch:
            self._decode(batch, now)
        return self._flush()

    def _batch(self) -> list[VocoderLane]:
        """The most urgent window and as many of its shape, most urgent first, as one call takes."""
        if not self._wanted:
            return []
        lanes = sorted(self._wanted.values(), key=self._urgency)
        shape = _window(lanes[0]).shape
        alike = [lane for lane in lanes if _window(lane).shape == shape]
        return alike[: self._max_batch]

    def _urgency(self, lane: VocoderLane) -> tuple[bool, float, int]:
        start = _window(lane).start
        plays_at = lane.credit.plays_at
        deadline = NOW if plays_at is None else plays_at + start / self._sample_rate
        return start > 0, deadline, lane.order

    def _decode(self, batch: list[VocoderLane], now: float) -> None:
        try:
            windows = self._runner.decode([lane.state for lane in batch])
            pairs = list(zip(batch, windows, strict=True))
        except Exception as error:
            self._take_apart(batch, error, now)
            return
        for lane, pcm in pairs:
            self._made(lane, replace(pcm, began=now))

    def _take_apart(self, batch: list[VocoderLane], error: Exception, now: float) -> None:
        """One window of the batch raised: each is tried alone, to lose only the one at fault."""
        if len(batch) == 1:
            self._fail(batch[0], error)
            return
        for lane in batch:
            self._decode([lane], now)

    def _made(self, lane: VocoderLane, pcm: Pcm) -> None:
        self._out.append(StreamItem(lane.job, pcm))
        lane.window = None
        self._wanted.pop(lane.job, None)
        self._stirred[lane.job] = lane

    def _try_fill(self, lane: VocoderLane) -> None:
        try:
            self._fill(lane)
        except Exception as error:
            self._fail(lane, error)

    def _fill(self, lane: VocoderLane) -> None:
        """Pushes until there is a window to decode, nothing to push, or the end."""
        while lane.window is None:
            shape = self._runner.shape(lane.state)
            if shape is not None:
                lane.window = Window(shape, self._runner.start(lane.state))
                self._sort(lane)
            elif lane.waiting:
                self._out.append(Taken(lane.job))
                self._runner.push(lane.state, lane.waiting.popleft())
            elif lane.told:
                self._finish(lane)
                return
            elif lane.ended:
                lane.told = True
                self._runner.end(lane.state)
            else:
                return

    def _sort(self, lane: VocoderLane) -> None:
        if lane.wanted():
            self._wanted[lane.job] = lane
        else:
            self._wanted.pop(lane.job, None)

    def _make(self, request: NewRequest, order: int) -> VocoderLane:
        state = self._runner.open(request.utterance)
        return VocoderLane(job=request.job, utterance=request.utterance, order=order, state=state)

    def _close(self, lane: VocoderLane) -> None:
        self._runner.close(lane.state)

    def _touched(self, lane: VocoderLane, now: float) -> None:
        if lane.window is None:
            self._stirred[lane.job] = lane

    def _credited(self, lane: VocoderLane, credit: Credit) -> None:
        lane.credit = credit
        self._sort(lane)

    def _forget(self, lane: VocoderLane) -> None:
        self._stirred.pop(lane.job, None)
        self._wanted.pop(lane.job, None)


def _window(lane: VocoderLane) -> Window:
    assert lane.window is not None, "only lanes with a window are wanted"
    return lane.window
