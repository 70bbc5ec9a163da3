"""Hops 1 and 11 of the one way: the reader and the writer of one connection, in one TaskGroup."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Iterable
from typing import Final, assert_never

from starlette.websockets import WebSocket, WebSocketDisconnect

from sessions.commands import Append, Cancel, Command, Finish, Playback, Speak
from sessions.errors import Draining, SessionError
from sessions.events import TakeAudio
from sessions.scheduler import SessionScheduler
from sessions.session import Session
from voice_server.delivery.session import SessionDelivery
from voice_server.delivery.take import Outgoing
from voice_server.opening import Opening, pieces
from voice_server.readiness import Broken, Loading, Ready, Stopping
from voice_server.wire.audio_frame import AudioFrame
from voice_server.wire.client_messages import Ping, SessionClose, SessionOpen
from voice_server.wire.protocol import Accepted, Answer, Close, CloseCode, Received, ServerProtocol
from voice_server.wire.server_messages import ServerMessage, SessionClosed, TakeDone
from voice_server.wire.server_text import encode

BATCH: Final = 16
"""Frames written before what is due is looked at again, so that messages overtake sound."""

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
        self._scheduler: SessionScheduler | None = None
        self._session: Session | None = None
        self._delivery: SessionDelivery | None = None
        self._close: Close | None = None
        self._wake = asyncio.Event()
        self._room = asyncio.Event()
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
                await self._accept(one)
            else:
                self._answer([one])
        await self._has_room()
        # Even no pause lets others run: frames that have come already are read without waiting.
        await asyncio.sleep(self._protocol.pause(time.monotonic()))

    async def _accept(self, accepted: Accepted) -> None:
        match accepted.message:
            case SessionOpen():
                await self._open(accepted.message)
            case SessionClose():
                self._let_go()
            case Playback():
                await self._control(accepted.message)
                if self._delivery is not None:
                    self._delivery.report(accepted.message, time.monotonic())
                    self._spread_credit()
            case Speak() | Append() | Finish() | Cancel():
                await self._control(accepted.message)
            case Ping():
                pass  # The protocol has answered it.
            case _:
                assert_never(accepted.message)

    async def _control(self, command: Command) -> None:
        if self._scheduler is not None and self._session is not None:
            await self._scheduler.control(self._session.id, command)

    async def _open(self, message: SessionOpen) -> None:
        """Opens a session once the engine is there, or closes the connection with the reason."""
        match await self._opening.condition():
            case Ready(scheduler):
                self._attach(scheduler, message)
            case Stopping():
                self._end(CloseCode.RESTARTING, "restarting")
            case Broken(reason):
                self._end(CloseCode.OUR_FAULT, _short(reason))
            case Loading(step, _):
                self._end(CloseCode.FULL, _short(f"not ready yet: {step}; try again later"))

    def _attach(self, scheduler: SessionScheduler, message: SessionOpen) -> None:
        try:
            session = scheduler.open()
        except Draining as error:
            self._end(CloseCode.RESTARTING, _short(str(error)))
            return
        except SessionError as error:
            self._end(CloseCode.FULL, _short(str(error)))
            return
        self._scheduler, self._session = scheduler, session
        info = scheduler.engine.info
        self._delivery = self._opening.delivery(message, info)
        for told in self._opening.opened(message, session.id, info):
            self._say(told)
        self._tasks.create_task(self._hear(session, self._delivery, info.sample_rate))

    async def _hear(self, session: Session, delivery: SessionDelivery, sample_rate: int) -> None:
        """Brings the session's events to delivery, sound a little at a time."""
        async for event in session.events():
            for piece in pieces(event, sample_rate):
                await self._has_room()
                if self._session is None:
                    return
                delivery.handle(piece, time.monotonic())
                self._spread_credit()
                self._wake.set()
                if isinstance(piece, TakeAudio):
                    await asyncio.sleep(0)

    async def _write(self) -> None:
        while True:
            self._wake.clear()
            batch = self._outgoing(time.monotonic())
            for item in batch:
                await self._send(item)
            if batch:
                self._room.set()
                await asyncio.sleep(0)  # Writing does not wait while the transport has room.
                continue
            if self._close is not None:
                await self._websocket.close(self._close.code, self._close.reason)
                raise _OverError
            await self._sleep()

    def _outgoing(self, now: float) -> list[Outgoing]:
        """What is to be written now. A take whose end is among it is over from here on."""
        early: list[Outgoing] = [self._early.popleft() for _ in range(len(self._early))]
        if self._delivery is None or self._session is None:
            return early
        batch = self._delivery.poll(now, BATCH)
        for item in batch:
            if isinstance(item, TakeDone):
                self._session.delivered(item.take_id)
        self._spread_credit()
        return early + batch

    async def _send(self, item: Outgoing) -> None:
        if isinstance(item, AudioFrame):
            self._active_at = time.monotonic()
            await self._websocket.send_bytes(item.pack())
        else:
            await self._websocket.send_text(encode(item))

    async def _sleep(self) -> None:
        """Until something comes to be written, or the next packet is due."""
        now = time.monotonic()
        due = self._delivery.next_due(now) if self._delivery is not None else None
        try:
            async with asyncio.timeout(None if due is None else max(0.0, due - now)):
                await self._wake.wait()
        except TimeoutError:
            return

    def _say(self, message: ServerMessage) -> None:
        if self._delivery is not None:
            self._delivery.say(message)
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
            had_session = self._session is not None
            self._let_go()
            if had_session:
                self._say(SessionClosed())
            self._answer(self._protocol.close(code, reason))

    def _let_go(self) -> None:
        """Gives back the session. (A resumable one would be left with the scheduler here.)"""
        if self._scheduler is not None and self._session is not None:
            self._scheduler.close(self._session.id)
        if self._delivery is not None:
            self._delivery.close()
        self._session = self._delivery = None

    async def _fail(self) -> None:
        try:
            await self._websocket.close(CloseCode.OUR_FAULT, "the server failed")
        except (RuntimeError, WebSocketDisconnect):
            log.debug("the connection was closed already")

    async def _has_room(self) -> None:
        """Waits while more waits to be written than should."""
        while self._delivery is not None and self._delivery.full:
            self._room.clear()
            self._wake.set()
            await self._room.wait()

    def _spread_credit(self) -> None:
        """Tells the engine how much sound is wanted, by way of the session."""
        if self._delivery is not None and self._session is not None:
            for told in self._delivery.credits(time.monotonic()):
                self._session.credit(told.take_id, told.credit)

    def _patience(self) -> float:
        """Seconds to wait for a frame before something else is due."""
        now = time.monotonic()
        deadline = self._protocol.deadline()
        if deadline is None:
            deadline = self._active_at + self._opening.idle_s
        return max(0.0, deadline - now)

    def _check_idle(self) -> None:
        idle = time.monotonic() - self._active_at >= self._opening.idle_s
        if self._session is not None and idle:
            self._end(CloseCode.DONE, "idle")


def _short(reason: str) -> str:
    """At most the 123 bytes that a close frame has room for."""
    return reason.encode()[:120].decode(errors="ignore")
