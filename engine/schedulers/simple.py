"""Whole payloads through one runner, batched."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from math import inf
from typing import Any

from engine.messages import NewRequest, Outgoing, StreamItem, Taken
from engine.runners import BatchRunner
from engine.schedulers.base import NOW, Lane, LaneScheduler


@dataclass(frozen=True, slots=True)
class Limit:
    """What the payloads of a batch may cost together. cost: None for no limit beside the number."""

    cost: Callable[[Any], float] | None = None
    most: float = inf

    def fitting(self, costs: Iterable[float]) -> int:
        """How many of the first payloads fit into one batch; one alone always does."""
        count, spent = 0, 0.0
        for cost in costs:
            spent += cost
            if count and spent > self.most:
                break
            count += 1
        return count


NO_LIMIT = Limit()


@dataclass(slots=True, kw_only=True, eq=False)
class SimpleLane(Lane):
    """cost: of the payload, once it is whole."""

    cost: float = 0.0


class SimpleScheduler(LaneScheduler[SimpleLane]):
    """Batches what is there. A lone request never waits: the window for more to join opens when a
    second one is whole, and shuts early once nobody is left who could join. A batch is cut short
    where the next payload would make it cost more than `limit`.

    whole: the one item of a payload edge is the payload; else the payload is the tuple of items.
    """

    def __init__(
        self,
        name: str,
        runner: BatchRunner[Any, Any],
        *,
        whole: bool,
        wait: float,
        limit: Limit = NO_LIMIT,
    ) -> None:
        super().__init__(name)
        self._limit = limit
        self._runner = runner
        self._max_batch = max(1, runner.max_batch())
        self._whole = whole
        self._wait = wait
        self._complete: deque[SimpleLane] = deque()
        self._window_ends: float | None = None

    def ready_at(self) -> float | None:
        return NOW if self._out else self._due()

    def run_once(self, now: float) -> list[Outgoing]:
        due = self._due()
        if due is not None and due <= now:
            self._run(self._next_batch(now))
        return self._flush()

    def _due(self) -> float | None:
        if not self._complete:
            return None
        if self._window_ends is None or self._nobody_can_join():
            return NOW
        return self._window_ends

    def _nobody_can_join(self) -> bool:
        fitting = self._fitting()
        full = fitting == self._max_batch or fitting < len(self._complete)
        return full or len(self._complete) == len(self._lanes)

    def _fitting(self) -> int:
        """How many of those that are whole go into the next batch."""
        first = islice(self._complete, self._max_batch)
        return self._limit.fitting(lane.cost for lane in first)

    def _next_batch(self, now: float) -> list[SimpleLane]:
        batch = [self._complete.popleft() for _ in range(self._fitting())]
        if len(self._complete) > 1:
            self._window_ends = now + self._wait
        return batch

    def _run(self, batch: list[SimpleLane]) -> None:
        try:
            made = self._runner.run(
                [lane.utterance for lane in batch], [self._payload(lane) for lane in batch]
            )
            pairs = list(zip(batch, made, strict=True))
        except Exception as error:
            self._take_apart(batch, error)
            return
        for lane, payload in pairs:
            self._out.append(StreamItem(lane.job, payload))
            self._finish(lane)

    def _take_apart(self, batch: list[SimpleLane], error: Exception) -> None:
        """One payload of the batch raised: each is tried alone, to lose only the one at fault."""
        if len(batch) == 1:
            self._fail(batch[0], error)
            return
        for lane in batch:
            self._run([lane])

    def _payload(self, lane: SimpleLane) -> object:
        return lane.waiting[0] if self._whole else tuple(lane.waiting)

    def _touched(self, lane: SimpleLane, now: float) -> None:
        if not lane.ended:
            self._out.append(Taken(lane.job))
            return
        try:
            lane.cost = self._limit.cost(self._payload(lane)) if self._limit.cost else 0.0
        except Exception as error:
            self._fail(lane, error)
            return
        self._complete.append(lane)
        if len(self._complete) == 2:
            self._window_ends = now + self._wait

    def _make(self, request: NewRequest, order: int) -> SimpleLane:
        return SimpleLane(job=request.job, utterance=request.utterance, order=order)

    def _close(self, lane: SimpleLane) -> None:
        """Nothing is kept of a request beside its items."""

    def _forget(self, lane: SimpleLane) -> None:
        if lane in self._complete:
            self._complete.remove(lane)
        if len(self._complete) < 2:
            self._window_ends = None
