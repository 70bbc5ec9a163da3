"""A session from a file: `POST /v1/sessions` with the JSON that `GET /v1/sessions/{id}` gave."""

from __future__ import annotations

import logging
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import anyio
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sessions.store import BadArchive, StoreError
from voice_server.connections import origin_allowed
from voice_server.http import replies
from voice_server.http.downloads import discard
from voice_server.opening import new_token

log = logging.getLogger(__name__)


class Shelves(Protocol):
    """Where a session goes: a `sessions.store.Store`."""

    async def copy_session(self, document: bytes | str, secret: bytes) -> str: ...

    @property
    def scratch(self) -> Path: ...


class TooLarge(Exception):
    """More bytes than a session's file may have."""

    code = "too_large"

    def __init__(self, most: int) -> None:
        super().__init__(f"a session's file may have {most} bytes: see limits.session_bytes")


@dataclass(frozen=True, slots=True)
class Imports:
    """Takes in sessions, one at a time, as one can be large. origins: further pages that may send
    one. most: bytes of a document."""

    shelves: Shelves
    origins: tuple[str, ...]
    most: int
    turn: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(1))

    async def take_in(self, request: Request) -> tuple[str, str]:
        """The session's name, and the token to come back with. Raises TooLarge, BadArchive,
        StoreError, OSError, or ClientDisconnect for one who leaves before all of it is here."""
        token, secret = new_token()
        async with self._spooled(request) as path, self.turn:
            document = await anyio.to_thread.run_sync(path.read_bytes)
            return await self.shelves.copy_session(document, secret), token

    @asynccontextmanager
    async def _spooled(self, request: Request) -> AsyncIterator[Path]:
        """The body as a passing file: whoever sends slowly holds no memory."""
        self._check_size(int(request.headers.get("content-length", "0")))
        path, size = self.shelves.scratch / f"{secrets.token_hex(8)}.upload", 0
        try:
            async with await anyio.open_file(path, "wb") as file:
                async for chunk in request.stream():
                    size += len(chunk)
                    self._check_size(size)
                    await file.write(chunk)
            yield path
        finally:
            await discard(path)

    def _check_size(self, size: int) -> None:
        if size > self.most:
            raise TooLarge(self.most)


def routes(imports: Imports) -> list[Route]:
    """Answers 201 with `{session_id, token}`, with which `session.open` takes the session up.

    403 for a page of an origin that may not, 413 for a document over the limit, 400 with `field`
    for one that is no session.
    """

    async def take_in(request: Request) -> Response:
        origin, host = request.headers.get("origin"), request.headers.get("host")
        if not origin_allowed(origin, host, imports.origins):
            told = "this origin is not allowed: see server.origins"
            return replies.error(403, "not_allowed", told)
        try:
            session_id, token = await imports.take_in(request)
        except TooLarge as error:
            return replies.error(413, error.code, str(error))
        except BadArchive as error:
            return replies.error(400, error.code, str(error), error.field)
        except ClientDisconnect:
            return replies.error(400, "bad_archive", "the document was not sent to its end")
        except (StoreError, OSError) as error:
            log.error("a session could not be taken in: %s", error)
            return replies.error(503, StoreError.code, "the session could not be stored")
        headers = {"location": f"/v1/sessions/{session_id}"}
        return JSONResponse({"session_id": session_id, "token": token}, 201, headers)

    return [Route("/v1/sessions", take_in, methods=["POST"])]
