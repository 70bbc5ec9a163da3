"""The sync twin: the same, with calls that wait. Everything may be called from any thread, since
the core is touched only under the link's lock.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from engine.types import Int16
from sessions.commands import Cancel, Command, Playback, Speak, Underrun
from voice_server.client import session_core
from voice_server.client.errors import ClientError
from voice_server.client.options import Options, address, log_notice
from voice_server.client.session_core import Notice, Reports
from voice_server.client.sync_link import Link, linked
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
    """Look at those that are known, or loop over `follow()` for all, as they become known."""

    def __init__(self, core: TakeCore, link: Link) -> None:
        super().__init__(core)
        self._link = link

    def follow(self) -> Iterator[WordTime]:
        """Every word of the take, each as soon as its times are known.

        Words come with the sound: where nobody loops over the take, what comes counts as played.
        """
        given = 0
        while self._more_than(given):
            yield self[given]
            given += 1

    def _more_than(self, given: int) -> bool:
        """Waits for one more word; False if none will come."""
        wait_for_take(self._core, self._link, lambda: len(self) > given)
        return len(self) > given


def wait_for_take(core: TakeCore, link: Link, ready: Callable[[], bool]) -> None:
    """Waits for `ready` or the take's end, as one of those who only wait."""
    with link.changed:
        core.waiters += 1
        core.wait_only(time.monotonic())
        frames = link.core.last_report(core)
    try:
        link.write(frames)
        with link.changed:
            link.until(lambda: ready() or core.outcome is not None)
    finally:
        with link.changed:
            core.waiters -= 1


class Take(TakeView):
    """A take. Loop over it for its sound as blocks of int16 samples, as they come; each block is
    given once. The loop ends where the take does, or where it was cancelled.
    """

    def __init__(self, core: TakeCore, link: Link) -> None:
        super().__init__(core)
        self._link = link
        self.words = Words(core, link)

    def __iter__(self) -> Iterator[Int16]:
        with self._link.changed:
            self._core.readers += 1
        try:
            while (block := self._next()) is not None:
                yield block
        finally:
            with self._link.changed:
                self._core.readers -= 1

    def _next(self) -> Int16 | None:
        with self._link.changed:
            self._link.until(lambda: self._core.readable)
            block = self._core.read(time.monotonic())
            frames = self._link.core.last_report(self._core)
        self._link.write(frames)
        return block

    def pcm(self) -> Int16:
        """All that has not been read yet, as one block. Raises as the loop does."""
        blocks = list(self)
        return np.concatenate(blocks) if blocks else np.zeros(0, np.int16)

    def result(self) -> TakeDone:
        """Waits for the end and says what it came to. Sound that nobody reads meanwhile counts as
        played, and can be read afterwards.

        Raises TakeWasCancelled, TakeHasFailed, RequestRefused, or what ended the connection.
        """
        wait_for_take(self._core, self._link, lambda: bool(self._core.refusals))
        with self._link.changed:
            return self._core.result()

    def append(self, text: str) -> None:
        """Adds text to a take opened with `more`."""
        self._command(session_core.append(self._core, text))

    def finish(self) -> None:
        """No more text will follow."""
        self._command(session_core.finish(self._core))

    def _command(self, command: Command) -> None:
        with self._link.changed:
            self._core.check_open()
        self._link.command(command)

    def cancel(self, played_ms: float | None = None) -> TakeCancelled | None:
        """Stops the take; when this returns, nothing more comes of it. None if it was over already.

        played_ms: what the listener heard; what was taken here, if not given.
        """
        command = session_core.cancel(self._core, played_ms)
        cancel(self._link, command, [self._core])
        outcome = self._core.outcome
        return outcome if isinstance(outcome, TakeCancelled) else None

    def played(self, played_ms: float, underruns: Iterable[Underrun] = ()) -> None:
        """What the app's own player says; connect with reports="player" for it to be the only
        one that says so.
        """
        self._link.command(Playback(self.id, played_ms, tuple(underruns), id=self.id))


class Session(SessionView):
    """An open session."""

    def __init__(self, link: Link, opened: SessionOpened) -> None:
        super().__init__(opened)
        self._link = link

    def speak(
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
        with self._link.changed:
            frame, ask = self._link.core.speak(command, time.monotonic())
        self._link.ask(frame, ask, lambda: False)
        assert ask.take is not None
        return Take(ask.take, self._link)

    def cancel(self) -> None:
        """Stops every take that is under way; when this returns, nothing more comes of them."""
        takes = self._link.core.takes
        if takes:
            cancel(self._link, Cancel(), takes)


def cancel(link: Link, command: Cancel, takes: Sequence[TakeCore]) -> None:
    """Returns when all of `takes` are over, whether by this command or before it."""
    with link.changed:
        if all(take.outcome is not None for take in takes):
            return
        frame, ask = link.core.cancel(command, time.monotonic())
    try:
        link.ask(frame, ask, lambda: all(take.outcome is not None for take in takes))
    except ClientError:
        if any(take.outcome is None for take in takes):
            raise


@contextmanager
def connect_sync(
    url: str,
    *,
    format: Encoding = "opus",
    frame_ms: FrameMs = 20,
    lead_ms: int | None = None,
    reports: Reports = "taken",
    on_notice: Callable[[Notice], None] = log_notice,
    open_timeout: float = 15.0,
) -> Iterator[Session]:
    """As `connect`, without asyncio: the same session, with calls that wait.

    on_notice is called from the thread that reads the socket.
    """
    options = Options(format, frame_ms, lead_ms, reports, on_notice, open_timeout)
    with linked(address(url), options) as (link, opened):
        yield Session(link, opened)
