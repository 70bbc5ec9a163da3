"""The studio: a built page beside this package, or a word on how to build it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

FOLDER: Final = Path(__file__).resolve().parent.parent / "studio"
MISSING: Final = "The studio is not built. `make studio` builds it; `/v1/session` works without.\n"
_HEADERS: Final = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


class _Page(StaticFiles):
    """Files whose names carry no version are asked for anew each time; an ETag spares the bytes."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        response.headers.update(_HEADERS)
        return response


def routes(folder: Path = FOLDER) -> list[BaseRoute]:
    """`/` and all below it; to be put last."""
    if (folder / "index.html").is_file():
        return [Mount("/", _Page(directory=folder, html=True))]

    async def missing(_: Request) -> Response:
        return PlainTextResponse(MISSING, 503)

    return [Route("/", missing)]
