"""The async twin's socket: one task reads it, everyone else waits for what it brings."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as connect_socket
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI
from websockets.typing import Subprotocol

from sessions.commands import Command
from voice_server.client.asks import Ask, Asked
from voice_server.client.errors import ClientError, ServerFault
from voice_server.client.failures import connect_failed, from_close
from voice_server.client.options import CLOSE_S, MAX_BYTES, Options
from voice_server.wire.messages import SessionOpened
from voice_server.wire.protocol import SUBPROTOCOL, CloseCode


class Link:
    """The socket and the session core behind it; wakes whoever waits when something came."""

    def __init__(self, socket: ClientConnection, options: Options) -> None:
        self.core = options.core()
        self._socket = socket
        self._options = options
        self._changed = asyncio.Condition()
        self._reader = asyncio.create_task(self._read(), name="voice-client-reader")

    async def open(self) -> SessionOpened:
        """Opens the session. Raises what the server said if it would not."""
        await self.write([self.core.open()])
        await self.until(lambda: self.core.opened is not None)
        opened = self.core.opened_session()
        self._options.check(opened)
        return opened

    async def close(self) -> None:
        """Ends the session, unless it is to be left, waits a while for the server's word, and
        closes the socket."""
        ends = self.core.opened is not None and not self._options.leave
        if ends and self.core.ended is None:
            await self.write([self.core.close()])
            with suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_S):
                    await self.until(lambda: False)
        await self._socket.close()
        await self._reader

    async def _read(self) -> None:
        """Reads until the connection ends, and says to the core why it did."""
        try:
            while True:
                await self._receive(await self._socket.recv())
        except ConnectionClosed as closed:
            self.core.end(from_close(closed), time.monotonic())
        except ServerFault as fault:
            self.core.end(fault, time.monotonic())
            await self._socket.close(CloseCode.NOT_OUR_PROTOCOL, "protocol error")
        except Exception as error:
            # The end of a task: whoever waits is told, and nobody waits for ever.
            self.core.end(ClientError(f"the reader stopped: {error!r}"), time.monotonic())
            raise
        finally:
            await self._wake()

    async def _receive(self, data: str | bytes) -> None:
        for notice in self.core.receive(data, time.monotonic()):
            self._options.on_notice(notice)
        await self.write(self.core.reports())
        await self._wake()

    async def _wake(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def until(self, ready: Callable[[], bool]) -> None:
        """Waits until `ready`, or until the connection ended; the core says which."""
        async with self._changed:
            await self._changed.wait_for(lambda: ready() or self.core.ended is not None)

    async def write(self, frames: Iterable[str]) -> None:
        """Writes frames; one that comes too late is dropped, as the reader will say why."""
        with suppress(ConnectionClosed):
            for frame in frames:
                await self._socket.send(frame)

    async def ask(self, command: Asked, ready: Callable[[], bool] = lambda: False) -> Ask:
        """Writes a request and waits for its answer, or until `ready`. Raises RequestRefused, or
        what ended the connection.
        """
        frame, ask = self.core.ask(command, time.monotonic())
        try:
            await self.write([frame])
            await self.until(lambda: ask.answered or ready())
        finally:
            self.core.forget(ask)
        if ask.refusal is not None:
            raise ask.refusal
        if self.core.ended is not None and not (ask.answered or ready()):
            raise self.core.ended
        return ask

    async def command(self, command: Command) -> None:
        await self.write([self.core.send(command)])


@asynccontextmanager
async def linked(url: str, options: Options) -> AsyncIterator[tuple[Link, SessionOpened]]:
    """An open session for the time of the block. Raises ConnectFailed."""
    async with AsyncExitStack() as stack:
        try:
            async with asyncio.timeout(options.open_timeout):
                socket = await stack.enter_async_context(
                    connect_socket(
                        url,
                        subprotocols=[Subprotocol(SUBPROTOCOL)],
                        compression=None,
                        max_size=MAX_BYTES,
                        proxy=None,
                        open_timeout=None,
                    )
                )
                link = Link(socket, options)
                stack.push_async_callback(link.close)
                opened = await link.open()
        except (OSError, ConnectionClosed, InvalidHandshake, InvalidURI, ClientError) as error:
            raise connect_failed(url, error) from error
        yield link, opened
