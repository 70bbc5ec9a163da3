"""Lines out of text that comes in pieces."""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass

from sessions.script.marked import Marked
from sessions.script.model import Position, ScriptError

_END = re.compile(r"\r\n|\n|\r")
_BYTE_ORDER_MARK = "\ufeff"
#: No script has these; one that does is not text.
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line without its end; `number` counts from 1, `offset` is that of its first character."""

    number: int
    offset: int
    text: str

    @property
    def marked(self) -> Marked:
        return Marked.of(self.text, self.offset)

    def at(self, index: int) -> Position:
        return Position(self.number, index + 1)

    def error(self, index: int, message: str) -> ScriptError:
        return ScriptError(self.number, index + 1, message)


class Lines:
    """Splits text that is pushed in any pieces, and remembers where lines began."""

    def __init__(self) -> None:
        self._rest: list[str] = []
        self._offset = 0
        self._starts: list[int] = []

    def push(self, text: str) -> list[SourceLine]:
        """The lines that are whole now. A line's end counts once it can't grow any more."""
        after_return = bool(self._rest) and self._rest[-1].endswith("\r")
        if text:
            self._rest.append(text)
        if not (after_return or _END.search(text)):
            return []
        return self._split("".join(self._rest))

    def end(self) -> list[SourceLine]:
        """The last line, if anything is left of it."""
        rest, self._rest = "".join(self._rest), []
        return [self._line(rest.removesuffix("\r"), len(rest))] if rest else []

    def position(self, offset: int) -> Position:
        """Where the character at `offset` stands."""
        number = max(1, bisect.bisect_right(self._starts, offset))
        return Position(number, offset - self._starts[number - 1] + 1)

    def _split(self, rest: str) -> list[SourceLine]:
        found, begin = [], 0
        for end in _END.finditer(rest):
            if end.group() == "\r" and end.end() == len(rest):
                break  # it may be the first half of \r\n
            found.append(self._line(rest[begin : end.start()], end.end() - begin))
            begin = end.end()
        self._rest = [rest[begin:]] if begin < len(rest) else []
        return found

    def _line(self, text: str, length: int) -> SourceLine:
        mark = 1 if not self._starts and text.startswith(_BYTE_ORDER_MARK) else 0
        start = self._offset + mark
        self._starts.append(start)
        self._offset += length
        return SourceLine(len(self._starts), start, text[mark:])


def check(line: SourceLine) -> None:
    """Raises ScriptError at a character that no script has."""
    if found := _CONTROL.search(line.text):
        mark = f"U+{ord(found.group()):04X}"
        raise line.error(found.start(), f"a script has no character {mark}")
