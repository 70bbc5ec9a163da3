"""JSON as the wire takes it: one object, no doubled keys, no NaN, no numbers past a double."""

from __future__ import annotations

import json
import math
from typing import TypeAlias

from voice_server.wire.errors import WireError, shown

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

_DIGITS = 20
"""A u64 has 20; nothing on the wire is longer, and longer ones cost quadratic time to read."""


def read_object(data: str | bytes) -> dict[str, Json]:
    """The one JSON object in `data`. Raises WireError `bad_json` and says what is wrong where."""
    text = data if isinstance(data, str) else _decoded(data)
    try:
        value: Json = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_constant,
        )
    except json.JSONDecodeError as error:
        raise WireError("bad_json", f"{error.msg} at character {error.pos}") from error
    except RecursionError as error:
        raise WireError("bad_json", "nested too deeply") from error
    if not isinstance(value, dict):
        raise WireError("bad_json", f"expected a JSON object, got {shown(value)}")
    return value


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise WireError("bad_json", f"not UTF-8 at byte {error.start}") from error


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    values: dict[str, Json] = {}
    for key, value in pairs:
        if key in values:
            raise WireError("bad_json", f"the key {shown(key)} comes twice")
        values[key] = value
    return values


def _integer(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise WireError("bad_json", f"a number of {len(digits)} digits; at most {_DIGITS}")
    return int(digits)


def _number(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise WireError("bad_json", f"the number {shown(digits)} does not fit a double")
    return value


def _constant(name: str) -> float:
    raise WireError("bad_json", f"{name} is not JSON")
