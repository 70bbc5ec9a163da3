"""Alive, able to serve, and the figures."""

from __future__ import annotations

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from voice_server.metrics import Metrics
from voice_server.readiness import Loading, Readiness


def routes(readiness: Readiness, metrics: Metrics) -> list[Route]:
    """`/healthz`, `/readyz` and `/metrics`."""

    async def alive(_: Request) -> Response:
        return JSONResponse({"status": "alive"})

    async def ready(_: Request) -> Response:
        reasons = readiness.reasons()
        fraction = readiness.now.fraction if isinstance(readiness.now, Loading) else None
        body = {"ready": not reasons, "reasons": list(reasons), "fraction": fraction}
        return JSONResponse(body, 503 if reasons else 200)

    async def figures(_: Request) -> Response:
        return Response(metrics.text(), media_type=CONTENT_TYPE_LATEST)

    return [
        Route("/healthz", alive),
        Route("/readyz", ready),
        Route("/metrics", figures),
    ]
