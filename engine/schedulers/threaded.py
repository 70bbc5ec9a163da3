"""Whole payloads, each in one of several threads: for work that waits or leaves Python."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from engine.messages import Job, NewRequest, Outgoing, StreamItem, Taken
from engine.runners import BatchRunner
from engine.schedulers.base import NOW, Lane, LaneScheduler
from engine.types import Utterance


@dataclass(slots=True, kw_only=True, eq=False)
class ThreadedLane(Lane):
    """waiting: what has come so far; whole once the lane has ended."""


@dataclass(frozen=True, slots=True, eq=False)
class _Order:
    job: Job
    utterance: Utterance
    payload: object


@dataclass(frozen=True, slots=True, eq=False)
class _Made:
    """What has become of an order."""

    job: Job
    result: object | Exception


class ThreadedScheduler(LaneScheduler[ThreadedLane]):
    """As many payloads at once as there are runners, each runner in a thread of its own. One that
    takes long holds up no other. What is made for a request that is over is let fall.

    whole: as for the simple scheduler. wake: makes the stage look again, from any thread.
    """

    def __init__(
        self,
        name: str,
        runners: Sequence[BatchRunner[Any, Any]],
        *,
        whole: bool,
        wake: Callable[[], None],
    ) -> None:
        super().__init__(name)
        self._whole = whole
        self._wake = wake
        self._orders: SimpleQueue[_Order | None] = SimpleQueue()
        self._made: SimpleQueue[_Made] = SimpleQueue()
        self._threads = [
            threading.Thread(target=self._work, args=(runner,), name=f"{name}:{number}")
            for number, runner in enumerate(runners)
        ]
        for thread in self._threads:
            thread.start()

    def ready_at(self) -> float | None:
        return NOW if self._out or not self._made.empty() else None

    def run_once(self, now: float) -> list[Outgoing]:
        while not self._made.empty():
            made = self._made.get()
            lane = self._lanes.get(made.job)
            if lane is not None:
                self._deliver(lane, made.result)
        return self._flush()

    def close(self) -> None:
        """Returns when every thread has finished what it has in hand."""
        for _ in self._threads:
            self._orders.put(None)
        for thread in self._threads:
            thread.join()

    def _deliver(self, lane: ThreadedLane, result: object | Exception) -> None:
        if isinstance(result, Exception):
            self._fail(lane, result)
        else:
            self._out.append(StreamItem(lane.job, result))
            self._finish(lane)

    def _work(self, runner: BatchRunner[Any, Any]) -> None:
        while (order := self._orders.get()) is not None:
            self._made.put(_Made(order.job, _result(runner, order)))
            self._wake()

    def _touched(self, lane: ThreadedLane, now: float) -> None:
        if not lane.ended:
            self._out.append(Taken(lane.job))
            return
        payload = lane.waiting[0] if self._whole else tuple(lane.waiting)
        self._orders.put(_Order(lane.job, lane.utterance, payload))

    def _make(self, request: NewRequest, order: int) -> ThreadedLane:
        return ThreadedLane(job=request.job, utterance=request.utterance, order=order)

    def _close(self, lane: ThreadedLane) -> None:
        """Nothing is kept of a request beside its items."""


def _result(runner: BatchRunner[Any, Any], order: _Order) -> object | Exception:
    try:
        made: tuple[object, ...] = tuple(runner.run([order.utterance], [order.payload]))
        (result,) = made
    except Exception as error:  # The end of the thread's part: the stage tells whose it was.
        return error
    return result
