"""Values as JSON and back, strictly: what does not fit raises pydantic.ValidationError."""

from __future__ import annotations

from typing import Final

from pydantic import TypeAdapter

from engine.types import Performance

_PERFORMANCE: Final = TypeAdapter(Performance)


def performance_text(performance: Performance) -> str:
    """Only the levers that are moved: a performance stored today reads well when there are more."""
    return _PERFORMANCE.dump_json(performance, exclude_defaults=True).decode()


def performance_of(text: str) -> Performance:
    return _PERFORMANCE.validate_json(text)
