"""From a direction's words to items: the longest reading at each word wins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sessions.directing.items import (
    Break,
    Filler,
    Item,
    Joint,
    Pausing,
    Placed,
    Return,
    Said,
    Scope,
    Unknown,
)
from sessions.directing.lexicon import lexicon, size_lexicon
from sessions.directing.numbers import amount, cardinal, ordinal
from sessions.directing.places import After, Before, Between
from sessions.directing.placing import PlaceReader
from sessions.directing.spots import Line
from sessions.directing.tokens import Token, tokenised
from sessions.directing.vocabulary import vocabulary

_HARD = frozenset(",;:.!?\n—–()")
_BREAKS = frozenset((*_HARD, "but", "then", "though", "however", "yet", "while"))
_LONGEST = 16  # words that a phrase of the vocabulary can take, gaps and all
_LEADS = frozenset(("on", "at", "say", "said", "saying", "word", "words"))

_BEFORE_LAST = (("take", "before", "last"), ("one", "before", "last"))

Reading = tuple[Item, int]


def read(direction: str, line: Line) -> tuple[Placed, ...]:
    """Every item of the direction in order, with where it was read from."""
    return tuple(_Reader(tokenised(direction), line))


class _Reader:
    """Goes through the tokens once; remembers the last item that said something."""

    def __init__(self, tokens: Sequence[Token], line: Line) -> None:
        self._tokens = tokens
        self._texts = [token.text for token in tokens]
        self._places = PlaceReader(tokens, line)
        self._last: Item = Filler()
        self._pausing = self._clauses_that_pause()

    def __iter__(self) -> Iterator[Placed]:
        at = 0
        while at < len(self._tokens):
            item, after = self._longest(at)
            yield Placed(item, (self._tokens[at].span[0], self._tokens[after - 1].span[1]))
            if not isinstance(item, Filler):
                self._last = item
            at = after

    def _longest(self, at: int) -> Reading:
        """At equal length a place beats an amount, and both beat the vocabulary."""
        token = self._tokens[at]
        if token.kind == "mark" and token.text != "%":
            return (Break(Joint.AND) if token.text in "&/" else Break(Joint.HARD)), at + 1
        readings = [r for r in self._readings(at) if r is not None]
        if readings:
            return max(readings, key=lambda reading: reading[1])
        return self._misspelt(at), at + 1

    def _readings(self, at: int) -> Iterator[Reading | None]:
        yield self._return(at)
        yield self._place(at)
        yield amount(self._tokens, at)
        if self._pausing[at]:
            yield self._known(size_lexicon().longest(self._texts[at : at + _LONGEST]), at)
        yield self._known(lexicon().longest(self._texts[at : at + _LONGEST]), at)

    def _known(self, found: tuple[Item, int] | None, at: int) -> Reading | None:
        return None if found is None else (found[0], at + found[1])

    def _place(self, at: int) -> Reading | None:
        found = self._places.at(at, self._expects_words(at))
        if found is None:
            return None
        return Scope(found[0], self._places.led(at)), found[1]

    def _expects_words(self, at: int) -> bool:
        """Behind "emphasise", "on" or "say" a word of the line is likely to come."""
        takes = isinstance(self._last, Said) and vocabulary().concepts[self._last.concept]
        return bool(takes and takes.takes_words) or (at > 0 and self._texts[at - 1] in _LEADS)

    def _return(self, at: int) -> Reading | None:
        """Take 2, the second take, two takes ago."""
        at += self._texts[at] in ("the", "in", "like", "as") and at + 1 < len(self._tokens)
        if self._texts[at] in ("the", "in") and at + 1 < len(self._tokens):
            at += 1
        if self._texts[at] in ("take", "version") and at + 1 < len(self._tokens):
            number = cardinal(self._tokens[at + 1])
            if number is not None and 1 <= number == int(number):
                return Return(number=int(number)), at + 2
        if tuple(self._texts[at : at + 3]) in _BEFORE_LAST:
            return Return(back=2), at + 3
        return self._ordinal_take(at) or self._takes_ago(at)

    def _ordinal_take(self, at: int) -> Reading | None:
        found = ordinal(self._tokens, at)
        if found is None or found[1] >= len(self._tokens):
            return None
        if self._texts[found[1]] not in ("take", "version", "try", "attempt"):
            return None
        nth = found[0]
        return (Return(number=nth) if nth > 0 else Return(back=-nth)), found[1] + 1

    def _takes_ago(self, at: int) -> Reading | None:
        number = cardinal(self._tokens[at])
        rest = tuple(self._texts[at + 1 : at + 3])
        if number is None or len(rest) < 2 or rest[0] not in ("take", "takes", "versions"):
            return None
        return (Return(back=int(number)), at + 3) if rest[1] in ("ago", "back", "before") else None

    def _clauses_that_pause(self) -> list[bool]:
        """For each word, whether the clause around it tells of a pause."""
        told: list[bool] = []
        start = 0
        for end in range(len(self._texts) + 1):
            if end == len(self._texts) or self._breaks(end):
                pauses = any(self._pauses(index) for index in range(start, end))
                told += [pauses] * (end + 1 - start)
                start = end + 1
        return told

    def _breaks(self, index: int) -> bool:
        """Whether a clause ends here; in "before but" it is a word of the line."""
        related = index > 0 and self._texts[index - 1] in ("before", "after", "at", "on")
        return self._texts[index] in _BREAKS and not related

    def _pauses(self, index: int) -> bool:
        found = lexicon().longest(self._texts[index : index + _LONGEST])
        if found is not None and isinstance(found[0], Pausing):
            return True
        held = size_lexicon().longest(self._texts[index : index + _LONGEST])
        if held is None or not isinstance(held[0], Pausing) or index + 1 >= len(self._texts):
            return False
        ahead = range(index + 1, min(index + 6, len(self._texts)))
        return any(self._related(after) for after in ahead)

    def _related(self, index: int) -> bool:
        if self._texts[index] not in ("before", "after", "between"):
            return False
        found = self._places.at(index, greedy=True)
        return found is not None and isinstance(found[0], Before | After | Between)

    def _misspelt(self, at: int) -> Item:
        token = self._tokens[at]
        meant = lexicon().nearly(token.text) if token.kind == "word" else None
        return meant or Unknown()
