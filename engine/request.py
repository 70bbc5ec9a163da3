"""The handle of a bound request, as its owner holds it."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Protocol

from engine.messages import Job
from engine.types import (
    Credit,
    Failed,
    Finished,
    Output,
    Part,
    Passage,
    Pause,
    RequestId,
    Utterance,
)


class Desk(Protocol):
    """What a handle asks of the coordinator; all of it does nothing for a request that is over."""

    def append(self, job: Job, passage: Passage) -> None: ...

    def finish(self, job: Job) -> None: ...

    def credit(self, job: Job, credit: Credit) -> None: ...

    def abort(self, job: Job) -> None: ...

    def consumed(self, job: Job, stage: str) -> None: ...


@dataclass(frozen=True, slots=True)
class _Held:
    """An output that the owner has not taken. stage: who wants to hear when it is; None: nobody."""

    output: Output
    stage: str | None


class BoundRequest:
    """Implements `engine.api.Request`. It holds at most what credit and the terminal stage's bound
    allow, beside notices."""

    def __init__(self, utterance: Utterance, job: Job, desk: Desk) -> None:
        self.job = job
        self._desk = desk
        self._open = utterance.more
        self._held: deque[_Held] = deque()
        self._news = asyncio.Event()
        self._over = False

    @property
    def id(self) -> RequestId:
        return self.job.request

    def append(
        self, text: str, parts: tuple[Part, ...] = (), pauses: tuple[Pause, ...] = ()
    ) -> None:
        """Raises ValueError if the utterance was not opened with `more` or was finished."""
        if not self._open:
            raise ValueError(f"{self.id}: no text can follow; it was finished")
        if text:
            self._desk.append(self.job, Passage(text, parts, pauses))

    def finish(self) -> None:
        if self._open:
            self._open = False
            self._desk.finish(self.job)

    def credit(self, credit: Credit) -> None:
        self._desk.credit(self.job, credit)

    def abort(self) -> None:
        self._over = True
        self._held.clear()
        self._news.set()
        self._desk.abort(self.job)

    def deliver(self, output: Output, stage: str | None = None) -> None:
        """For the coordinator: the next output, and the stage that made it if that counts them."""
        if not self._over:
            self._held.append(_Held(output, stage))
            self._news.set()

    def held(self) -> int:
        """Outputs that the owner has not taken."""
        return len(self._held)

    def __aiter__(self) -> BoundRequest:
        return self

    async def __anext__(self) -> Output:
        while not self._over and not self._held:
            self._news.clear()
            await self._news.wait()
        if self._over:
            raise StopAsyncIteration
        held = self._held.popleft()
        if held.stage is not None:
            self._desk.consumed(self.job, held.stage)
        self._over = isinstance(held.output, Finished | Failed)
        return held.output
