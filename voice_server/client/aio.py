"""The async twin: what an app awaits. Loops over sound, words and scenes are `async for`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

from sessions.commands import Direct, Perform, Speak
from sessions.events import TakeKept
from sessions.script import Wanted
from voice_server.client import asks
from voice_server.client.aio_link import Link, linked
from voice_server.client.aio_scene import Performing, stop_all
from voice_server.client.aio_take import Take, keep, new_take
from voice_server.client.asks import Changes
from voice_server.client.options import Options, Ticket, address, log_notice
from voice_server.client.session_core import Notice, Reports
from voice_server.client.views import SessionView
from voice_server.wire.messages import Encoding, FrameMs, SessionOpened


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
        return await new_take(self._link, command)

    async def direct(self, take_id: str, direction: str, *, seed: int | None = None) -> Take:
        """As `take.direct`, of any take of the session."""
        return await new_take(self._link, Direct(take_id, direction, seed))

    async def edit(self, take_id: str, text: str | None = None, *, changes: Changes = ()) -> Take:
        """As `take.edit`, of any take of the session."""
        return await new_take(self._link, asks.edit(take_id, text, changes))

    async def keep(self, take_id: str) -> TakeKept:
        """As `take.keep`, of any take of the session: that is how a choice is undone."""
        return await keep(self._link, take_id)

    async def perform(
        self,
        script: str,
        *,
        format: Wanted = "auto",
        cast: Mapping[str, str] | None = None,
        directions: Mapping[str, str] | None = None,
        more: bool = False,
    ) -> Performing:
        """Starts a scene: every line of the script, in order, in the voice of its speaker.

        cast: voices by speaker; speakers without one get one that fits. directions: how a speaker
        says all their lines. With `more`, script follows by `scene.append` until `scene.finish`.

        Raises RequestRefused, whose message has line and column of what is wrong in the script, or
        what ended the connection.
        """
        command = Perform(script, format, cast or {}, directions or {}, more=more)
        ask = await self._link.ask(command)
        assert ask.scene is not None
        return Performing(ask.scene, self._link)

    async def cancel(self) -> None:
        """Stops every take and scene under way; when this returns, nothing more comes of them."""
        await stop_all(self._link)


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
    resume: Ticket | None = None,
    leave: bool = False,
) -> AsyncIterator[Session]:
    """Opens a session for the time of the `async with` block, and ends it for good after that.

    url: the server's, such as ws://127.0.0.1:8765; the studio's address works too.
    format, frame_ms: how sound travels; what is read is int16 samples in any case.
    lead_ms: how far ahead of what was played sound may be sent; the server's default if not given.
    reports: "taken" counts blocks as played when they are taken; with "player" call `take.played`.
    on_notice: told of warnings and of errors that no call waits for; logged if not given.
    resume: goes on with a session that was left, by its ticket. leave: keeps the session for later,
    by `session.ticket`, rather than having it forgotten at its end.

    Raises ConnectFailed, whose message names the address and the reason.
    """
    options = Options(format, frame_ms, lead_ms, reports, on_notice, open_timeout, resume, leave)
    async with linked(address(url), options) as (link, opened):
        yield Session(link, opened)
