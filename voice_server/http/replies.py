"""Answers over HTTP in one shape."""

from __future__ import annotations

from starlette.responses import JSONResponse


def error(status: int, code: str, message: str, field: str | None = None) -> JSONResponse:
    """`{"error": {"code", "message", "field"}}`, as the socket's errors are: `field` where one of
    what was sent was wrong."""
    told = {"code": code, "message": message} | ({} if field is None else {"field": field})
    return JSONResponse({"error": told}, status)
