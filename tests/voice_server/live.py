"""A real server on a real socket, and a client that remembers all it was told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import numpy as np
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from engine.types import Int16
from sessions.scheduler import SessionScheduler
from tests import arithmetic
from tests.patience import PATIENCE_S
from voice_server import config, serving
from voice_server.app import App
from voice_server.hosting import FamilyLoader
from voice_server.readiness import Ready
from voice_server.wire.audio_frame import AudioFrame

Message = dict[str, Any]
QUICK = ("engine.capacity=8", "server.port=0", "delivery.make_ahead_ms=4000")


class Server:
    """The app and where it listens."""

    def __init__(self, app: App, base: str) -> None:
        self.app = app
        self.http = base
        self.ws = base.replace("http://", "ws://") + "v1/session"

    @property
    def scheduler(self) -> SessionScheduler:
        assert isinstance(self.app.readiness.now, Ready)
        return self.app.readiness.now.scheduler

    async def idle(self) -> None:
        """Returns once nothing is held, which it checks."""
        await self.scheduler.idle()
        assert self.app.host.engine is not None
        await self.app.host.engine.idle()
        self.scheduler.check_integrity()
        self.app.host.engine.check_integrity()

    async def get(self, path: str) -> httpx.Response:
        async with httpx.AsyncClient(base_url=self.http) as client:
            return await client.get(path)


@asynccontextmanager
async def serving_app(app: App) -> AsyncIterator[tuple[Server, serving.DrainingServer]]:
    """The app on a free port, stopped as a signal would."""
    with serving.listen(app.config.server) as listening:
        server = app.server()
        running = asyncio.create_task(server.serve([listening]))
        try:
            yield Server(app, serving.address(listening)), server
        finally:
            server.should_exit = True
            await running


@asynccontextmanager
async def server(
    *assignments: str, cost: float = 0.0, load: FamilyLoader | None = None
) -> AsyncIterator[Server]:
    """A server of the arithmetic family, ready; idle again at the end, or the test fails."""
    given = {one.partition("=")[0] for one in assignments}
    quick = [one for one in QUICK if one.partition("=")[0] not in given]
    with TemporaryDirectory() as folder:
        data = [] if "data" in given else [f"data={folder}"]
        settings = config.load(None, [*quick, *data, *assignments])
        app = App(settings, load or (lambda _: arithmetic.load(cost)))
        async with serving_app(app) as (live, stopping):
            await app.readiness.settled()
            yield live
            stopping.force_exit = True


class Client:
    """Sends JSON, and sorts what comes: messages in order, sound by stream."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.log: list[Message | AudioFrame] = []
        self.opened: Message = {}

    async def send(self, type: str, **fields: object) -> None:
        await self.socket.send(json.dumps({"type": type, **fields}))

    async def next(self) -> Message | AudioFrame:
        """The next thing that comes, whatever it is."""
        async with asyncio.timeout(PATIENCE_S):
            data = await self.socket.recv()
        one = json.loads(data) if isinstance(data, str) else AudioFrame.unpack(data)
        self.log.append(one)
        return one

    async def until(self, type: str, **fields: object) -> Message:
        """The next message of that type and with those fields."""
        while True:
            one = await self.next()
            if isinstance(one, dict) and one["type"] == type and fields.items() <= one.items():
                return one

    async def open(self, format: str = "pcm16", frame_ms: int = 20, **fields: object) -> Message:
        audio = {"format": format, "frame_ms": frame_ms}
        await self.send("session.open", audio=audio, **fields)
        self.opened = await self.until("session.opened")
        return self.opened

    async def speak(self, text: str, **fields: object) -> Message:
        """The take.started."""
        await self.send("speak", text=text, **fields)
        return await self.until("take.started")

    async def flush(self) -> None:
        """Returns when the server has answered all that was sent."""
        await self.send("ping", id="flush")
        await self.until("pong", reply_to="flush")

    async def closed(self) -> tuple[int, str]:
        """Code and reason of the close, which must come."""
        with suppress(ConnectionClosed):
            while True:
                await self.next()
        return self.socket.close_code or 0, self.socket.close_reason or ""

    def messages(self, take_id: str | None = None) -> list[Message]:
        return [
            one
            for one in self.log
            if isinstance(one, dict) and take_id in (None, one.get("take_id"))
        ]

    @property
    def packets(self) -> int:
        """Audio packets so far, of all streams."""
        return sum(isinstance(one, AudioFrame) for one in self.log)

    def sound(self, stream: int) -> Int16:
        """All PCM of a stream; its frames must follow on each other."""
        frames = [one for one in self.log if isinstance(one, AudioFrame) and one.stream == stream]
        assert [frame.seq for frame in frames] == list(range(len(frames)))
        at = 0
        for frame in frames:
            assert frame.timestamp == at
            at += len(frame.payload) // 2
        return np.frombuffer(b"".join(frame.payload for frame in frames), "<i2")


@asynccontextmanager
async def connected(
    live: Server, origin: str | None = None, protocol: str | None = "voice.v1"
) -> AsyncIterator[Client]:
    """A client that has not opened a session yet."""
    subprotocols = [Subprotocol(protocol)] if protocol else None
    async with connect(
        live.ws,
        subprotocols=subprotocols,
        compression=None,
        origin=origin,
        max_size=None,
        max_queue=None,
    ) as socket:
        yield Client(socket)


@asynccontextmanager
async def client(live: Server, **opening: Any) -> AsyncIterator[Client]:
    """A client with an open session."""
    async with connected(live) as one:
        await one.open(**opening)
        yield one
