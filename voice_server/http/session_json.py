"""A session as JSON: `/v1/sessions/{id}`, with its sound for `?sound=embedded`."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sessions.store import UnknownSession, archive
from voice_server.export.formats import Format
from voice_server.http import replies
from voice_server.http.downloads import Exports, answered


def routes(exports: Exports) -> list[Route]:
    """The document that `POST /v1/sessions` opens again; 404 for one that is not there."""

    async def session(request: Request) -> Response:
        name = str(request.path_params["session_id"])
        sound = request.query_params.get("sound", "none")
        if sound not in ("none", "embedded"):
            return replies.error(400, "bad_field", "sound: expected none or embedded")
        unknown = UnknownSession(f"no session is called {name!r}")
        exports.check(request, name, unknown)
        record = await exports.library.load_session(name)
        sounds = exports.library.archived_sounds(record) if sound == "embedded" else ()
        return exports.stream(archive.write(record, sounds), Format.JSON, name)

    return [Route("/v1/sessions/{session_id}", answered(session))]
