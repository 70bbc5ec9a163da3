"""The sync twin's socket: one thread reads it, everyone else waits for what it brings."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI
from websockets.sync.client import ClientConnection
from websockets.sync.client import connect as connect_socket
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
        self.changed = threading.Condition()
        self._socket = socket
        self._options = options
        self._reader = threading.Thread(target=self._read, name="voice-client-reader", daemon=True)
        self._reader.start()

    def open(self, timeout: float) -> SessionOpened:
        """Opens the session. Raises TimeoutError, or what the server said if it would not."""
        self.write([self.core.open()])
        with self.changed:
            if not self.until(lambda: self.core.opened is not None, timeout):
                raise TimeoutError
            opened = self.core.opened_session()
        self._options.check(opened)
        return opened

    def close(self) -> None:
        """Ends the session, unless it is to be left, waits a while for the server's word, and
        closes the socket."""
        with self.changed:
            ends = self.core.opened is not None and not self._options.leave
            asks = ends and self.core.ended is None
            frames = [self.core.close()] if asks else []
        self.write(frames)
        with self.changed:
            self.until(lambda: not asks, CLOSE_S)
        self._socket.close()
        self._reader.join()

    def _read(self) -> None:
        """Reads until the connection ends, and says to the core why it did."""
        try:
            while True:
                self._receive(self._socket.recv())
        except ConnectionClosed as closed:
            self._end(from_close(closed))
        except ServerFault as fault:
            self._end(fault)
            self._socket.close(CloseCode.NOT_OUR_PROTOCOL, "protocol error")
        except Exception as error:
            # The end of a thread: whoever waits is told, and nobody waits for ever.
            self._end(ClientError(f"the reader stopped: {error!r}"))
            raise

    def _receive(self, data: str | bytes) -> None:
        with self.changed:
            notices = self.core.receive(data, time.monotonic())
            frames = self.core.reports()
            self.changed.notify_all()
        for notice in notices:
            self._options.on_notice(notice)
        self.write(frames)

    def _end(self, error: ClientError) -> None:
        with self.changed:
            self.core.end(error, time.monotonic())
            self.changed.notify_all()

    def until(self, ready: Callable[[], bool], timeout: float | None = None) -> bool:
        """Waits, holding the lock, until `ready` or until the connection ended; the core says
        which. False if the time was over before.
        """
        return self.changed.wait_for(lambda: ready() or self.core.ended is not None, timeout)

    def write(self, frames: Iterable[str]) -> None:
        """Writes frames, without the lock; one that comes too late is dropped, as the reader will
        say why.
        """
        with suppress(ConnectionClosed):
            for frame in frames:
                self._socket.send(frame)

    def ask(self, command: Asked, ready: Callable[[], bool] = lambda: False) -> Ask:
        """Writes a request and waits for its answer, or until `ready`. Raises RequestRefused, or
        what ended the connection.
        """
        with self.changed:
            frame, ask = self.core.ask(command, time.monotonic())
        self.write([frame])
        with self.changed:
            try:
                self.until(lambda: ask.answered or ready())
            finally:
                self.core.forget(ask)
            if ask.refusal is not None:
                raise ask.refusal
            if self.core.ended is not None and not (ask.answered or ready()):
                raise self.core.ended
        return ask

    def command(self, command: Command) -> None:
        with self.changed:
            frame = self.core.send(command)
        self.write([frame])


@contextmanager
def linked(url: str, options: Options) -> Iterator[tuple[Link, SessionOpened]]:
    """An open session for the time of the block. Raises ConnectFailed."""
    until = time.monotonic() + options.open_timeout
    with ExitStack() as stack:
        try:
            socket = stack.enter_context(
                connect_socket(
                    url,
                    subprotocols=[Subprotocol(SUBPROTOCOL)],
                    compression=None,
                    max_size=MAX_BYTES,
                    proxy=None,
                    open_timeout=options.open_timeout,
                )
            )
            link = Link(socket, options)
            stack.callback(link.close)
            opened = link.open(until - time.monotonic())
        except (OSError, ConnectionClosed, InvalidHandshake, InvalidURI, ClientError) as error:
            raise connect_failed(url, error) from error
        yield link, opened
