"""The sync twin: the same, with calls that wait. Everything may be called from any thread, since
the core is touched only under the link's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from sessions.commands import Direct, Perform, Speak
from sessions.events import TakeKept
from sessions.script import Wanted
from voice_server.client import asks
from voice_server.client.asks import Changes
from voice_server.client.options import Options, Ticket, address, log_notice
from voice_server.client.session_core import Notice, Reports
from voice_server.client.sync_link import Link, linked
from voice_server.client.sync_scene import Performing, stop_all
from voice_server.client.sync_take import Take, keep, new_take
from voice_server.client.views import SessionView
from voice_server.wire.messages import Encoding, FrameMs, SessionOpened


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
        return new_take(self._link, Speak(text, voice, direction, speaker, line_id, seed, more))

    def direct(self, take_id: str, direction: str, *, seed: int | None = None) -> Take:
        """As `take.direct`, of any take of the session."""
        return new_take(self._link, Direct(take_id, direction, seed))

    def edit(self, take_id: str, text: str | None = None, *, changes: Changes = ()) -> Take:
        """As `take.edit`, of any take of the session."""
        return new_take(self._link, asks.edit(take_id, text, changes))

    def keep(self, take_id: str) -> TakeKept:
        """As `take.keep`, of any take of the session: that is how a choice is undone."""
        return keep(self._link, take_id)

    def perform(
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
        ask = self._link.ask(Perform(script, format, cast or {}, directions or {}, more=more))
        assert ask.scene is not None
        return Performing(ask.scene, self._link)

    def cancel(self) -> None:
        """Stops every take and scene under way; when this returns, nothing more comes of them."""
        stop_all(self._link)


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
    resume: Ticket | None = None,
    leave: bool = False,
) -> Iterator[Session]:
    """As `connect`, without asyncio: the same session, with calls that wait.

    on_notice is called from the thread that reads the socket.
    """
    options = Options(format, frame_ms, lead_ms, reports, on_notice, open_timeout, resume, leave)
    with linked(address(url), options) as (link, opened):
        yield Session(link, opened)
