"""A real server on the arithmetic family, and both twins of the SDK behind one interface."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeAlias

import pytest

from engine.types import Int16
from sessions.events import SceneDone, TakeKept
from tests import arithmetic
from voice_server import config, local
from voice_server.client import SyncPerforming, SyncSession, SyncTake, connect, connect_sync
from voice_server.wire.messages import TakeCancelled, TakeDone, WordTime

Connect: TypeAlias = Callable[..., AbstractAsyncContextManager[Any]]

SETTINGS = ("server.host=127.0.0.1", "server.port=0", "engine.capacity=4")


def settings(*more: str) -> config.Config:
    return config.load(None, [*SETTINGS, *more])


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with local.running(settings(), lambda _: arithmetic.load()) as url:
        yield url


@pytest.fixture(scope="module")
def able() -> Iterator[str]:
    """A server whose voice can be directed and edited."""
    with local.running(settings(), lambda _: arithmetic.load(can=arithmetic.EVERYTHING)) as url:
        yield url


class ThreadedWords:
    """The sync twin's words, awaited."""

    def __init__(self, take: SyncTake) -> None:
        self._words = take.words

    def __len__(self) -> int:
        return len(self._words)

    def __getitem__(self, index: int) -> WordTime:
        return self._words[index]

    async def __aiter__(self) -> AsyncIterator[WordTime]:
        words = self._words.follow()
        while (word := await asyncio.to_thread(next, words, None)) is not None:
            yield word


class ThreadedTake:
    """The sync twin's take, its calls awaited, so that one test says what both must do."""

    def __init__(self, take: SyncTake) -> None:
        self._take = take
        self.words = ThreadedWords(take)

    def __getattr__(self, name: str) -> Any:
        """What the twins share by inheritance."""
        return getattr(self._take, name)

    async def __aiter__(self) -> AsyncIterator[Int16]:
        blocks = iter(self._take)
        while (block := await asyncio.to_thread(next, blocks, None)) is not None:
            yield block

    async def pcm(self) -> Int16:
        return await asyncio.to_thread(self._take.pcm)

    async def result(self) -> TakeDone:
        return await asyncio.to_thread(self._take.result)

    async def append(self, text: str) -> None:
        await asyncio.to_thread(self._take.append, text)

    async def finish(self) -> None:
        await asyncio.to_thread(self._take.finish)

    async def cancel(self, played_ms: float | None = None) -> TakeCancelled | None:
        return await asyncio.to_thread(self._take.cancel, played_ms)

    async def direct(self, direction: str, **asked: Any) -> ThreadedTake:
        return ThreadedTake(await asyncio.to_thread(self._take.direct, direction, **asked))

    async def edit(self, text: str | None = None, **asked: Any) -> ThreadedTake:
        return ThreadedTake(await asyncio.to_thread(self._take.edit, text, **asked))

    async def keep(self) -> TakeKept:
        return await asyncio.to_thread(self._take.keep)


class ThreadedScene:
    """The sync twin's scene, its calls awaited."""

    def __init__(self, scene: SyncPerforming) -> None:
        self._scene = scene

    def __getattr__(self, name: str) -> Any:
        return getattr(self._scene, name)

    async def __aiter__(self) -> AsyncIterator[ThreadedTake]:
        takes = iter(self._scene)
        while (take := await asyncio.to_thread(next, takes, None)) is not None:
            yield ThreadedTake(take)

    async def append(self, script: str) -> None:
        await asyncio.to_thread(self._scene.append, script)

    async def finish(self) -> None:
        await asyncio.to_thread(self._scene.finish)

    async def done(self) -> SceneDone:
        return await asyncio.to_thread(self._scene.done)

    async def cancel(self) -> None:
        await asyncio.to_thread(self._scene.cancel)


class ThreadedSession:
    """The sync twin's session, its calls awaited."""

    def __init__(self, session: SyncSession) -> None:
        self._session = session

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    async def speak(self, text: str, **asked: Any) -> ThreadedTake:
        return ThreadedTake(await asyncio.to_thread(self._session.speak, text, **asked))

    async def direct(self, take_id: str, direction: str, **asked: Any) -> ThreadedTake:
        take = await asyncio.to_thread(self._session.direct, take_id, direction, **asked)
        return ThreadedTake(take)

    async def edit(self, take_id: str, text: str | None = None, **asked: Any) -> ThreadedTake:
        return ThreadedTake(await asyncio.to_thread(self._session.edit, take_id, text, **asked))

    async def keep(self, take_id: str) -> TakeKept:
        return await asyncio.to_thread(self._session.keep, take_id)

    async def perform(self, script: str, **asked: Any) -> ThreadedScene:
        return ThreadedScene(await asyncio.to_thread(self._session.perform, script, **asked))

    async def cancel(self) -> None:
        await asyncio.to_thread(self._session.cancel)


@asynccontextmanager
async def connect_threaded(url: str, **options: Any) -> AsyncIterator[ThreadedSession]:
    manager = connect_sync(url, **options)
    session = await asyncio.to_thread(manager.__enter__)
    try:
        yield ThreadedSession(session)
    except BaseException as error:
        if not await asyncio.to_thread(manager.__exit__, type(error), error, error.__traceback__):
            raise
    else:
        await asyncio.to_thread(manager.__exit__, None, None, None)


@pytest.fixture(params=["async", "sync"])
def twin(request: pytest.FixtureRequest) -> Connect:
    return connect if request.param == "async" else connect_threaded
