"""Cuts text into sentences while it is still being written.

Our own, since segmenters such as pysbd want the whole text and drop or move white space.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from engine.text.boundaries import Ahead, Verdict, judge


@dataclass(frozen=True, slots=True)
class Segment:
    """A sentence, or a clause of a long one. start: offset of its text in the whole take's text."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class SplitRules:
    """All in characters.

    max_chars: no segment is longer. long_chars: a sentence longer than this is cut at its best
    clause. clause_chars: such a clause is at least so long. lookahead: how far past a mark we look
    before deciding.
    """

    max_chars: int = 300
    long_chars: int = 120
    clause_chars: int = 60
    lookahead: int = 40

    def __post_init__(self) -> None:
        if not 0 < self.clause_chars <= self.long_chars <= self.max_chars or self.lookahead < 1:
            raise ValueError("want 0 < clause_chars <= long_chars <= max_chars and lookahead >= 1")


_CLAUSE_RANK = {Verdict.COMMA: 1, Verdict.CONJUNCTION: 2, Verdict.STRONG: 3}
_PIECE = 512  # a push is taken in pieces of this size, which bounds the buffer


class Splitter:
    """Push text in any pieces, take segments out as soon as their end is certain.

    The texts of all segments, joined, are the text pushed; and the segments depend on that text
    alone, not on the pieces. Work is linear in the text; what is held is bounded by the rules.
    """

    def __init__(self, rules: SplitRules | None = None) -> None:
        self._rules = rules or SplitRules()
        self._buffer = ""
        self._start = 0
        self._at = 0  # characters of the buffer that have been judged
        self._clause = (0, 0)  # rank and end of the best clause so far

    def push(self, text: str) -> list[Segment]:
        """Takes more text; returns the segments that became certain with it."""
        segments: list[Segment] = []
        for offset in range(0, len(text), _PIECE):
            self._buffer += text[offset : offset + _PIECE]
            segments += self._ready(ended=False)
        return segments

    def end(self) -> list[Segment]:
        """Says that no text follows; returns what was left. The splitter is then as new."""
        segments = list(self._ready(ended=True))
        if self._buffer:
            segments.append(self._take(len(self._buffer)))
        self._start = 0
        return segments

    def _ready(self, ended: bool) -> Iterator[Segment]:
        while (cut := self._cut(ended)) is not None:
            yield self._take(cut)

    def _take(self, cut: int) -> Segment:
        segment = Segment(self._buffer[:cut], self._start)
        self._buffer = self._buffer[cut:]
        self._start += cut
        self._at, self._clause = 0, (0, 0)
        return segment

    def _cut(self, ended: bool) -> int | None:
        """Where the first segment of the buffer ends, None while that isn't certain."""
        while self._at < len(self._buffer):
            if self._at == self._rules.max_chars:
                return self._forced()
            verdict = judge(self._buffer, self._at, self._ahead(ended))
            if verdict is Verdict.WAIT:
                return None
            self._at += 1
            if verdict is Verdict.SENTENCE:
                return self._at
            self._note(verdict)
            if self._at >= self._rules.long_chars and self._clause[0]:
                return self._clause[1]
        return None

    def _ahead(self, ended: bool) -> Ahead:
        begin = self._at + 1
        text = self._buffer[begin : begin + self._rules.lookahead]
        return Ahead(text, ended or len(text) == self._rules.lookahead)

    def _note(self, verdict: Verdict) -> None:
        rank = _CLAUSE_RANK.get(verdict, 0)
        if rank and self._at >= self._rules.clause_chars and rank >= self._clause[0]:
            self._clause = (rank, self._at)

    def _forced(self) -> int:
        """No mark within the bound: at white space if there is some, else between characters."""
        longest = self._rules.max_chars
        for cut in range(longest, self._rules.clause_chars - 1, -1):
            if self._buffer[cut - 1].isspace():
                return cut
        cut = longest
        while cut > max(1, longest // 2) and _clings(self._buffer[cut]):
            cut -= 1
        return cut


def _clings(char: str) -> bool:
    """Combining marks and joiners belong to the character before them."""
    return unicodedata.combining(char) > 0 or unicodedata.category(char) in {"Mn", "Me", "Cf"}
