"""What there is: voices and models."""

from __future__ import annotations

from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from engine.types import FamilyInfo
from voice_server.http import replies
from voice_server.readiness import Readiness, Ready


def routes(readiness: Readiness) -> list[Route]:
    """`/v1/voices` and `/v1/models`; 503 with the reason until the engine is there."""

    async def voices(_: Request) -> Response:
        info = _info(readiness)
        if info is None:
            return _not_yet(readiness)
        return JSONResponse({"voices": [asdict(voice) for voice in info.voices]})

    async def models(_: Request) -> Response:
        info = _info(readiness)
        if info is None:
            return _not_yet(readiness)
        return JSONResponse({"object": "list", "data": [_model(info)]})

    return [Route("/v1/voices", voices), Route("/v1/models", models)]


def _info(readiness: Readiness) -> FamilyInfo | None:
    return readiness.now.scheduler.engine.info if isinstance(readiness.now, Ready) else None


def _model(info: FamilyInfo) -> dict[str, object]:
    return {
        "id": info.model,
        "object": "model",
        "owned_by": info.family,
        "family": info.family,
        "sample_rate": info.sample_rate,
        "frame_ms": info.frame_ms,
        "can": list(info.can),
    }


def _not_yet(readiness: Readiness) -> Response:
    return replies.error(503, "not_ready", "; ".join(readiness.reasons()))
