"""Reads the fields of a JSON object strictly; every error names the field and what was expected.

By hand and not with pydantic: unknown fields have to be let through yet listed, choices and limits
spelt in our own words, and the values are frozen types of other packages that stay free of it.
"""

from __future__ import annotations

from typing import TypeVar

from voice_server.wire.errors import WireError, shown
from voice_server.wire.strict_json import Json

Choice = TypeVar("Choice", bound=str | int)


class Fields:
    """One object, or one nested in it at `path`. Remembers what was read, to tell the unknown."""

    def __init__(
        self, values: dict[str, Json], path: str = "", reply_to: str | None = None
    ) -> None:
        self._values = values
        self._path = path
        self._read: set[str] = set()
        self._nested: list[Fields] = []
        self.reply_to = reply_to

    def has(self, name: str) -> bool:
        """Whether an optional field is there; null counts as absent."""
        self._read.add(name)
        return self._values.get(name) is not None

    def text(self, name: str, most: int, least: int = 0) -> str:
        """A string of `least` to `most` characters, all of which UTF-8 can carry."""
        value = self._value(name, "a string")
        if not isinstance(value, str):
            raise self._wrong(name, "a string", value)
        if len(value) > most:
            raise self.error("too_long", name, f"at most {most} characters, got {len(value)}")
        if len(value) < least:
            raise self.error("bad_field", name, "a string that is not empty")
        if not carried(value):
            raise self.error("bad_field", name, "text without lone surrogates")
        return value

    def number(self, name: str, low: float, high: float) -> float:
        """A finite number from `low` to `high`."""
        expected = f"a number from {low:g} to {high:g}"
        value = self._value(name, expected)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong(name, expected, value)
        if not low <= value <= high:
            raise self._wrong(name, expected, value)
        return float(value)

    def integer(self, name: str, low: int, high: int) -> int:
        """A whole number from `low` to `high`; 20.0 is one, as some languages write it so."""
        expected = f"a whole number from {low} to {high}"
        value = self._value(name, expected)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self._wrong(name, expected, value)
        return value

    def flag(self, name: str) -> bool:
        value = self._value(name, "true or false")
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false", value)
        return value

    def choice(self, name: str, choices: tuple[Choice, ...]) -> Choice:
        expected = "one of " + ", ".join(str(choice) for choice in choices)
        value = self._value(name, expected)
        for choice in choices:
            if not isinstance(value, bool) and value == choice:
                return choice
        raise self._wrong(name, expected, value)

    def child(self, name: str) -> Fields:
        value = self._value(name, "an object")
        if not isinstance(value, dict):
            raise self._wrong(name, "an object", value)
        return self._nest(value, self.path(name))

    def children(self, name: str, most: int) -> list[Fields]:
        """A list of at most `most` objects."""
        value = self._value(name, "a list")
        if not isinstance(value, list):
            raise self._wrong(name, "a list", value)
        if len(value) > most:
            raise self.error("too_long", name, f"at most {most} entries, got {len(value)}")
        return [self._entry(item, f"{self.path(name)}[{i}]") for i, item in enumerate(value)]

    def pair(self, name: str, most: int) -> tuple[int, int]:
        """A list of two whole numbers from 0 to `most`, such as a range."""
        expected = f"two whole numbers from 0 to {most}"
        value = self._value(name, expected)
        if not isinstance(value, list) or len(value) != 2:
            raise self._wrong(name, expected, value)
        first, second = (Fields({name: one}, self._path, self.reply_to) for one in value)
        return first.integer(name, 0, most), second.integer(name, 0, most)

    def keys(self) -> tuple[str, ...]:
        """All names, for an object whose names are data."""
        return tuple(self._values)

    def unknown(self) -> tuple[str, ...]:
        """Dotted paths of the fields that nobody read, here and in what is nested."""
        own = [self.path(name) for name in self._values if name not in self._read]
        return tuple(own) + tuple(path for nested in self._nested for path in nested.unknown())

    def path(self, name: str) -> str:
        name = name if carried(name) else shown(name)
        return f"{self._path}.{name}" if self._path else name

    def error(self, code: str, name: str, expected: str) -> WireError:
        path = self.path(name)
        return WireError(code, f"{path}: expected {expected}", path, self.reply_to)

    def _wrong(self, name: str, expected: str, value: Json) -> WireError:
        return self.error("bad_field", name, f"{expected}, got {shown(value)}")

    def _value(self, name: str, expected: str) -> Json:
        self._read.add(name)
        if name not in self._values:
            raise self.error("missing_field", name, f"{expected}, but it is missing")
        return self._values[name]

    def _entry(self, value: Json, path: str) -> Fields:
        if isinstance(value, dict):
            return self._nest(value, path)
        message = f"{path}: expected an object, got {shown(value)}"
        raise WireError("bad_field", message, path, self.reply_to)

    def _nest(self, values: dict[str, Json], path: str) -> Fields:
        nested = Fields(values, path, self.reply_to)
        self._nested.append(nested)
        return nested


def carried(text: str) -> bool:
    """Whether UTF-8 can carry the text: JSON escapes can smuggle in lone surrogates."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
