"""The one place that puts all together: engine, sessions, routes, and the order they end in."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from engine.trace import TraceFile
from sessions.store import Store
from voice_server.config import Config
from voice_server.connections import Connections, origin_allowed
from voice_server.delivery.stats import DeliveryCounters
from voice_server.hosting import EngineHost, FamilyLoader
from voice_server.http import catalogue, health, imports, scenes, session_json, studio, takes
from voice_server.http.downloads import Exports
from voice_server.http.imports import Imports
from voice_server.metrics import Metrics
from voice_server.opening import Opening
from voice_server.readiness import Readiness, Ready, Stopping
from voice_server.serving import DrainingServer
from voice_server.socket import Connection
from voice_server.wire.protocol import SUBPROTOCOL, Close, CloseCode

FRAME_SLACK: Final = 65_536
"""Bytes that a frame may be over the limit and still get our own answer before the close."""
GOODBYE_S: Final = 2.0
"""How long the last messages to a client may take."""


class App:
    """A whole server but for its listening socket. `load` gives the model family."""

    def __init__(self, config: Config, load: FamilyLoader, trace: TraceFile | None = None) -> None:
        counters = DeliveryCounters()
        self.config = config
        self.readiness = Readiness()
        store = Store(config.data / "sessions")
        exports = Exports(store)
        taken_in = Imports(store, config.server.origins, config.limits.session_bytes)
        self.host = EngineHost(config, load, self.readiness, store, trace)
        self.connections = Connections(config.server.max_connections)
        self._opening = Opening(config, self.readiness, counters)
        metrics = Metrics(self.readiness, self.host, self.connections, counters, store)
        self.asgi = Starlette(
            routes=[
                WebSocketRoute("/v1/session", self._session),
                *health.routes(self.readiness, self.host, metrics),
                *catalogue.routes(self.readiness),
                *takes.routes(exports),
                *scenes.routes(exports),
                *session_json.routes(exports),
                *imports.routes(taken_in),
                *studio.routes(),
            ],
            lifespan=self._lifespan,
        )

    def server(self) -> DrainingServer:
        """The HTTP server for this app."""
        frame_bytes = self.config.limits.message_bytes + FRAME_SLACK
        return DrainingServer(self.asgi, self, self.config.server.drain_s, frame_bytes)

    async def drain(self, time_left_s: float) -> None:
        """Lets nobody begin anything; returns when nothing is under way any more."""
        scheduler = self.readiness.now.scheduler if isinstance(self.readiness.now, Ready) else None
        self.readiness.become(Stopping(scheduler))
        if scheduler is None:
            return
        scheduler.drain()
        self.host.drain()
        for connection in self.connections:
            connection.drain(1000 * time_left_s)
        await scheduler.idle()

    async def say_goodbye(self) -> None:
        """Closes every connection with a word; returns when they are closed, or soon after."""
        for connection in self.connections:
            connection.restart()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GOODBYE_S):
                await self.connections.gone()

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        hosting = asyncio.create_task(self.host.run())
        try:
            yield
        finally:
            await self.host.stop(hosting)

    async def _session(self, websocket: WebSocket) -> None:
        refusal = self._refusal(websocket)
        if refusal is not None:
            await websocket.accept(SUBPROTOCOL if _offers(websocket) else None)
            await websocket.close(refusal.code, refusal.reason)
            return
        connection = Connection(websocket, self._opening)
        with self.connections.holding(connection):
            await websocket.accept(SUBPROTOCOL)
            await connection.run()

    def _refusal(self, websocket: WebSocket) -> Close | None:
        """Why this client may not connect. The reason goes in a close, which browsers can read."""
        origin, host = websocket.headers.get("origin"), websocket.headers.get("host")
        if not _offers(websocket):
            return Close(CloseCode.NOT_OUR_PROTOCOL, f"expected the subprotocol {SUBPROTOCOL}")
        if not origin_allowed(origin, host, self.config.server.origins):
            return Close(CloseCode.NOT_ALLOWED, "this origin is not allowed: see server.origins")
        if isinstance(self.readiness.now, Stopping):
            return Close(CloseCode.RESTARTING, "restarting")
        if self.connections.full:
            return Close(CloseCode.FULL, "as many are connected as may be; try again later")
        return None


def _offers(websocket: WebSocket) -> bool:
    return SUBPROTOCOL in websocket.scope["subprotocols"]
