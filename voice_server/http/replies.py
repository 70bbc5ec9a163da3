"""Answers over HTTP in one shape."""

from __future__ import annotations

from starlette.responses import JSONResponse


def error(status: int, code: str, message: str) -> JSONResponse:
    """`{"error": {"code", "message"}}`, as the socket's errors are."""
    return JSONResponse({"error": {"code": code, "message": message}}, status)
