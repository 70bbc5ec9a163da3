"""Hops 1 and 11 of the one way: the reader and the writer of one connection, in one TaskGroup."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Iterable
from typing import Final, assert_never

from starlette.websockets import WebSocket, WebSocketDisconnect

from sessions.errors import Draining, SessionError
from sessions.scheduler import SessionScheduler
from voice_server.attachment import Attachment
from voice_server.delivery.take import Outgoing
from voice_server.opening import Opening, new_token, open_session
from voice_server.readiness import Broken, Loading, Ready, Stopping
from voice_server.wire.audio_frame import AudioFrame
from voice_server.wire.client_messages import Ping, SessionClose, SessionOpen
from voice_server.wire.protocol import Accepted, Answer, Close, CloseCode, Received, ServerProtocol
from voice_server.wire.server_messages import ServerMessage, SessionClosed
from voice_server.wire.server_text import encode

BATCH: Final = 16
"""Frames written before what is due is looked at again, so that messages overtake sound."""
EARLY: Final = 64
"""Messages that may wait to be written before there is a session."""

log = logging.getLogger(__name__)


class _OverError(Exception):
    """Ends the connection's tasks; whoever raises it has said all there was to say."""


class Connection:
    """One client, from the accepted handshake to the close.

    Frames go through the protocol to the session, the session's events through delivery to the
    writer. Whoever feeds the writer waits while it has too much, so a slow reader is slowed and
    costs bounded memory.
    """

    def __init__(self, websocket: WebSocket, opening: Opening) -> None:
        self._websocket = websocket
        self._opening = opening
        self._protocol = ServerProtocol(opening.limits, time.monotonic())
        self._early: deque[ServerMessage] = deque()
        self._attached: Attachment | None = None
        self._close: Close | None = None
        self._wake = asyncio.Event()
        self._written = asyncio.Event()
        self._active_at = time.monotonic()
        self._tasks = asyncio.TaskGroup()

    async def run(self) -> None:
        """Returns when the connection is closed and its session has given back all it held."""
        try:
            async with self._tasks as tasks:
                tasks.create_task(self._write())
                tasks.create_task(self._read())
        except* (_OverError, WebSocketDisconnect):
            pass
        except* Exception:
            # The end of the connection's tasks: it is closed, and nobody else is touched.
            log.exception("a connection failed")
            await self._fail()
        finally:
            self._let_go()

    @property
    def texts(self) -> int:
        """Messages that wait to be written."""
        return len(self._early) + (self._attached.texts if self._attached is not None else 0)

    @property
    def waiting_samples(self) -> int:
        """Sound that waits until it is due."""
        return self._attached.waiting_samples if self._attached is not None else 0

    def drain(self, time_left_ms: float) -> None:
        """Tells the client that no new take starts."""
        self._answer(self._protocol.drain(time_left_ms))

    def restart(self) -> None:
        """Closes with 1012 once what is due has been written."""
        self._end(CloseCode.RESTARTING, "restarting")

    async def _read(self) -> None:
        while self._close is None:
            try:
                async with asyncio.timeout(self._patience()):
                    frame = await self._websocket.receive()
            except TimeoutError:
                self._answer(self._protocol.tick(time.monotonic()))
                self._check_idle()
                continue
            if frame["type"] == "websocket.disconnect":
                raise WebSocketDisconnect(frame.get("code", 1005))
            await self._take(frame.get("text"), frame.get("bytes"))

    async def _take(self, text: str | None, data: bytes | None) -> None:
        """One frame, and then as long a wait as the client has earned."""
        now = self._active_at = time.monotonic()
        if text is not None:
            received = self._protocol.receive_text(text, now)
        else:
            received = self._protocol.receive_binary(data or b"", now)
        for one in received:
            if isinstance(one, Accepted):
                await self._accept(one, now)
            else:
                self._answer([one])
        await self._has_room()
        # Even no pause lets others run: frames that have come already are read without waiting.
        await asyncio.sleep(self._protocol.pause(time.monotonic()))

    async def _accept(self, accepted: Accepted, read_at: float) -> None:
        match accepted.message:
            case SessionOpen():
                await self._open(accepted.message)
            case SessionClose():
                self._let_go(for_good=True)
            case Ping():
                pass  # The protocol has answered it.
            case command:
                if self._attached is not None:
                    await self._attached.control(command, read_at)
                    self._wake.set()

    async def _open(self, message: SessionOpen) -> None:
        """Opens a session once the engine is there, or closes the connection with the reason."""
        match await self._opening.condition():
            case Ready(scheduler):
                await self._attach(scheduler, message)
            case Stopping():
                self._end(CloseCode.RESTARTING, "restarting")
            case Broken(reason):
                self._end(CloseCode.OUR_FAULT, _short(reason))
            case Loading(step, _):
                self._end(CloseCode.FULL, _short(f"not ready yet: {step}; try again later"))

    async def _attach(self, scheduler: SessionScheduler, message: SessionOpen) -> None:
        token, secret = new_token()
        try:
            opened = await open_session(scheduler, message.resume, secret)
        except Draining as error:
            self._end(CloseCode.RESTARTING, _short(str(error)))
            return
        except SessionError as error:
            self._end(CloseCode.FULL, _short(str(error)))
            return
        info = scheduler.engine.info
        attached = Attachment(scheduler, opened.session, self._opening.delivery(message, info))
        self._attached = attached
        for told in self._opening.opened(message, opened, token, info):
            self._say(told)
        self._tasks.create_task(self._hear(attached))

    async def _hear(self, attached: Attachment) -> None:
        async for _ in attached.hear(time.monotonic):
            self._wake.set()

    async def _write(self) -> None:
        while True:
            self._wake.clear()
            batch = self._outgoing(time.monotonic())
            for item in batch:
                await self._send(item)
            if batch:
                self._written.set()
                await asyncio.sleep(0)  # Writing does not wait while the transport has room.
                continue
            if self._close is not None:
                await self._websocket.close(self._close.code, self._close.reason)
                raise _OverError
            await self._sleep()

    def _outgoing(self, now: float) -> list[Outgoing]:
        early: list[Outgoing] = [self._early.popleft() for _ in range(len(self._early))]
        return early + (self._attached.outgoing(now, BATCH) if self._attached is not None else [])

    async def _send(self, item: Outgoing) -> None:
        if isinstance(item, AudioFrame):
            self._active_at = time.monotonic()
            await self._websocket.send_bytes(item.pack())
        else:
            await self._websocket.send_text(encode(item))

    async def _sleep(self) -> None:
        """Until something comes to be written, or the next packet is due."""
        now = time.monotonic()
        due = self._attached.next_due(now) if self._attached is not None else None
        try:
            async with asyncio.timeout(None if due is None else max(0.0, due - now)):
                await self._wake.wait()
        except TimeoutError:
            return

    def _say(self, message: ServerMessage) -> None:
        if self._attached is not None:
            self._attached.say(message)
        else:
            self._early.append(message)
        self._wake.set()

    def _answer(self, received: Iterable[Received]) -> None:
        for one in received:
            match one:
                case Answer(message):
                    self._say(message)
                case Close():
                    self._close = one
                    self._wake.set()
                case Accepted():
                    raise AssertionError("only a frame is accepted")
                case _:
                    assert_never(one)

    def _end(self, code: CloseCode, reason: str) -> None:
        """Ends session and connection from our side."""
        if self._close is None:
            if self._attached is not None:
                self._let_go()
                self._say(SessionClosed())
            self._answer(self._protocol.close(code, reason))

    def _let_go(self, for_good: bool = False) -> None:
        """Gives back the session; for good: what was said in it too. (A resumable one would be left
        with the scheduler here.)
        """
        if self._attached is not None:
            self._attached.close(for_good)
        self._attached = None

    async def _fail(self) -> None:
        try:
            await self._websocket.close(CloseCode.OUR_FAULT, "the server failed")
        except (RuntimeError, WebSocketDisconnect):
            log.debug("the connection was closed already")

    async def _has_room(self) -> None:
        """Waits while more waits to be written than should."""
        while len(self._early) >= EARLY:
            self._written.clear()
            await self._written.wait()
        if self._attached is not None:
            await self._attached.room()

    def _patience(self) -> float:
        """Seconds to wait for a frame before something else is due."""
        now = time.monotonic()
        deadline = self._protocol.deadline()
        if deadline is None:
            deadline = self._active_at + self._opening.idle_s
        return max(0.0, deadline - now)

    def _check_idle(self) -> None:
        idle = time.monotonic() - self._active_at >= self._opening.idle_s
        if self._attached is not None and idle:
            self._end(CloseCode.DONE, "idle")


def _short(reason: str) -> str:
    """At most the 123 bytes that a close frame has room for."""
    return reason.encode()[:120].decode(errors="ignore")
