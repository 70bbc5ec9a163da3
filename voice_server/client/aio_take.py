"""The async twin's takes."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence

import numpy as np

from engine.types import Int16
from sessions.commands import Cancel, Direct, Edit, Keep, Playback, Speak, Underrun
from sessions.events import TakeKept
from voice_server.client import asks
from voice_server.client.aio_link import Link
from voice_server.client.asks import Changes
from voice_server.client.errors import ClientError
from voice_server.client.take_core import TakeCore
from voice_server.client.views import GrowingWords, TakeView
from voice_server.wire.messages import TakeCancelled, TakeDone, WordTime


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
        await self._link.command(asks.append(self._core, text))

    async def finish(self) -> None:
        """No more text will follow."""
        self._core.check_open()
        await self._link.command(asks.finish(self._core))

    async def cancel(self, played_ms: float | None = None) -> TakeCancelled | None:
        """Stops the take; when this returns, nothing more comes of it. None if it was over already.

        played_ms: what the listener heard; what was taken here, if not given.
        """
        await cancel(self._link, asks.cancel(self._core, played_ms), [self._core])
        outcome = self._core.outcome
        return outcome if isinstance(outcome, TakeCancelled) else None

    async def played(self, played_ms: float, underruns: Iterable[Underrun] = ()) -> None:
        """What the app's own player says; connect with reports="player" for it to be the only
        one that says so.
        """
        report = Playback(self.id, played_ms, tuple(underruns), id=self.id)
        await self._link.command(report)

    async def direct(self, direction: str, *, seed: int | None = None) -> Take:
        """A new take of the same words, said as `direction` asks of this one, such as "a little
        gentler". seed: this take's own, if not given, so that nothing else moves.

        Raises RequestRefused, such as for a take that is not done yet, or what ended the
        connection.
        """
        return await new_take(self._link, Direct(self.id, direction, seed))

    async def edit(self, text: str | None = None, *, changes: Changes = ()) -> Take:
        """A new take that differs from this one only where its words do.

        Give either text, the line as it should read, or changes: pairs of words [from, to) and what
        they shall read; "" takes them out, from = to puts in. Raises ValueError for neither or
        both, and as `direct`.
        """
        return await new_take(self._link, asks.edit(self.id, text, changes))

    async def keep(self) -> TakeKept:
        """From now on this is its line's take. Raises as `direct`."""
        return await keep(self._link, self.id)


async def new_take(link: Link, command: Speak | Direct | Edit) -> Take:
    """The take that comes of it. Raises RequestRefused, or what ended the connection."""
    ask = await link.ask(command)
    assert ask.take is not None
    return Take(ask.take, link)


async def keep(link: Link, take_id: str) -> TakeKept:
    """Raises RequestRefused, or what ended the connection."""
    ask = await link.ask(Keep(take_id))
    assert ask.kept is not None
    return ask.kept


async def cancel(link: Link, command: Cancel, takes: Sequence[TakeCore]) -> None:
    """Returns when all of `takes` are over, whether by this command or before it."""
    await stop(link, command, lambda: all(take.outcome is not None for take in takes))


async def stop(link: Link, command: Cancel, over: Callable[[], bool]) -> None:
    """Returns once `over`, whether by this command or before it. Raises why it will not be."""
    if over():
        return
    try:
        await link.ask(command, over)
    except ClientError:
        if not over():
            raise
