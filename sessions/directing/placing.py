"""Reads a place in the line: by word, quotation, ordinal, sentence, edge, mark or relation."""

from __future__ import annotations

from collections.abc import Sequence

from sessions.directing.cursor import Cursor, Found
from sessions.directing.lexicon import lexicon
from sessions.directing.numbers import cardinal, ordinal
from sessions.directing.place_words import (
    ARTICLES,
    ASKED,
    EDGES,
    EVERY,
    LEADS,
    MARKS,
    NAMING,
    SHARES,
    STOP_NAMES,
    STOPS,
    UNITS,
    WHOLE,
)
from sessions.directing.places import (
    After,
    Asked,
    Before,
    Between,
    Both,
    Counted,
    Mark,
    Place,
    Quoted,
    Rest,
    Share,
    Side,
    Unit,
    Whole,
    Within,
)
from sessions.directing.spots import Line
from sessions.directing.tokens import Token


class PlaceReader(Cursor):
    """Reads places among the tokens of one direction, said of one line."""

    def __init__(self, tokens: Sequence[Token], line: Line) -> None:
        super().__init__(tokens, line)
        self._unit: Unit | None = None  # last counted: "the first sentence slower, the second …"

    def at(self, index: int, greedy: bool) -> Found:
        """The place that begins here and the index behind it. greedy: a word of the line is
        expected, so one that also means something else ("emphasise never") is taken for it.
        """
        found = self._one(index, greedy)
        if found is None:
            return None
        found = self._listed(*found, greedy)
        if self._word(found[1]) in ("of", "in") and not isinstance(found[0], Before | After):
            outer = self._one(found[1] + 1, greedy=False)
            if outer is not None:
                whole = isinstance(outer[0], Whole)
                return (found[0] if whole else Within(found[0], outer[0])), outer[1]
        return found

    def _one(self, index: int, greedy: bool) -> Found:
        if index >= len(self._tokens):
            return None
        return self._range(index) or self._plain(self._skipped(index)) or self._bare(index, greedy)

    def _plain(self, index: int) -> Found:
        if index >= len(self._tokens):
            return None
        if self._tokens[index].kind == "quote":
            return Quoted(self._word(index)), index + 1
        return (
            self._every(index)
            or self._ordinal(index)
            or self._numbered(index)
            or self._edge(index)
            or self._whole(index)
            or self._named(index)
        )

    def _listed(self, place: Place, index: int, greedy: bool) -> tuple[Place, int]:
        """More words after the first: 'yes' and 'no'; only if nothing is said of the next alone."""
        places, at = [place], index
        while isinstance(places[-1], Quoted) and self._word(at) in ("and", "or", ",", "&"):
            after = at + 1 + (self._word(at) == "," and self._word(at + 1) == "and")
            more = self._one(after, greedy) if after < len(self._tokens) else None
            if more is None or not isinstance(more[0], Quoted) or not self._ends(more[1]):
                break
            places.append(more[0])
            at = more[1]
        return (Both(tuple(places)) if len(places) > 1 else place), at

    def _ends(self, index: int) -> bool:
        word = self._word(index)
        return word == "" or word in (",", ";", ".", "and", "but", "then", "!", "please", "&", "or")

    def _every(self, index: int) -> Found:
        """Every 'no', each sentence, all the commas, between sentences."""
        if self._word(index) not in EVERY:
            return None
        at = self._skipped(index + 1)
        at = self._skipped(at + 1) if self._word(at) == "of" else at
        if self._word(at) in NAMING and self._kind(at + 1) == "quote":
            at += 1
        if self._kind(at) == "quote":
            return Quoted(self._word(at)), at + 1
        unit = UNITS.get(self._word(at))
        if unit is not None:
            return Counted(unit, None), at + 1
        return self._marked(at) or self._bare(at, greedy=True)

    def _ordinal(self, index: int) -> Found:
        """The second word, the last two sentences, the first half, the third 'no'."""
        found = ordinal(self._tokens, index)
        if found is None:
            return None
        nth, at = found
        count = cardinal(self._tokens[at]) if at < len(self._tokens) else None
        pair = self._pair(nth, at)
        if pair is not None:
            return pair
        share = SHARES.get(self._word(at))
        if share is not None and count is None:
            return Share(nth, share), at + 1
        at += count is not None
        if count is not None and self._word(at) == "of":
            at += 1
        unit = UNITS.get(self._word(at))
        if self._word(at) in NAMING and self._kind(at + 1) == "quote":
            unit, at = None, at + 1
        if unit is not None:
            self._unit = unit
            return Counted(unit, nth, max(1, int(count or 1))), at + 1
        named = self._nth_of_words(nth, at)
        if named is None and self._unit is not None and self._word(index - 1) == "the":
            return Counted(self._unit, nth, max(1, int(count or 1))), at
        return named

    def _pair(self, nth: int, index: int) -> Found:
        """The first and the third word."""
        if self._word(index) not in ("and", "or", "&") or self._skipped(index + 1) >= self._count:
            return None
        other = ordinal(self._tokens, self._skipped(index + 1))
        unit = UNITS.get(self._word(other[1])) if other else None
        if other is None or unit is None:
            return None
        return Both((Counted(unit, nth), Counted(unit, other[0]))), other[1] + 1

    def _nth_of_words(self, nth: int, index: int) -> Found:
        words = self._plain_words(index)
        if words is None or not isinstance(words[0], Quoted):
            return None
        return Quoted(words[0].words, nth), words[1]

    def _plain_words(self, index: int) -> Found:
        if self._kind(index) == "quote":
            return Quoted(self._word(index)), index + 1
        return self._bare(index, greedy=True)

    def _numbered(self, index: int) -> Found:
        """Word 3, sentence two, words 2 to 4."""
        unit = UNITS.get(self._word(index))
        first = cardinal(self._tokens[index + 1]) if index + 1 < len(self._tokens) else None
        if unit is None or first is None or first < 1 or self._word(index) in ("bit", "part"):
            return None
        at = index + 2
        if self._word(at) in ("to", "and", "through", "until") and at + 1 < len(self._tokens):
            last = cardinal(self._tokens[at + 1])
            if last is not None and last >= first:
                return Counted(unit, int(first), int(last) - int(first) + 1), at + 2
        return Counted(unit, int(first)), at

    def _edge(self, index: int) -> Found:
        """The end, the beginning, the middle; very often with "at"."""
        if self._word(index) == "first" and self._word(index - 1) == "at":
            return Side("start", then_rest=True), index + 1
        edge = EDGES.get(self._word(index))
        if edge is None:
            return None
        unit = UNITS.get(self._word(index + 1))
        if edge == "middle" and unit is not None:
            return self._middle(unit, index + 2)
        verb = self._word(index) in ("start", "begin") and not self._is_noun(index)
        return Side(edge, then_rest=verb), index + (2 if unit else 1)

    def _is_noun(self, index: int) -> bool:
        before = self._word(index - 1)
        return before in ARTICLES or before in LEADS or before in ("from", "by")

    def _middle(self, unit: Unit, index: int) -> Found:
        count = len(self._line.units(unit))
        return Counted(unit, (count + 1) // 2 or 1, 1 if count % 2 or count < 2 else 2), index

    def _whole(self, index: int) -> Found:
        """The whole line, everything, the rest, the question, the commas."""
        word, after = self._word(index), self._word(index + 1)
        if word in ("whole", "entire", "full") and after in WHOLE:
            return Whole(), index + 2
        if word in ("rest", "remainder", "others"):
            return Rest(), self._behind_of(index + 1)
        if word in ("everything", "anything", "all"):
            if after == "else":
                return Rest(), index + 2
            return Whole(), self._behind_of(index + 1)
        if word in ASKED and index > 0 and self._word(index - 1) in ("the", "that"):
            return Asked(ASKED[word]), index + 1 + (after == "mark")
        if word == "questions":
            return Asked("?"), index + 1
        return self._marked(index)

    def _marked(self, index: int) -> Found:
        word = self._word(index)
        if word in ("full", "question", "exclamation") and self._word(index + 1) in STOP_NAMES:
            return Mark(STOPS[word]), index + 2
        return (Mark(MARKS[word]), index + 1) if word in MARKS else None

    def _behind_of(self, index: int) -> int:
        """Behind "of it", "of the line", if they stand there."""
        if self._word(index) == "of":
            at = self._skipped(index + 1)
            return at + (self._word(at) in WHOLE or self._word(at) == "it")
        return index

    def _named(self, index: int) -> Found:
        """The word captain, the words never again; taken even if the line hasn't got them."""
        if self._word(index) not in NAMING or index + 1 >= len(self._tokens):
            return None
        if self._word(index + 1) in ("about", "with", "where", "that"):
            return self._bare(self._skipped(index + 2), greedy=True)
        if self._kind(index + 1) == "quote":
            return Quoted(self._word(index + 1)), index + 2
        if self._word(index) in ("bit", "part", "phrase") or self._kind(index + 1) != "word":
            return self._bare(index + 1, greedy=True)
        known = lexicon().begins(self._word(index + 1))
        named = self._bare(index + 1, greedy=True)
        return named or (None if known else (Quoted(self._word(index + 1)), index + 2))

    def _range(self, index: int) -> Found:
        """From X to Y, between X and Y, from X on, after X, before X, until X, up to X."""
        word = self._word(index)
        if word in ("everything", "all") and self._word(index + 1) in ("after", "before", "from"):
            index, word = index + 1, self._word(index + 1)
        if word == "starting" and self._word(index + 1) in ("from", "at", "with", "on"):
            return self._from(index + 2)
        if word in ("from", "between"):
            return self._from(index + 1, word == "from")
        if word == "up" and self._word(index + 1) in ("to", "until", "till"):
            return self._until(index + 2)
        if word in ("until", "till"):
            return self._until(index + 1)
        if word not in ("after", "before"):
            return None
        inner = self._related(index + 1)
        if inner is None:
            return None
        return (After(inner[0]) if word == "after" else Before(inner[0])), inner[1]

    def _related(self, index: int) -> Found:
        """What stands behind "after" or "before": a place that isn't itself a relation."""
        at = self._skipped(index)
        inner = self._plain(at) or self._plural(at) or self._bare(index, greedy=True)
        if inner is None or self._word(inner[1]) not in ("of", "in"):
            return None if inner is None else self._listed(*inner, True)
        outer = self._plain(self._skipped(inner[1] + 1))
        return inner if outer is None else (Within(inner[0], outer[0]), outer[1])

    def _plural(self, index: int) -> Found:
        """Between words, after the sentences: every one of them."""
        unit = UNITS.get(self._word(index)) if self._word(index).endswith("s") else None
        return None if unit is None else (Counted(unit, None), index + 1)

    def _from(self, index: int, whole: bool = True) -> Found:
        first = self._related(index)
        if first is None:
            return None
        at = first[1]
        if self._word(at) in ("to", "until", "till", "through", "and"):
            last = self._related(at + 1)
            if last is not None:
                return Between(first[0], last[0], whole), last[1]
        if not whole and isinstance(first[0], Both) and len(first[0].places) == 2:
            return Between(first[0].places[0], first[0].places[1], whole), at
        if not whole and isinstance(first[0], Counted):
            return first
        at += self._word(at) in ("on", "onward", "onwards", "forward")
        return Between(first[0], None), at

    def _until(self, index: int) -> Found:
        inner = self._related(index)
        return None if inner is None else (Before(inner[0]), inner[1])
