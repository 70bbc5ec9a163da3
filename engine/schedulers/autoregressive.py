"""Many sequences through one runner, one step of all of them at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.messages import Job, NewRequest, Noticed, Outgoing, StreamItem, Taken
from engine.runners import AutoregressiveRunner
from engine.schedulers.base import NOW, Lane, LaneScheduler
from engine.types import Notice


@dataclass(slots=True, kw_only=True, eq=False)
class RowLane(Lane):
    """out: items that each target has not taken yet."""

    state: Any
    out: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Flight:
    """A step under way and the lanes that are in it."""

    step: Any
    lanes: Sequence[RowLane]


class AutoregressiveScheduler(LaneScheduler[RowLane]):
    """Continuous batching: requests join as soon as a slot is free, in the order in which their
    input was there, and leave when they are done; every step takes all that can go.

    One that waits for input, or of whose items a target has not taken `outstanding`, sits a step
    out and holds up nobody. Where the runner looks ahead, the next step is launched before the last
    one is collected: what a request makes past its end is thrown away. The runner is pushed the
    next item only when it is not ready; that is when the item counts as taken.
    """

    def __init__(
        self,
        name: str,
        runner: AutoregressiveRunner[Any, Any, Any, Any],
        targets: tuple[str, ...],
        outstanding: int = 2,
    ) -> None:
        super().__init__(name)
        self._runner = runner
        self._targets = targets
        self._outstanding = outstanding
        self._stirred: dict[Job, RowLane] = {}
        self._queue: dict[Job, RowLane] = {}
        self._seated: dict[Job, RowLane] = {}
        self._flight: Flight | None = None

    def ready_at(self) -> float | None:
        waits = self._out or self._stirred or self._flight
        return NOW if waits or self._can_seat() or any(self._runnable()) else None

    def run_once(self, now: float) -> list[Outgoing]:
        """One step at most, and the admissions before it."""
        stirred, self._stirred = self._stirred, {}
        for lane in stirred.values():
            self._try_fill(lane)
        if self._can_seat():
            self._admit([*self._queue.values()][: self._runner.free()])
        self._step(self._runnable())
        return self._flush()

    def _step(self, lanes: list[RowLane]) -> None:
        last, self._flight = self._flight, None
        failed = None
        if lanes:
            try:
                self._flight = self._launch(lanes)
            except Exception as error:
                failed = error
        if last is not None:
            self._collect(last)
        if failed is not None:
            self._step_apart(lanes, failed)
        elif self._flight is not None and not self._runner.looks_ahead():
            flight, self._flight = self._flight, None
            self._collect(flight)

    def _launch(self, lanes: Sequence[RowLane]) -> Flight:
        flight = Flight(self._runner.launch([lane.state for lane in lanes]), lanes)
        for lane in lanes:
            self._stirred[lane.job] = lane
        return flight

    def _step_apart(self, lanes: list[RowLane], error: Exception) -> None:
        """One row of the step raised: each is tried alone, to lose only the one at fault."""
        if len(lanes) == 1:
            self._fail(lanes[0], error)
            return
        for lane in lanes:
            if self._has(lane):
                self._step_alone(lane)

    def _step_alone(self, lane: RowLane) -> None:
        try:
            flight = self._launch([lane])
        except Exception as error:
            self._fail(lane, error)
        else:
            self._collect(flight)

    def _collect(self, flight: Flight) -> None:
        try:
            made = self._runner.collect(flight.step)
            pairs = list(zip(flight.lanes, made, strict=True))
        except Exception as error:
            for lane in filter(self._has, flight.lanes):
                self._fail(lane, error)
            return
        for lane, items in pairs:
            if self._has(lane):
                self._try_emit(lane, items)

    def _try_emit(self, lane: RowLane, items: Sequence[object]) -> None:
        try:
            self._emit(lane, items)
        except Exception as error:
            self._fail(lane, error)

    def _emit(self, lane: RowLane, items: Sequence[object]) -> None:
        for item in items:
            if isinstance(item, Notice):
                self._out.append(Noticed(lane.job, item))
                continue
            for target in self._targets:
                lane.out[target] += 1
            self._out.append(StreamItem(lane.job, item))
        if self._runner.done(lane.state):
            self._finish(lane)

    def _admit(self, lanes: list[RowLane]) -> None:
        try:
            self._runner.admit([lane.state for lane in lanes])
        except Exception as error:
            self._admit_apart(lanes, error)
            return
        for lane in lanes:
            del self._queue[lane.job]
            self._seated[lane.job] = self._stirred[lane.job] = lane

    def _admit_apart(self, lanes: list[RowLane], error: Exception) -> None:
        if len(lanes) == 1:
            self._fail(lanes[0], error)
            return
        for lane in lanes:
            self._admit([lane])

    def _try_fill(self, lane: RowLane) -> None:
        try:
            self._fill(lane)
        except Exception as error:
            self._fail(lane, error)

    def _fill(self, lane: RowLane) -> None:
        """Pushes until the state is ready, or nothing is there to push, or it is done."""
        runner, state = self._runner, lane.state
        while not runner.ready(state) and not runner.done(state):
            if lane.waiting:
                self._out.append(Taken(lane.job))
                runner.push(state, lane.waiting.popleft())
            elif lane.ended and not lane.told:
                lane.told = True
                runner.end(state)
            else:
                return
        if runner.done(state):
            self._finish(lane)
        elif lane.job not in self._seated:
            self._queue[lane.job] = lane

    def _can_seat(self) -> bool:
        return bool(self._queue) and self._runner.free() > 0

    def _runnable(self) -> list[RowLane]:
        return [lane for lane in self._seated.values() if self._goes(lane)]

    def _goes(self, lane: RowLane) -> bool:
        room = all(count < self._outstanding for count in lane.out.values())
        return room and self._runner.ready(lane.state) and not self._runner.done(lane.state)

    def _has(self, lane: RowLane) -> bool:
        return self._lanes.get(lane.job) is lane

    def _make(self, request: NewRequest, order: int) -> RowLane:
        return RowLane(
            job=request.job,
            utterance=request.utterance,
            order=order,
            state=self._runner.open(request.utterance),
            out=dict.fromkeys(self._targets, 0),
        )

    def _close(self, lane: RowLane) -> None:
        self._runner.close(lane.state)

    def _touched(self, lane: RowLane, now: float) -> None:
        self._stirred[lane.job] = lane

    def _acked(self, lane: RowLane, target: str) -> None:
        lane.out[target] -= 1

    def _forget(self, lane: RowLane) -> None:
        for place in (self._stirred, self._queue, self._seated):
            place.pop(lane.job, None)
