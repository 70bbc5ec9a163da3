"""Says of a wrong config key what it is called, what was expected and what was perhaps meant."""

from __future__ import annotations

import difflib
import types
from collections.abc import Sequence
from typing import Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails


def explain(root: type[BaseModel], detail: ErrorDetails) -> str:
    """One sentence on one error that validating `root` gave."""
    path = [str(part) for part in detail["loc"]]
    section, depth = _section_at(root, path)
    if detail["type"] == "extra_forbidden":
        return _unknown_key(".".join(path), path[-1], sorted(section.model_fields))
    field = section.model_fields.get(path[depth]) if depth < len(path) else None
    if field is None:
        return f"{'.'.join(path) or 'config'}: expected keys with values, not {detail['input']!r}"
    # Branches of a union add their own names to the path; the key ends where the field does.
    key = ".".join(path[: depth + 1])
    choices = _choices(field.annotation)
    if choices and isinstance(detail["input"], str):
        return f"{key}: {_unknown_value(detail['input'], choices)}"
    expected = _expected(detail, choices)
    meaning = f" ({field.description})" if field.description else ""
    return f"{key}: expected {expected}, not {detail['input']!r}{meaning}"


def _section_at(root: type[BaseModel], path: list[str]) -> tuple[type[BaseModel], int]:
    """The innermost section that `path` enters, and how many parts of the path lead there."""
    section = root
    for depth, part in enumerate(path):
        field = section.model_fields.get(part)
        inner = field.annotation if field is not None else None
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)) or depth + 1 == len(path):
            return section, depth
        section = inner
    return section, 0


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
        named = [_choices(part) for part in get_args(annotation)]
        others = ("a number above 0",) if any(named) and not all(named) else ()
        return tuple(choice for part in named for choice in part) + others
    return ()


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
}


def _expected(detail: ErrorDetails, choices: Sequence[str]) -> str:
    if choices:
        return " or ".join(choices)
    return _EXPECTED.get(detail["type"], detail["msg"]).format(**detail.get("ctx", {}))
