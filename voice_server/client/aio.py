"""The async twin: what an app awaits. Loops over sound and words are `async for`."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager

import numpy as np

from engine.types import Int16
from sessions.commands import Cancel, Playback, Speak, Underrun
from voice_server.client import session_core
from voice_server.client.aio_link import Link, linked
from voice_server.client.errors import ClientError
from voice_server.client.options import Options, address, log_notice
from voice_server.client.session_core import Notice, Reports
from voice_server.client.take_core import TakeCore
from voice_server.client.views import GrowingWords, SessionView, TakeView
from voice_server.wire.messages import (
    Encoding,
    FrameMs,
    SessionOpened,
    TakeCancelled,
    TakeDone,
    WordTime,
)


class Words(GrowingWords):
    """Look at those that are known, or loop over all with `async for`, as they become known.

    Words come with the sound: where nobody loops over the take, what comes counts as played.
    """

    def __init__(self, core: TakeCore, link: Link) -> None:
        super().__init__(core)
        self._link = link

    async def __aiter__(self) -> AsyncIterator[WordTime]:
        given = 0
        while await self._more_than(given):
            yield self[given]
            given += 1

    async def _more_than(self, given: int) -> bool:
        """Waits for one more word; False if none will come."""
        await wait_for_take(self._core, self._link, lambda: len(self) > given)
        return len(self) > given


async def wait_for_take(core: TakeCore, link: Link, ready: Callable[[], bool]) -> None:
    """Waits for `ready` or the take's end, as one of those who only wait."""
    core.waiters += 1
    try:
        core.wait_only(time.monotonic())
        await link.write(link.core.last_report(core))
        await link.until(lambda: ready() or core.outcome is not None)
    finally:
        core.waiters -= 1


class Take(TakeView):
    """A take. `async for` gives its sound as blocks of int16 samples, as they come; each block is
    given once. The loop ends where the take does, or where it was cancelled.
    """

    def __init__(self, core: TakeCore, link: Link) -> None:
        super().__init__(core)
        self._link = link
        self.words = Words(core, link)

    async def __aiter__(self) -> AsyncIterator[Int16]:
        self._core.readers += 1
        try:
            while (block := await self._next()) is not None:
                yield block
        finally:
            self._core.readers -= 1

    async def _next(self) -> Int16 | None:
        await self._link.until(lambda: self._core.readable)
        block = self._core.read(time.monotonic())
        await self._link.write(self._link.core.last_report(self._core))
        return block

    async def pcm(self) -> Int16:
        """All that has not been read yet, as one block. Raises as the loop does."""
        blocks = [block async for block in self]
        return np.concatenate(blocks) if blocks else np.zeros(0, np.int16)

    async def result(self) -> TakeDone:
        """Waits for the end and says what it came to. Sound that nobody reads meanwhile counts as
        played, and can be read afterwards.

        Raises TakeWasCancelled, TakeHasFailed, RequestRefused, or what ended the connection.
        """
        await wait_for_take(self._core, self._link, lambda: bool(self._core.refusals))
        return self._core.result()

    async def append(self, text: str) -> None:
        """Adds text to a take opened with `more`."""
        self._core.check_open()
        await self._link.command(session_core.append(self._core, text))

    async def finish(self) -> None:
        """No more text will follow."""
        self._core.check_open()
        await self._link.command(session_core.finish(self._core))

    async def cancel(self, played_ms: float | None = None) -> TakeCancelled | None:
        """Stops the take; when this returns, nothing more comes of it. None if it was over already.

        played_ms: what the listener heard; what was taken here, if not given.
        """
        command = session_core.cancel(self._core, played_ms)
        await cancel(self._link, command, [self._core])
        outcome = self._core.outcome
        return outcome if isinstance(outcome, TakeCancelled) else None

    async def played(self, played_ms: float, underruns: Iterable[Underrun] = ()) -> None:
        """What the app's own player says; connect with reports="player" for it to be the only
        one that says so.
        """
        report = Playback(self.id, played_ms, tuple(underruns), id=self.id)
        await self._link.command(report)


class Session(SessionView):
    """An open session."""

    def __init__(self, link: Link, opened: SessionOpened) -> None:
        super().__init__(opened)
        self._link = link

    async def speak(
        self,
        text: str,
        *,
        voice: str | None = None,
        more: bool = False,
        speaker: str | None = None,
        line_id: str | None = None,
        direction: str | None = None,
        seed: int | None = None,
    ) -> Take:
        """Starts a take. With `more`, text follows by `take.append` until `take.finish`.

        Raises RequestRefused, such as for a voice that is not there, or what ended the connection.
        """
        command = Speak(text, voice, direction, speaker, line_id, seed, more)
        frame, ask = self._link.core.speak(command, time.monotonic())
        await self._link.ask(frame, ask, lambda: False)
        assert ask.take is not None
        return Take(ask.take, self._link)

    async def cancel(self) -> None:
        """Stops every take that is under way; when this returns, nothing more comes of them."""
        takes = self._link.core.takes
        if takes:
            await cancel(self._link, Cancel(), takes)


async def cancel(link: Link, command: Cancel, takes: Sequence[TakeCore]) -> None:
    """Returns when all of `takes` are over, whether by this command or before it."""
    if all(take.outcome is not None for take in takes):
        return
    frame, ask = link.core.cancel(command, time.monotonic())
    try:
        await link.ask(frame, ask, lambda: all(take.outcome is not None for take in takes))
    except ClientError:
        if any(take.outcome is None for take in takes):
            raise


@asynccontextmanager
async def connect(
    url: str,
    *,
    format: Encoding = "opus",
    frame_ms: FrameMs = 20,
    lead_ms: int | None = None,
    reports: Reports = "taken",
    on_notice: Callable[[Notice], None] = log_notice,
    open_timeout: float = 15.0,
) -> AsyncIterator[Session]:
    """Opens a session for the time of the `async with` block, and ends it for good after that.

    url: the server's, such as ws://127.0.0.1:8765; the studio's address works too.
    format, frame_ms: how sound travels; what is read is int16 samples in any case.
    lead_ms: how far ahead of what was played sound may be sent; the server's default if not given.
    reports: "taken" counts blocks as played when they are taken; with "player" call `take.played`.
    on_notice: told of warnings and of errors that no call waits for; logged if not given.

    Raises ConnectFailed, whose message names the address and the reason.
    """
    options = Options(format, frame_ms, lead_ms, reports, on_notice, open_timeout)
    async with linked(address(url), options) as (link, opened):
        yield Session(link, opened)
