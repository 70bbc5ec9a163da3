"""Values as JSON and back, strictly: what does not fit raises pydantic.ValidationError."""

from __future__ import annotations

from typing import Final

from pydantic import TypeAdapter

from engine.types import Performance
from sessions.events import Recognised

_PERFORMANCE: Final = TypeAdapter(Performance)
_HEARD: Final = TypeAdapter(Recognised)


def performance_text(performance: Performance) -> str:
    """Only the levers that are moved: a performance stored today reads well when there are more."""
    return _PERFORMANCE.dump_json(performance, exclude_defaults=True).decode()


def performance_of(text: str) -> Performance:
    return _PERFORMANCE.validate_json(text)


def heard_text(heard: Recognised | None) -> str | None:
    return None if heard is None else _HEARD.dump_json(heard).decode()


def heard_of(text: str) -> Recognised:
    return _HEARD.validate_json(text)
