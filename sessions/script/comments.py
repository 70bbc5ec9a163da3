"""Takes notes [[ ]] and the boneyard /* */ out of a Fountain script's lines.

A boneyard takes all between its marks out, line ends too. A note may go on over lines but, as all
of Fountain, not over an empty one. Whichever opens first holds; marks within it are plain text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from sessions.script.lines import SourceLine
from sessions.script.marked import EMPTY, Marked
from sessions.script.model import Boneyard, Note, Position, ScriptError

_OPENS = re.compile(r"/\*|\[\[")
_CLOSES = {"/*": "*/", "[[": "]]"}
_WHAT = {"/*": "a boneyard", "[[": "a note"}


@dataclass(frozen=True, slots=True)
class _Opened:
    """A comment under way: how and where it opened, and the lines of it so far."""

    mark: str
    offset: int
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What is left of a line, None if that is nothing or comes with a later line; comments."""

    words: Marked | None
    comments: tuple[Note | Boneyard, ...] = ()


class Comments:
    """Fed line by line."""

    def __init__(self, position: Callable[[int], Position]) -> None:
        self._position = position
        self._opened: _Opened | None = None
        self._before = EMPTY

    def line(self, line: SourceLine) -> Cleaned:
        """Raises ScriptError for a note that reaches an empty line."""
        if self._opened and self._opened.mark == "[[" and is_empty(line.text):
            raise self._error(self._opened)
        left, rest = self._before, line.marked
        comments: list[Note | Boneyard] = []
        while self._opened or (found := _OPENS.search(rest.text)):
            if self._opened is None and found:
                self._opened = _Opened(found.group(), rest.at[found.start()])
                left, rest = left + rest[: found.start()], rest[found.end() :]
            comment, rest = self._close(rest)
            if comment is None:
                self._before = left
                return Cleaned(None, tuple(comments))
            comments.append(comment)
        self._before = EMPTY
        words = left + rest
        gone = bool(comments) and not words.text.strip()
        return Cleaned(None if gone else words, tuple(comments))

    def end(self) -> None:
        """Raises ScriptError if a note or boneyard is never closed."""
        if self._opened:
            raise self._error(self._opened)

    def _close(self, rest: Marked) -> tuple[Note | Boneyard | None, Marked]:
        """The comment, if it closes in `rest`, and what follows it."""
        opened = self._opened
        assert opened is not None
        mark = _CLOSES[opened.mark]
        index = rest.text.find(mark)
        if index < 0:
            self._opened = replace(opened, lines=(*opened.lines, rest.text.rstrip()))
            return None, EMPTY
        self._opened = None
        text = "\n".join((*opened.lines, rest.text[:index])).strip()
        kind = Note if opened.mark == "[[" else Boneyard
        return kind(text, self._position(opened.offset)), rest[index + len(mark) :]

    def _error(self, opened: _Opened) -> ScriptError:
        at = self._position(opened.offset)
        what = _WHAT[opened.mark]
        return ScriptError(at.line, at.column, f"{what} is opened here and never closed")


def is_empty(text: str) -> bool:
    """Whether a line ends a paragraph: two blanks or more keep it going."""
    return len(text) < 2 and not text.strip()
