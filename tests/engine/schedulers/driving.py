"""Drives a scheduler without a thread: messages in, what it put out in a list."""

from __future__ import annotations

from collections.abc import Iterable

from engine.messages import (
    Abort,
    Ack,
    Binding,
    Chunk,
    CreditUpdate,
    Done,
    Job,
    NewRequest,
    Outgoing,
    Result,
    StreamItem,
    Taken,
)
from engine.schedulers.base import Scheduler
from engine.types import Credit, Epoch, RequestId
from tests.engine.arithmetic import say

NOWHERE = Binding(())


def job(name: str) -> Job:
    return Job(RequestId(name), Epoch(0))


class Driven:
    """Virtual time in `now`; `out` is all that came out so far."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler = scheduler
        self.now = 0.0
        self.out: list[Outgoing] = []

    def open(self, *names: str) -> None:
        for name in names:
            self.scheduler.feed(NewRequest(job(name), say("", name), NOWHERE), self.now)

    def push(self, name: str, items: Iterable[object]) -> None:
        for item in items:
            self.scheduler.feed(Chunk(job(name), "up", item), self.now)

    def end(self, *names: str) -> None:
        for name in names:
            self.scheduler.feed(Done(job(name), "up"), self.now)

    def abort(self, name: str) -> None:
        self.scheduler.feed(Abort(job(name)), self.now)

    def credit(self, name: str, until: int, plays_at: float | None = None) -> None:
        self.scheduler.feed(CreditUpdate(job(name), Credit(until, plays_at)), self.now)

    def ack(self, name: str, target: str) -> None:
        self.scheduler.feed(Ack(job(name), target), self.now)

    def once(self) -> list[Outgoing]:
        made = self.scheduler.run_once(self.now)
        self.out += made
        return made

    def run(self) -> list[Outgoing]:
        """Until it wants nothing more at this time; what came out of it."""
        made: list[Outgoing] = []
        while (due := self.scheduler.ready_at()) is not None and due <= self.now:
            made += self.once()
        return made

    def items(self, name: str) -> list[object]:
        return [m.item for m in self.out if isinstance(m, StreamItem) and m.job == job(name)]

    def taken(self, name: str) -> int:
        return self.out.count(Taken(job(name)))

    def finished(self, name: str) -> bool:
        return Result(job(name)) in self.out

    def order(self) -> list[str]:
        """Whose items came out, in order."""
        return [m.job.request for m in self.out if isinstance(m, StreamItem)]
