"""Puts words into a text, or takes them out, so that blanks and marks come out right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

Span: TypeAlias = tuple[int, int]

_CLOSING = ".,;:!?…"
_PAIRS = {"(": ")", "[": "]", "{": "}", '"': '"', "“": "”", "‘": "’", "«": "»", "*": "*"}
_MARKS = re.compile(rf"[{re.escape(_CLOSING)}]+")
_LEADING = re.compile(r"[\s,;:.!?…—–-]*")
_TRAILING_PAUSE = re.compile(r"\s*[,;:—–-]\s*$")
#: Scripts written without blanks between words.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef]")


@dataclass(frozen=True, slots=True)
class Patch:
    """Characters [from, to) of the old text shall read `text`."""

    span: Span
    text: str


def patches(old: str, words: Sequence[Span], wanted: Sequence[tuple[Span, str]]) -> list[Patch]:
    """What to do to the characters of `old` so that words [from, to) of it read as wanted.

    wanted: in range and not one over another. The patches go up and don't overlap.
    """
    joined = _joined(wanted)
    kept = len(words) - sum(end - start for (start, end), _ in joined)
    if kept == 0 and not any(text for _, text in joined) and words:
        return [Patch((0, len(old)), "")]
    return [_Place(old, words, *span).patch(text) for span, text in joined]


def _joined(wanted: Sequence[tuple[Span, str]]) -> list[tuple[Span, str]]:
    """In order, and made one where no word is kept between."""
    joined: list[tuple[Span, str]] = []
    for span, text in sorted((span, text.strip()) for span, text in wanted):
        if joined and joined[-1][0][1] == span[0]:
            (start, _), before = joined.pop()
            glue = " " if before and text and text[0] not in _CLOSING else ""
            span, text = (start, span[1]), before + glue + text
        joined.append((span, text))
    return joined


class _Place:
    """Words [from, to) of a text and what stands around them."""

    def __init__(self, old: str, words: Sequence[Span], start: int, end: int) -> None:
        self._old = old
        self._first = start == 0
        self._last = end == len(words)
        if start < end:
            self._span = words[start][0], words[end - 1][1]
        elif words:
            at = words[start][0] if start < len(words) else words[-1][1]
            self._span = at, at
        else:
            self._span = len(old), len(old)
        self._before = words[start - 1][1] if start else 0
        self._inserts = start == end

    def patch(self, text: str) -> Patch:
        if not text:
            return self._delete()
        if self._inserts:
            return self._insert(text)
        return Patch((self._span[0], self._end_after(self._span[1], text)), text)

    def _end_after(self, end: int, text: str) -> int:
        """`end`, past the marks that those at the end of `text` stand for."""
        found = _MARKS.match(self._old, end)
        return found.end() if found and text[-1] in _CLOSING else end

    def _insert(self, text: str) -> Patch:
        if text[0] in _CLOSING and not self._first:
            at = self._before
            glue = "" if self._last or self._old[at : at + 1].isspace() else " "
            return Patch((at, self._end_after(at, text)), text + glue)
        at = self._span[0]
        if self._last:
            before = self._old[at - 1 : at]
            return Patch((at, self._end_after(at, text)), _space(before, text[0]) + text)
        return Patch((at, at), text + _space(text[-1], self._old[at]))

    def _delete(self) -> Patch:
        start, end = self._span
        while start and _PAIRS.get(self._old[start - 1], "\0") == self._old[end : end + 1]:
            start, end = start - 1, end + 1
        if self._first:
            return Patch((start, self._end(end)), "")
        left = self._old[self._before : start]
        rest = self._old[end : end + 1]
        if self._last or rest in tuple(_CLOSING):
            pause = _TRAILING_PAUSE.search(left) if self._last or rest else None
            blank = len(left) - len(left.rstrip())
            return Patch((start - (len(pause[0]) if pause else blank), end), "")
        return Patch((start - (len(left) - len(left.rstrip())), end), "")

    def _end(self, end: int) -> int:
        """Past the blanks and marks that would now stand before the first word."""
        if self._last:
            return end
        found = _LEADING.match(self._old, end)
        return found.end() if found else end


def _space(left: str, right: str) -> str:
    """What stands between two characters of neighbouring words."""
    unspaced = _UNSPACED.match(left) and _UNSPACED.match(right)
    return "" if not left or left.isspace() or unspaced else " "
