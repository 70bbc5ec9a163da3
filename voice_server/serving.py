"""The HTTP server itself: listens at once, and lets takes play out before it stops."""

from __future__ import annotations

import asyncio
import socket
import time
from types import FrameType
from typing import Protocol

import uvicorn
from starlette.applications import Starlette

from voice_server.config import Server as ServerConfig


class CannotListen(Exception):
    """The address can't be listened on; the message says which and why."""


def listen(config: ServerConfig) -> socket.socket:
    """A socket that listens. Raises CannotListen."""
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    try:
        return socket.create_server((config.host, config.port), family=family, backlog=256)
    except OSError as error:
        raise CannotListen(
            f"can't listen on {config.host}:{config.port}: {error.strerror or error}"
        ) from error


def address(listening: socket.socket) -> str:
    """The URL under which a browser on this machine finds it."""
    host, port = listening.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}/"


class Playing(Protocol):
    """What is to come to an end before the server stops."""

    async def drain(self, time_left_s: float) -> None:
        """Lets nobody begin anything; returns when nothing is under way any more."""
        ...

    async def say_goodbye(self) -> None:
        """Closes every connection with a word."""
        ...


class DrainingServer(uvicorn.Server):
    """Stops in two steps: what plays may play on, then the rest is closed. A second signal skips
    the first step. Signals are not raised again after the end, so the exit status is ours."""

    def __init__(self, app: Starlette, playing: Playing, drain_s: float, frame_bytes: int) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                ws="websockets-sansio",
                ws_max_size=frame_bytes,
                ws_per_message_deflate=False,
                timeout_graceful_shutdown=5,
                server_header=False,
            )
        )
        self._playing = playing
        self._drain_s = drain_s

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Called by uvicorn for every signal to stop."""
        self.force_exit = self.should_exit
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Drains, then closes what is left."""
        for listening in self.servers:
            listening.close()
        await self._play_out()
        await self._playing.say_goodbye()
        forced, self.force_exit = self.force_exit, False
        # The engine is closed in any case, or its threads would keep the program alive.
        await super().shutdown(sockets)
        self.force_exit = forced

    async def _play_out(self) -> None:
        """Until nothing is under way, the time is over, or a second signal comes."""
        draining = asyncio.ensure_future(self._playing.drain(self._drain_s))
        until = time.monotonic() + self._drain_s
        while not draining.done() and not self.force_exit and time.monotonic() < until:
            await asyncio.wait({draining}, timeout=0.1)
        draining.cancel()
        await asyncio.gather(draining, return_exceptions=True)
