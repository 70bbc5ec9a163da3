"""Reads scripts, whole or as they come in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, Protocol, TypeAlias, get_args

from sessions.script.detect import Detector
from sessions.script.fountain import Fountain
from sessions.script.hints import cast_hints
from sessions.script.lines import Lines, SourceLine, check
from sessions.script.model import Format, Item, Position, Script, ScriptError
from sessions.script.plain import Plain
from sessions.script.tags import Tags

Wanted: TypeAlias = Literal["auto", "plain", "fountain", "tags"]


class _Parser(Protocol):
    def line(self, line: SourceLine) -> Iterator[Item]: ...

    def end(self) -> Iterator[Item]: ...


_PARSERS: dict[Format, Callable[[Callable[[int], Position]], _Parser]] = {
    "plain": Plain,
    "fountain": Fountain,
    "tags": Tags,
}
assert set(_PARSERS) == set(get_args(Format))


class ScriptReader:
    """Takes a script in any pieces; `push` gives what has become certain, `end` the rest.

    The items and the error are the same whatever the pieces. An item is certain once the line is
    there that ends it: the next speaker's, an empty one. With "auto", items wait until the format
    is known, see `detect`. Where the script can't be read, what came before is given first, and
    the next call raises ScriptError, as every later one does.
    """

    def __init__(self, format: Wanted = "auto") -> None:
        self._lines = Lines()
        self._detector = Detector()
        self._waiting: list[SourceLine] = []
        self._error: ScriptError | None = None
        self._found: Format | None = None
        self._parser: _Parser | None = None
        if format != "auto":
            self._begin(format)

    @property
    def format(self) -> Format | None:
        """What the script is read as; None while that is not known."""
        return self._found

    def push(self, text: str) -> tuple[Item, ...]:
        """More of the script. Raises ScriptError."""
        return self._read(self._lines.push(text), last=False)

    def end(self) -> tuple[Item, ...]:
        """The script is over. Raises ScriptError; call it again until it gives nothing, as an
        error may come after the last items."""
        return self._read(self._lines.end(), last=True)

    def _read(self, lines: list[SourceLine], last: bool) -> tuple[Item, ...]:
        if self._error is not None:
            raise self._error
        items: list[Item] = []
        try:
            for item in self._items(lines, last):
                items.append(item)
        except ScriptError as error:
            self._error = error
            if not items:
                raise
        return tuple(items)

    def _items(self, lines: list[SourceLine], last: bool) -> Iterator[Item]:
        for line in lines:
            yield from self._line(line)
        if last and self._parser is None:
            yield from self._begin(self._detector.end())
        if last and self._parser is not None:
            yield from self._parser.end()

    def _line(self, line: SourceLine) -> Iterator[Item]:
        if self._parser is not None:
            check(line)
            yield from self._parser.line(line)
            return
        self._waiting.append(line)
        if found := self._detector.line(line):
            yield from self._begin(found)

    def _begin(self, format: Format) -> Iterator[Item]:
        self._found = format
        self._parser = _PARSERS[format](self._lines.position)
        waiting, self._waiting = self._waiting, []
        return (item for line in waiting for item in self._line(line))


def parse(text: str, format: Wanted = "auto") -> Script:
    """The whole script; one without words to say gives no Dialogue, which is no error here.

    Raises ScriptError, with line and column; then nothing is made.
    """
    reader = ScriptReader(format)
    items = [*reader.push(text), *reader.end()]
    reader.end()
    assert reader.format is not None
    return Script(tuple(items), reader.format, cast_hints(items))
