"""What every scheduler offers its stage, and the bookkeeping that all of them share.

A scheduler knows no thread, queue or clock: messages are fed, time is passed in, and what a run
made is handed back.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar, assert_never

from engine.errors import EngineError, StageFailed
from engine.messages import (
    Abort,
    Ack,
    Admitted,
    Chunk,
    CreditUpdate,
    Done,
    Error,
    Inbound,
    Job,
    NewRequest,
    Outgoing,
    Result,
)
from engine.stats import WindowStats
from engine.types import Credit, Utterance

logger = logging.getLogger(__name__)

NOW = float("-inf")
"""A time that is always past: run at once."""


class Scheduler(Protocol):
    """When to run and on what batch. All methods are called from the stage's one thread.

    The stage feeds messages of a request in order: NewRequest, chunks, Done; an Abort may come at
    any point and ends it. After a Result, Error or Abort of a request nothing more is fed of it.
    """

    def feed(self, message: Inbound, now: float) -> None:
        """Takes a message; cheap. now: monotonic seconds."""
        ...

    def ready_at(self) -> float | None:
        """Monotonic seconds at which it wants to run: NOW for at once, None for not before the next
        message."""
        ...

    def run_once(self, now: float) -> list[Outgoing]:
        """One call of the runner at most, and what has come of it and of the messages before."""
        ...

    def open_states(self) -> int: ...

    def windows(self) -> WindowStats | None:
        """What windows of sound cost; None where none are made. May be called from any thread."""
        ...

    def close(self) -> None:
        """The stage ends: so does whatever the scheduler has started."""
        ...


@dataclass(slots=True, kw_only=True, eq=False)
class Lane:
    """A request within a scheduler. order: counts up by arrival.

    waiting: items that the runner has not taken. ended: no more will come. told: the runner knows.
    """

    job: Job
    utterance: Utterance
    order: int
    waiting: deque[object] = field(default_factory=deque)
    ended: bool = False
    told: bool = False


L = TypeVar("L", bound=Lane)


class LaneScheduler(ABC, Generic[L]):
    """Lanes by job, with one way in and three ways out: finished, failed, aborted."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lanes: dict[Job, L] = {}
        self._out: list[Outgoing] = []
        self._arrivals = 0

    def open_states(self) -> int:
        return len(self._lanes)

    def windows(self) -> WindowStats | None:
        return None

    def close(self) -> None:
        """Most start nothing beside the stage's own thread."""

    def feed(self, message: Inbound, now: float) -> None:
        if isinstance(message, NewRequest):
            self._open(message)
            return
        lane = self._lanes.get(message.job)
        if lane is None:
            return
        match message:
            case Chunk(item=item):
                lane.waiting.append(item)
                self._touched(lane, now)
            case Done():
                lane.ended = True
                self._touched(lane, now)
            case CreditUpdate(credit=credit):
                self._credited(lane, credit)
            case Ack(target=target):
                self._acked(lane, target)
            case Abort():
                self._drop(lane)
            case _:
                assert_never(message)

    @abstractmethod
    def _make(self, request: NewRequest, order: int) -> L:
        """Opens a state and puts it in a lane."""

    @abstractmethod
    def _close(self, lane: L) -> None:
        """Gives the lane's state back to the runner."""

    @abstractmethod
    def _touched(self, lane: L, now: float) -> None:
        """An item or the end has come for the lane."""

    def _credited(self, lane: L, credit: Credit) -> None:
        """Sound is wanted up to a further point."""

    def _acked(self, lane: L, target: str) -> None:
        """`target` has taken one more item."""

    def _forget(self, lane: L) -> None:
        """The lane is over: lets go of what points to it."""

    def _open(self, request: NewRequest) -> None:
        try:
            lane = self._make(request, self._arrivals)
        except Exception as error:
            self._out.append(Error(request.job, self._failure(request.job, error)))
            return
        self._arrivals += 1
        self._lanes[request.job] = lane
        self._out.append(Admitted(request.job))

    def _finish(self, lane: L) -> None:
        self._remove(lane)
        self._close(lane)
        self._out.append(Result(lane.job))

    def _fail(self, lane: L, error: Exception) -> None:
        self._out.append(Error(lane.job, self._failure(lane.job, error)))
        if lane.job in self._lanes:
            self._drop(lane)

    def _drop(self, lane: L) -> None:
        self._remove(lane)
        try:
            self._close(lane)
        except Exception:  # A runner's own code; the request is over, whatever it raises.
            logger.exception("%s: closing the state of %s", self._name, lane.job.request)

    def _remove(self, lane: L) -> None:
        del self._lanes[lane.job]
        self._forget(lane)

    def _failure(self, job: Job, error: Exception) -> EngineError:
        """The error that the client gets; one that is the engine's own goes through as it is."""
        if isinstance(error, EngineError):
            return error
        logger.error("%s: %s failed", self._name, job.request, exc_info=error)
        return StageFailed(f"{self._name}: {type(error).__name__}: {error}")

    def _flush(self) -> list[Outgoing]:
        out, self._out = self._out, []
        return out
