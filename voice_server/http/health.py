"""Alive, able to serve, and the figures."""

from __future__ import annotations

from dataclasses import asdict

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from engine.stats import ProcessStats
from voice_server.hosting import EngineHost
from voice_server.metrics import Metrics
from voice_server.readiness import Loading, Readiness


def routes(readiness: Readiness, host: EngineHost, metrics: Metrics) -> list[Route]:
    """`/healthz`, `/readyz` and `/metrics`."""

    async def alive(_: Request) -> Response:
        return JSONResponse({"status": "alive"})

    async def ready(_: Request) -> Response:
        reasons = (*readiness.reasons(), *host.missing())
        fraction = readiness.now.fraction if isinstance(readiness.now, Loading) else None
        body = {
            "ready": not reasons,
            "reasons": list(reasons),
            "fraction": fraction,
            "processes": [_shown(process) for process in host.processes()],
        }
        return JSONResponse(body, 503 if reasons else 200)

    async def figures(_: Request) -> Response:
        return Response(metrics.text(), media_type=CONTENT_TYPE_LATEST)

    return [
        Route("/healthz", alive),
        Route("/readyz", ready),
        Route("/metrics", figures),
    ]


def _shown(process: ProcessStats) -> dict[str, object]:
    shown = asdict(process)
    del shown["cpu"]  # A figure for /metrics.
    return shown
