"""Stages as threads of this process."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from collections.abc import Callable, Iterable, MutableMapping
from concurrent.futures import Future

from threadpoolctl import threadpool_limits

from engine.errors import EngineError, StageFailed
from engine.graph import Graph
from engine.launch.backoff import Backoff
from engine.launch.inboxes import make_inbox
from engine.messages import Died, Revived, StageAddress
from engine.placement import Placement
from engine.schedulers.make import make_scheduler
from engine.stage import Stage
from engine.stats import ProcessStats, StageStats, WindowStats
from engine.trace import Spans, StageTrace
from engine.transport.base import Post
from engine.transport.inbox import Inbox

logger = logging.getLogger(__name__)


class StageThread:
    """One replica of a stage with its runner, made and run in a thread of its own."""

    def __init__(
        self,
        graph: Graph,
        placement: Placement,
        address: StageAddress,
        inbox: Inbox,
        post: Post,
        trace: StageTrace | None = None,
        died: Callable[[StageAddress], None] | None = None,
    ) -> None:
        """died: called in the thread once its stage has ended by itself and that is told; given
        where stages share one process, which starts it again."""
        self._died = died
        self.address = address
        self._trace = trace
        self._graph = graph
        self._worker = placement.worker(address)
        self._cores = placement.seat(address).cores
        self._inbox = inbox
        self._post = post
        self._stage: Stage | None = None
        self._ready: Future[EngineError | None] = Future()
        self._ended: Future[None] = Future()
        self._thread = threading.Thread(target=self._main, name=inbox.name, daemon=False)

    def start(self) -> None:
        self._thread.start()

    async def ready(self) -> None:
        """Returns when the runner is made. Raises the EngineError that kept it from being made."""
        error = await asyncio.shield(asyncio.wrap_future(self._ready))
        if error is not None:
            raise error

    def wait_ready(self) -> None:
        """As `ready`, for a program without a loop."""
        error = self._ready.result()
        if error is not None:
            raise error

    def join(self) -> None:
        """Returns when the thread is gone, once its inbox is closed."""
        self._thread.join()

    async def close(self) -> None:
        """Returns when the thread is gone; what it has in hand is finished first."""
        self._inbox.close()
        await asyncio.shield(asyncio.wrap_future(self._ended))
        self._thread.join()

    def stats(self) -> StageStats | None:
        """None before the runner is made."""
        return None if self._stage is None else self._stage.stats()

    def _main(self) -> None:
        try:
            stage = self._make()
            if stage is not None:
                self._run(stage)
        finally:
            self._ended.set_result(None)

    def _make(self) -> Stage | None:
        try:
            _pin(self._cores)
            scheduler = make_scheduler(self._graph, self.address.stage, self._worker, self._wake)
            # Made first, so that whatever arithmetic library the runner brought is loaded: one that
            # starts a thread a core for a small product spins away what the other stages need.
            threadpool_limits(self._worker.threads)
        except BaseException as error:
            self._ready.set_result(_start_error(self.address, error))
            return None
        stage = Stage(
            self._graph,
            self.address,
            scheduler,
            self._inbox,
            self._post,
            self._trace,
            announced=self._died is not None,
        )
        self._stage = stage
        self._ready.set_result(None)
        return stage

    def _run(self, stage: Stage) -> None:
        try:
            stage.run()
        except BaseException as error:
            logger.exception("%s ended", self._inbox.name)
            self._stage = None
            self._inbox.close()
            text = f"{self.address.stage}/{self.address.replica} died: {error!r}"
            self._post.to_coordinator(Died(self.address, StageFailed(text)))
            if self._died is not None:
                self._died(self.address)
        finally:
            stage.close()

    def _wake(self) -> None:
        self._inbox.wake()


def windows_of(threads: Iterable[StageThread]) -> tuple[tuple[StageAddress, WindowStats], ...]:
    """What windows cost those that make them, once their runners are made."""
    found = (thread.stats() for thread in threads)
    return tuple((one.address, one.windows) for one in found if one and one.windows)


class ThreadLauncher:
    """Starts a thread for every replica of every stage, and again for one whose stage died.
    Implements `Launched` once started.

    inboxes: of all replicas; that of a stage that died is replaced when it is started again.
    """

    def __init__(
        self,
        graph: Graph,
        placement: Placement,
        inboxes: MutableMapping[StageAddress, Inbox],
        post: Post,
        spans: Spans | None = None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._graph = graph
        self._placement = placement
        self._inboxes = inboxes
        self._post = post
        self._spans = spans
        self._threads = {address: self._make(address) for address in inboxes}
        self._begun: dict[StageAddress, float] = {}
        self._backoffs = {address: Backoff() for address in inboxes}
        self._restarts: set[asyncio.Task[None]] = set()
        self._closing = False

    async def start(self) -> None:
        """Returns when every runner is made. If one can't be, raises its EngineError and leaves no
        thread behind."""
        for address, thread in self._threads.items():
            self._begun[address] = self._loop.time()
            thread.start()
        try:
            await asyncio.gather(*(thread.ready() for thread in self._threads.values()))
        except BaseException:  # Cancelled or failed alike: none may be left behind. It goes on up.
            await self.close()
            raise

    def stats(self) -> tuple[StageStats, ...]:
        found = (thread.stats() for thread in self._threads.values())
        return tuple(stats for stats in found if stats is not None)

    def processes(self) -> tuple[ProcessStats, ...]:
        return ()

    def drain(self) -> None:
        """Threads end with the process and need no word before."""

    async def close(self) -> None:
        self._closing = True
        for restart in self._restarts:
            restart.cancel()
        await asyncio.gather(*self._restarts, return_exceptions=True)
        await asyncio.gather(*(thread.close() for thread in self._threads.values()))

    def _make(self, address: StageAddress) -> StageThread:
        trace = StageTrace("server", address, self._spans) if self._spans is not None else None
        inbox = self._inboxes[address]
        return StageThread(
            self._graph, self._placement, address, inbox, self._post, trace, self._died
        )

    def _died(self, address: StageAddress) -> None:
        """Called in its thread, after the coordinator was told. So what the coordinator does about
        that is done before the stage is there again."""
        self._loop.call_soon_threadsafe(self._plan_restart, address)

    def _plan_restart(self, address: StageAddress) -> None:
        if not self._closing:
            restart = asyncio.ensure_future(self._restart(address))
            self._restarts.add(restart)
            restart.add_done_callback(self._restarts.discard)

    async def _restart(self, address: StageAddress) -> None:
        """Until its runner is made: each try after a longer wait."""
        while True:
            wait = self._backoffs[address].next(self._loop.time() - self._begun[address])
            logger.error("%s is started again in %.1f s", self._inboxes[address].name, wait)
            await asyncio.sleep(wait)
            await self._threads[address].close()
            self._inboxes[address] = make_inbox(self._graph, self._placement, address)
            self._threads[address] = thread = self._make(address)
            self._begun[address] = self._loop.time()
            thread.start()
            try:
                await thread.ready()
            except EngineError as error:
                logger.error("%s", error)
            else:
                self._post.to_coordinator(Revived(address))
                return


def _start_error(address: StageAddress, error: BaseException) -> EngineError:
    if isinstance(error, EngineError):
        return error
    logger.error("%s could not be made", address.stage, exc_info=error)
    return StageFailed(f"{address.stage}: could not be made: {type(error).__name__}: {error}")


def _pin(cores: tuple[int, ...]) -> None:
    """Keeps the calling thread, and those that it starts, to these cores."""
    if cores and sys.platform == "linux":
        os.sched_setaffinity(0, cores)
