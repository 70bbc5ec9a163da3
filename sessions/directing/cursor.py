"""Looks at single words of a direction, and for words of the line among them."""

from __future__ import annotations

from collections.abc import Sequence

from sessions.directing.lexicon import lexicon
from sessions.directing.place_words import ARTICLES, LEADS, NEVER_ALONE
from sessions.directing.places import Place, Quoted
from sessions.directing.spots import Line
from sessions.directing.tokens import Token

Found = tuple[Place, int] | None
_LONGEST = 24  # words of the line named without quotation marks


class Cursor:
    """The tokens of one direction, said of one line; an index past either end has no word."""

    def __init__(self, tokens: Sequence[Token], line: Line) -> None:
        self._tokens = tokens
        self._count = len(tokens)
        self._line = line

    def _bare(self, index: int, greedy: bool) -> Found:
        """Words of the line, without marks around them; the longest run of them that is there."""
        words = self._run(index)
        if not words or (not greedy and lexicon().begins(words[0])):
            return None
        count = self._line.longest(words)
        if count == 0 and not lexicon().begins(words[0]) and self._line.matches(words[:1]):
            count = 1
        if count == 0 or (count == 1 and words[0] in NEVER_ALONE):
            return None
        return Quoted(" ".join(words[:count])), index + count

    def _run(self, index: int) -> list[str]:
        words = []
        for token in self._tokens[index : index + _LONGEST]:
            if token.kind not in ("word", "number"):
                break
            words.append(token.text)
        return words

    def _skipped(self, index: int) -> int:
        """Behind an article."""
        return index + (self._word(index) in ARTICLES)

    def _word(self, index: int) -> str:
        return self._tokens[index].text if 0 <= index < len(self._tokens) else ""

    def _kind(self, index: int) -> str:
        return self._tokens[index].kind if 0 <= index < len(self._tokens) else ""

    def led(self, index: int) -> bool:
        """Whether a preposition stands before the place."""
        return index > 0 and self._tokens[index - 1].text in LEADS
