"""Server messages as JSON text, both ways.

`encode` and `parse_server` go by the dataclasses themselves, with pydantic for the way back: an SDK
trusts its server, so unknown fields may pass and need no words of ours.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import TypeAdapter, ValidationError

from voice_server.wire.errors import WireError
from voice_server.wire.fields import Fields
from voice_server.wire.server_messages import SERVER_TYPES, ServerMessage
from voice_server.wire.strict_json import Json, read_object

_NAMES: Final[Mapping[type[ServerMessage], str]] = {cls: name for name, cls in SERVER_TYPES.items()}

_LEFT_OUT: Final = frozenset(
    {"reply_to", "field", "heard", "rest", "changed", "direction", "seconds", "made"}
)
"""Fields that are absent rather than null where there is nothing to say."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A message of a type that this version does not know: a newer server's. Safe to ignore."""

    type: str
    fields: Mapping[str, Json]


def encode(message: ServerMessage) -> str:
    """The JSON text of a server message."""
    values = {"type": _NAMES[type(message)], **dataclasses.asdict(message)}
    present = {k: v for k, v in values.items() if v is not None or k not in _LEFT_OUT}
    return json.dumps(present, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def parse_server(data: str | bytes) -> ServerMessage | Unknown:
    """What a server's text frame says. Raises WireError for what no server should send."""
    values = read_object(data)
    kind = Fields(values).text("type", most=len(data))
    if kind not in SERVER_TYPES:
        return Unknown(kind, values)
    try:
        return _adapter(kind).validate_python(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        path = ".".join(str(part) for part in first["loc"])
        raise WireError("bad_field", f"{kind}: {path}: {first['msg']}", path) from error


@functools.cache
def _adapter(kind: str) -> TypeAdapter[ServerMessage]:
    return TypeAdapter(SERVER_TYPES[kind])
