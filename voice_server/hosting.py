"""The engine's life within the server: loaded in the background, used, closed."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable
from typing import Final, TypeAlias, TypeVar

from engine import build
from engine.coordinator import Coordinator
from engine.errors import EngineError
from engine.family import Family
from engine.stats import ProcessStats
from engine.topology import Topology
from engine.trace import Spans, TraceFile
from sessions import capacity, voices
from sessions.directions import Directions, warm_up
from sessions.errors import SessionError
from sessions.hearing import Checks, recogniser
from sessions.hearing.recogniser import Moonshine
from sessions.limits import SessionLimits
from sessions.meaning import SentenceMeaning, installed
from sessions.scheduler import SessionScheduler
from sessions.store import Store
from voice_server import carrying
from voice_server.config import Config
from voice_server.readiness import Broken, Loading, Readiness, Ready

Progress: TypeAlias = Callable[[str, float | None], None]
"""Told what is being done and how much of it (0 to 1), from any thread."""
FamilyLoader: TypeAlias = Callable[[Progress], Family]
T = TypeVar("T")
OFTEN_S: Final = 3_600.0
"""How often what is too old is looked for, at the least."""

log = logging.getLogger(__name__)


class EngineHost:
    """Starts the engine and keeps it until `stop`; what became of it is in `readiness`."""

    def __init__(
        self,
        config: Config,
        load: FamilyLoader,
        readiness: Readiness,
        store: Store,
        trace: TraceFile | None = None,
    ) -> None:
        """store: opened before the engine and closed after it. trace: is told what the stages do,
        and closed by whoever opened it."""
        self._trace = trace
        self.engine: Coordinator | None = None
        self._store = store
        self._config = config
        self._load = load
        self._readiness = readiness
        self._stop = asyncio.Event()
        self._up = False

    def missing(self) -> tuple[str, ...]:
        """Why no take can be made though the engine is there, in words."""
        groups = self.engine.missing() if self.engine is not None else ()
        return tuple(f"{group}: no replica is left" for group in groups)

    def processes(self) -> tuple[ProcessStats, ...]:
        """Those that the stages run in beside this one."""
        return self.engine.stats().processes if self.engine is not None else ()

    def drain(self) -> None:
        """What is under way may finish; nothing is begun any more."""
        if self.engine is not None:
            self.engine.drain()

    async def stop(self, running: asyncio.Task[None]) -> None:
        """Ends `run`; one that is still loading is not waited for."""
        self._stop.set()
        if not self._up:
            running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    async def run(self) -> None:
        """Returns when the engine is closed, or at once when it can't be started."""
        try:
            await self._host()
        except (EngineError, SessionError) as error:
            self._readiness.become(Broken(str(error)))
        except Exception as error:
            # The end of a task: the server stays up to say what is wrong.
            log.exception("the engine could not be started")
            self._readiness.become(Broken(f"the engine could not be started: {error}"))

    async def _host(self) -> None:
        async with self._store:
            await self._host_engine()

    async def _host_engine(self) -> None:
        family = await _in_thread(self._load, self._progress)
        self._progress("starting the stages", None)
        spans = Spans() if self._trace is not None else None
        self.engine = await build.start(family, topology(self._config), spans)
        following = self._following(spans)
        try:
            async with self._judge() as judge:
                await self._serve(self.engine, judge)
        finally:
            await self.engine.close()
            if following is not None:
                following.cancel()
                await asyncio.gather(following, return_exceptions=True)

    def _following(self, spans: Spans | None) -> asyncio.Task[None] | None:
        if spans is None or self._trace is None:
            return None
        return asyncio.create_task(self._trace.follow(spans))

    async def _serve(self, engine: Coordinator, judge: Moonshine | None) -> None:
        """The judge is loaded once takes can be spoken, which are not to wait for it."""
        async with await self._scheduler(engine, judge) as scheduler:
            self._up = True
            self._readiness.become(Ready(scheduler))
            if judge is not None:
                judge.begin()
            await self._until_stopped(scheduler)

    def _judge(self) -> contextlib.AbstractAsyncContextManager[Moonshine | None]:
        """Who listens to edits, if somebody is to and can."""
        wanted = self._config.edits.check and recogniser.installed()
        return Moonshine() if wanted else contextlib.nullcontext()

    async def _until_stopped(self, scheduler: SessionScheduler) -> None:
        """Forgets meanwhile what is too old to keep."""
        keep_s = self._config.limits.keep_s
        while not self._stop.is_set():
            try:
                await scheduler.expire(time.time() - keep_s)
            except SessionError as error:
                log.error("old sessions could not be forgotten: %s", error)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(OFTEN_S, keep_s)):
                    await self._stop.wait()

    async def _scheduler(self, engine: Coordinator, judge: Moonshine | None) -> SessionScheduler:
        asked = self._config.engine
        voice = voices.find(engine.info.voices, asked.voice) if asked.voice else None
        streams = asked.capacity
        if streams == "auto":
            self._progress("measuring what this machine carries", None)
            measured = await capacity.measure(
                engine, voice or engine.info.voices[0].id, carrying.clocks(engine)
            )
            streams = measured.streams
            log.info("capacity: %s", measured)
        directions = await _in_thread(_directions, self._progress)
        limits = session_limits(self._config)
        checks = None if judge is None else Checks(engine, judge)
        return SessionScheduler(engine, limits, streams, self._store, voice, directions, checks)

    def _progress(self, step: str, fraction: float | None) -> None:
        self._readiness.become(Loading(step, fraction))


def _directions(progress: Progress) -> Directions:
    """What understands directions: the vocabulary, and an embedding where that is installed."""
    progress("reading the vocabulary", None)
    warm_up()
    return Directions(SentenceMeaning() if installed() else None)


def topology(config: Config) -> Topology:
    """How the config groups and copies the stages."""
    return Topology(
        launcher=config.launcher,
        ray=config.ray,
        stages=config.stages,
        processes=config.processes,
        threads=None if config.engine.threads == "auto" else config.engine.threads,
        windows=None if config.engine.windows == "auto" else config.engine.windows,
    )


def session_limits(config: Config) -> SessionLimits:
    """The limits that the sessions keep."""
    limits = config.limits
    return SessionLimits(
        text_chars=limits.text_chars,
        take_chars=limits.take_chars,
        concurrent_takes=limits.concurrent_takes,
        queued_takes=limits.queued_takes,
        sessions=limits.sessions,
        take_s=limits.take_s,
        script_chars=limits.script_chars,
        remembered_takes=limits.remembered_takes,
    )


async def _in_thread(load: Callable[[Progress], T], progress: Progress) -> T:
    """Loads in a thread that does not hold up the program's end, as loading can take minutes."""
    loop = asyncio.get_running_loop()
    loaded: asyncio.Future[T] = loop.create_future()

    def tell(step: str, fraction: float | None) -> None:
        loop.call_soon_threadsafe(progress, step, fraction)

    def work() -> None:
        try:
            made = load(tell)
        except Exception as error:  # The end of a thread: whoever waits is told.
            _answer(loop, loaded, error)
        else:
            _answer(loop, loaded, made)

    threading.Thread(target=work, name="load", daemon=True).start()
    return await loaded


def _answer(
    loop: asyncio.AbstractEventLoop, future: asyncio.Future[T], answer: T | Exception
) -> None:
    def settle() -> None:
        if future.done():
            return
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)

    if not loop.is_closed():
        loop.call_soon_threadsafe(settle)
