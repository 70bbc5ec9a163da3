"""Many ordered streams through one runner, a step at a time."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from engine.messages import NewRequest, Noticed, Outgoing, StreamItem, Taken
from engine.runners import StreamRunner
from engine.schedulers.base import NOW, Lane, LaneScheduler
from engine.types import Notice


@dataclass(slots=True, kw_only=True, eq=False)
class StreamLane(Lane):
    """hungry: the last step asked for input. out: items that each target has not taken yet.
    queued: stands in one of the queues."""

    state: Any
    hungry: bool = True
    emitted: bool = False
    queued: bool = False
    out: dict[str, int] = field(default_factory=dict)


class StreamingScheduler(LaneScheduler[StreamLane]):
    """Order of steps: requests that have put out nothing yet, then the others, each in turn.

    The runner is pushed the next item only when its last step returned None; that is when the item
    counts as taken. A request with `outstanding` items that some target has not taken is not
    stepped, so what is held of a request does not grow with its length.
    """

    def __init__(
        self,
        name: str,
        runner: StreamRunner[Any, Any, Any],
        targets: tuple[str, ...],
        outstanding: int = 2,
    ) -> None:
        super().__init__(name)
        self._runner = runner
        self._targets = targets
        self._outstanding = outstanding
        self._fresh: deque[StreamLane] = deque()
        self._turn: deque[StreamLane] = deque()

    def ready_at(self) -> float | None:
        return NOW if self._out or self._fresh or self._turn else None

    def run_once(self, now: float) -> list[Outgoing]:
        lane = self._next()
        if lane is not None:
            try:
                self._advance(lane)
            except Exception as error:
                self._fail(lane, error)
            else:
                self._enqueue(lane)
        return self._flush()

    def _advance(self, lane: StreamLane) -> None:
        if lane.hungry:
            self._give(lane)
        made = self._runner.step(lane.state)
        if isinstance(made, Notice):
            self._out.append(Noticed(lane.job, made))
        elif made is not None:
            self._emit(lane, made)
        elif lane.told:
            self._finish(lane)
        else:
            lane.hungry = True

    def _give(self, lane: StreamLane) -> None:
        """Gives the runner its next input; there is one, or the lane would not be runnable."""
        lane.hungry = False
        if lane.waiting:
            self._out.append(Taken(lane.job))
            self._runner.push(lane.state, lane.waiting.popleft())
        else:
            lane.told = True
            self._runner.end(lane.state)

    def _emit(self, lane: StreamLane, item: object) -> None:
        lane.emitted = True
        for target in self._targets:
            lane.out[target] += 1
        self._out.append(StreamItem(lane.job, item))

    def _runnable(self, lane: StreamLane) -> bool:
        if any(count >= self._outstanding for count in lane.out.values()):
            return False
        return not lane.hungry or bool(lane.waiting) or lane.ended

    def _enqueue(self, lane: StreamLane) -> None:
        if lane.queued or lane.job not in self._lanes or not self._runnable(lane):
            return
        lane.queued = True
        (self._turn if lane.emitted else self._fresh).append(lane)

    def _next(self) -> StreamLane | None:
        if not self._fresh and not self._turn:
            return None
        lane = (self._fresh or self._turn).popleft()
        lane.queued = False
        return lane

    def _make(self, request: NewRequest, order: int) -> StreamLane:
        return StreamLane(
            job=request.job,
            utterance=request.utterance,
            order=order,
            state=self._runner.open(request.utterance),
            out=dict.fromkeys(self._targets, 0),
        )

    def _close(self, lane: StreamLane) -> None:
        self._runner.close(lane.state)

    def _touched(self, lane: StreamLane, now: float) -> None:
        self._enqueue(lane)

    def _acked(self, lane: StreamLane, target: str) -> None:
        lane.out[target] -= 1
        self._enqueue(lane)

    def _forget(self, lane: StreamLane) -> None:
        if lane.queued:
            (self._turn if lane in self._turn else self._fresh).remove(lane)
