"""One thread that does jobs in order; a bounded queue before it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class Worker:
    """Used from one event loop. `submit` never waits; whoever submits much calls `room` after it,
    so that at most `bound` jobs wait and what each submitter adds before it calls.
    """

    def __init__(self, name: str, bound: int) -> None:
        self.name = name
        self.bound = bound
        self.depth = 0
        """jobs waiting or being done"""
        self.busy_s = 0.0
        """time at work"""
        self._thread = ThreadPoolExecutor(1, name)
        self._room = asyncio.Event()
        self._room.set()

    def submit(self, job: Callable[[], T]) -> asyncio.Future[T]:
        """Has the job done in its turn, even if nobody waits for the answer any more."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()

        def tell(done: Future[T]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is gone, and whoever asked with it
                loop.call_soon_threadsafe(self._settle, answer, done)

        self._count(1)
        self._thread.submit(self._timed, job).add_done_callback(tell)
        return answer

    async def room(self) -> None:
        """Waits until fewer than `bound` jobs are there."""
        while not self._room.is_set():
            await self._room.wait()

    async def close(self) -> None:
        """Does what was submitted, then ends the thread."""
        await self.submit(lambda: None)
        self._thread.shutdown()

    def _timed(self, job: Callable[[], T]) -> T:
        began = time.monotonic()
        try:
            return job()
        finally:
            self.busy_s += time.monotonic() - began

    def _settle(self, answer: asyncio.Future[T], done: Future[T]) -> None:
        self._count(-1)
        if answer.done():
            return
        error = done.exception()
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(done.result())

    def _count(self, change: int) -> None:
        self.depth += change
        if self.depth < self.bound:
            self._room.set()
        else:
            self._room.clear()
