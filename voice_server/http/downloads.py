"""Files made for whoever asks: found by name, allowed or not, made in threads and sent."""

from __future__ import annotations

import logging
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator
from contextlib import aclosing, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, Protocol, TypeAlias
from urllib.parse import quote

import anyio
import soundfile
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from sessions.errors import SessionError, UnknownTake
from sessions.store import (
    SceneSheet,
    SessionRecord,
    StoreError,
    TakeSheet,
    UnknownScene,
    UnknownSession,
)
from sessions.store.archive import ArchivedSound
from voice_server.export.bundle import safe_name
from voice_server.export.errors import ExportError
from voice_server.export.formats import Format
from voice_server.http import replies

log = logging.getLogger(__name__)

AT_ONCE: Final = 2
"""Exports that may compute at once, so that speaking takes keep most of the machine."""

Pieces: TypeAlias = Generator[bytes, None, None]
Handler: TypeAlias = Callable[[Request], Awaitable[Response]]
May: TypeAlias = Callable[[Request, str], bool]
"""Whether whoever sent the request may see the session of that name."""


class Library(Protocol):
    """Where takes and scenes are kept: a `sessions.store.Store`."""

    async def load_session(self, session_id: str) -> SessionRecord: ...

    async def load_scene(self, scene_id: str) -> SceneSheet: ...

    async def load_take(self, take_id: str) -> TakeSheet: ...

    def archived_sounds(self, session: SessionRecord) -> Iterator[ArchivedSound]: ...

    def sound_file(self, session_id: str, take_id: str) -> Path: ...

    @property
    def scratch(self) -> Path: ...


def everyone(_: Request, __: str) -> bool:
    """Lets anybody see anything."""
    return True


@dataclass(frozen=True, slots=True)
class Exports:
    """What the routes share: where things are kept, who may see them, how much is made at once."""

    library: Library
    may: May = everyone
    threads: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(AT_ONCE))

    def check(self, request: Request, session_id: str, unknown: SessionError) -> None:
        """Raises `unknown` where the session may not be seen: as if it weren't there."""
        if not self.may(request, session_id):
            raise unknown

    def stream(self, pieces: Pieces, form: Format, name: str) -> Response:
        """The pieces, as they are made."""
        return _Streamed(self._made(pieces), media_type=form.media_type, headers=_named(name, form))

    async def file(self, make: Callable[[Path], None], form: Format, name: str) -> Response:
        """A passing file that `make` writes; parts of it can be asked for."""
        path = self.library.scratch / f"{secrets.token_hex(8)}.{form.value}"
        try:
            await anyio.to_thread.run_sync(make, path, limiter=self.threads)
        except BaseException:
            await discard(path)
            raise
        return _Passing(path, media_type=form.media_type, headers=_named(name, form))

    async def stored(self, path: Path, form: Format, name: str) -> Response:
        """A file that is there already; parts of it can be asked for. Raises OSError if not."""
        found = await anyio.to_thread.run_sync(path.stat)
        return FileResponse(
            path, media_type=form.media_type, headers=_named(name, form), stat_result=found
        )

    def whole(self, body: bytes | str, form: Format, name: str) -> Response:
        """What is short enough to be sent at once."""
        headers = {**_named(name, form), "content-type": form.media_type}
        return Response(body, headers=headers)

    async def _made(self, pieces: Pieces) -> AsyncGenerator[bytes, None]:
        """Each piece made in a thread; the files that are read are closed however it ends."""
        with closing(pieces):
            while piece := await anyio.to_thread.run_sync(next, pieces, b"", limiter=self.threads):
                yield piece


class UnknownFormat(Exception):
    """The name has no ending, or not one of those there are."""

    code = "unknown_format"

    def __init__(self, name: str, forms: tuple[Format, ...]) -> None:
        endings = ", ".join(f".{form.value}" for form in forms)
        super().__init__(f"{name!r}: expected a name that ends in {endings}")


def asked(request: Request, forms: tuple[Format, ...]) -> tuple[str, Format]:
    """What stands before and after the dot of the name. Raises UnknownFormat."""
    asked_for = str(request.path_params["name"])
    name, _, ending = asked_for.rpartition(".")
    form = next((form for form in forms if form.value == ending), None)
    if form is None or not name:
        raise UnknownFormat(asked_for, forms)
    return name, form


def answered(handler: Handler) -> Handler:
    """The handler, with what it raises as `{"error": {code, message}}`."""

    async def answer(request: Request) -> Response:
        try:
            return await handler(request)
        except (UnknownTake, UnknownScene, UnknownSession, UnknownFormat) as error:
            return replies.error(404, error.code, str(error))
        except ExportError as error:
            return replies.error(409, error.code, str(error))
        except StoreError as error:
            return replies.error(503, error.code, str(error))
        except (OSError, soundfile.LibsndfileError) as error:
            log.error("%s can't be exported: %s", request.url.path, error)
            return replies.error(503, StoreError.code, "the sound could not be read or written")

    return answer


class _Streamed(StreamingResponse):
    """Whose source is closed however the sending ends, and not begun for a HEAD."""

    def __init__(
        self, pieces: AsyncGenerator[bytes, None], media_type: str, headers: dict[str, str]
    ) -> None:
        super().__init__(pieces, media_type=media_type, headers=headers)
        self._pieces = pieces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with aclosing(self._pieces):
            if scope["method"] == "HEAD":
                await Response(headers=self.headers)(scope, receive, send)
            else:
                await super().__call__(scope, receive, send)


class _Passing(FileResponse):
    """Whose file is gone once it was sent, or could not be."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await discard(Path(self.path))


async def discard(path: Path) -> None:
    """Deletes the file, even for whoever is cancelled."""
    with anyio.CancelScope(shield=True):
        await anyio.to_thread.run_sync(partial(path.unlink, missing_ok=True))


def _named(name: str, form: Format) -> dict[str, str]:
    """A name to save it under; one beyond ASCII by RFC 6266."""
    full = f"{safe_name(name)}.{form.value}"
    if full.isascii():
        return {"content-disposition": f'attachment; filename="{full}"'}
    return {"content-disposition": f"attachment; filename*=utf-8''{quote(full)}"}
