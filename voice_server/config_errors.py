"""Says of a wrong config key what it is called, what was expected and what was perhaps meant."""

from __future__ import annotations

import difflib
import types
from collections.abc import Mapping, Sequence
from typing import Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails


def explain(root: type[BaseModel], detail: ErrorDetails) -> str:
    """One sentence on one error that validating `root` gave."""
    path = tuple(str(part) for part in detail["loc"])
    section, length = _innermost(root, path)
    if detail["type"] == "extra_forbidden":
        return _unknown_key(".".join(path), path[-1], sorted(section.model_fields))
    # Branches of a union add their own names to the path; the key ends where the field does.
    key = ".".join(path[:length]) or "config"
    field = section.model_fields.get(path[length - 1]) if length else None
    choices = _choices(field.annotation) if field is not None else ()
    if choices and isinstance(detail["input"], str):
        return f"{key}: {_unknown_value(detail['input'], choices)}"
    meaning = f" ({field.description})" if field is not None and field.description else ""
    return f"{key}: expected {_expected(detail, choices)}, not {detail['input']!r}{meaning}"


def _innermost(section: type[BaseModel], path: Sequence[str]) -> tuple[type[BaseModel], int]:
    """The section that the last key of `path` is in, and how many parts the whole key has."""
    length = 0
    while length < len(path):
        field = section.model_fields.get(path[length])
        length += 1
        named, inner = _inside(field.annotation if field is not None else None)
        if inner is None or length + named >= len(path):
            return section, min(length + named, len(path))
        section, length = inner, length + named
    return section, length


def _inside(annotation: object) -> tuple[int, type[BaseModel] | None]:
    """The sections inside a key, and whether a name of the user's own (1) comes before them."""
    if get_origin(annotation) is Mapping:
        return 1, _inside(get_args(annotation)[1])[1]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return 0, annotation
    return 0, None


def _unknown_key(key: str, name: str, valid: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, valid, n=1)
    meant = f"; did you mean {close[0]}?" if close else ""
    return f"{key}: unknown key{meant} (valid here: {', '.join(valid)})"


def _unknown_value(value: str, choices: Sequence[str]) -> str:
    close = difflib.get_close_matches(value, choices, n=1)
    meant = f"; did you mean {close[0]}?" if close else ""
    return f"expected {' or '.join(choices)}, not {value!r}{meant}"


def _choices(annotation: object) -> tuple[str, ...]:
    if get_origin(annotation) is Literal:
        return tuple(str(choice) for choice in get_args(annotation))
    if get_origin(annotation) in (Union, types.UnionType):
        parts = (part for part in get_args(annotation) if part is not types.NoneType)
        named = [_choices(part) for part in parts]
        others = (_other(annotation),) if any(named) and not all(named) else ()
        return tuple(choice for part in named for choice in part) + others
    return ()


def _other(annotation: object) -> str:
    """What a key may be that can be named, but is no choice."""
    kinds = (get_origin(get_args(part)[0]) for part in get_args(annotation) if get_args(part))
    return "a list of numbers above 0" if tuple in kinds else "a number above 0"


_EXPECTED = {
    "int_type": "a whole number",
    "float_type": "a number",
    "string_type": "text",
    "path_type": "a path",
    "tuple_type": "a list",
    "greater_than": "a number above {gt}",
    "greater_than_equal": "a number of at least {ge}",
    "less_than_equal": "a number of at most {le}",
    "model_type": "keys with values",
    "dict_type": "keys with values",
    "mapping_type": "keys with values",
    "string_too_short": "text that is not empty",
}


def _expected(detail: ErrorDetails, choices: Sequence[str]) -> str:
    if choices:
        return " or ".join(choices)
    return _EXPECTED.get(detail["type"], detail["msg"]).format(**detail.get("ctx", {}))
