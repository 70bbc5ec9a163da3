"""Where in its text a take was stopped."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

from engine.types import Word


@dataclass(frozen=True, slots=True)
class Heard:
    """heard + rest is the take's text."""

    heard: str
    rest: str


class WordMarks:
    """When each word of a take begins, and where in the text it stands: 24 bytes a word."""

    def __init__(self) -> None:
        self._starts = array("q")
        self._spans_from = array("q")
        self._spans_to = array("q")

    def add(self, words: Iterable[Word]) -> None:
        for word in words:
            self._starts.append(word.start)
            self._spans_from.append(word.span[0])
            self._spans_to.append(word.span[1])

    def split(self, text: str, played: int) -> Heard:
        """The text up to the last word begun before sample `played`, and what is left.

        Marks that close that word, such as a full stop or a quote, were heard with it.
        """
        begun = bisect_left(self._starts, played)
        if not begun:
            return Heard("", text)
        cut = min(self._spans_to[begun - 1], len(text))
        following = self._spans_from[begun] if begun < len(self._starts) else len(text)
        while cut < min(following, len(text)) and _closes(text[cut]):
            cut += 1
        return Heard(text[:cut], text[cut:])


def _closes(mark: str) -> bool:
    return not mark.isspace() and not mark.isalnum()
