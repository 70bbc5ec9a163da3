"""Marks of emphasis: *italic*, **bold**, ***both***, _underlined_; a backslash makes a mark plain.

A mark opens before something that is no blank and closes after such; marks nest, don't reach over
a line's end, and without a partner stay in the text. An underline stands at the edge of a word.
"""

from __future__ import annotations

import bisect
import itertools
import re
from dataclasses import dataclass

from sessions.script.marked import Marked
from sessions.script.model import Emphasis, Style

_MARK = re.compile(r"\\(?=[*_])(?P<escaped>.)|(?P<run>\*+|_+)")
_STARS: dict[int, Style] = {1: "italic", 2: "bold", 3: "bold italic"}
_LONGEST = 3


@dataclass(slots=True)
class _Opener:
    """A run of marks that may open: characters [at, end) not yet spoken for."""

    mark: str
    at: int
    end: int


class _Openers:
    """Runs that may open, the nearest last, and how many there are of each mark."""

    def __init__(self) -> None:
        self._stack: list[_Opener] = []
        self._count = {"*": 0, "_": 0}

    def push(self, opener: _Opener) -> None:
        self._stack.append(opener)
        self._count[opener.mark] += 1

    def close(self, mark: str, start: int, end: int, pairs: list[_Pair]) -> int:
        """Pairs the run [start, end) with the nearest of its mark; says from where it is left."""
        while start < end and self._count[mark]:
            while self._stack[-1].mark != mark:
                self._pop()
            opener = self._stack[-1]
            count = min(end - start, opener.end - opener.at)
            style: Style = "underline" if mark == "_" else _STARS[count]
            pairs.append(_Pair((opener.end - count, opener.end), (start, start + count), style))
            opener.end -= count
            start += count
            if opener.at == opener.end:
                self._pop()
        return start

    def _pop(self) -> None:
        self._count[self._stack.pop().mark] -= 1


@dataclass(frozen=True, slots=True)
class _Pair:
    opened: tuple[int, int]
    closed: tuple[int, int]
    style: Style


def plain(words: Marked) -> tuple[Marked, tuple[Emphasis, ...]]:
    """One line's words without marks, and which of the characters left were marked."""
    pairs, removed = _pairs(words.text)
    for pair in pairs:
        removed += [pair.opened, pair.closed]
    removed.sort()
    gone = [0, *itertools.accumulate(end - start for start, end in removed)]
    left = words.without(removed)
    found = [
        Emphasis((_moved(start, removed, gone), _moved(end, removed, gone)), style)
        for start, end, style in ((p.opened[1], p.closed[0], p.style) for p in pairs)
    ]
    return left, tuple(sorted(found, key=lambda e: e.span))


def _pairs(text: str) -> tuple[list[_Pair], list[tuple[int, int]]]:
    """The pairs of marks, and where backslashes stand."""
    pairs: list[_Pair] = []
    escapes: list[tuple[int, int]] = []
    openers = _Openers()
    for found in _MARK.finditer(text):
        if found["escaped"]:
            escapes.append((found.start(), found.start() + 1))
            continue
        mark, start, end = found["run"][0], found.start(), found.end()
        if end - start > (1 if mark == "_" else _LONGEST):
            continue
        if _closes(text, mark, start, end):
            start = openers.close(mark, start, end, pairs)
        if start < end and _opens(text, mark, found.start(), end):
            openers.push(_Opener(mark, start, end))
    return pairs, escapes


def _opens(text: str, mark: str, start: int, end: int) -> bool:
    edge = mark != "_" or start == 0 or not text[start - 1].isalnum()
    return edge and end < len(text) and not text[end].isspace()


def _closes(text: str, mark: str, start: int, end: int) -> bool:
    edge = mark != "_" or end == len(text) or not text[end].isalnum()
    return edge and start > 0 and not text[start - 1].isspace()


def _moved(index: int, removed: list[tuple[int, int]], gone: list[int]) -> int:
    """Where the character at `index` stands without those removed."""
    return index - gone[bisect.bisect_right(removed, index, key=lambda span: span[1])]
