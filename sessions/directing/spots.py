"""The line as a direction sees it: its words, clauses and sentences, and where a place is in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import assert_never

from sessions.directing.forms import folded, one_edit
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

Span = tuple[int, int]
_WORD = re.compile(r"[^\W_]+(?:['’ʼ.-][^\W_]+)*['’]?")
_SENTENCE_END = re.compile(r"[.!?…。！？]+[\"”’')\]]*\s|\n")
_CLAUSE_END = re.compile(r"[,;:–—.!?…。！？]|\s-+\s|\n")
_ABBREVIATIONS = frozenset(("mr", "mrs", "ms", "dr", "prof", "st", "vs", "jr", "sr", "mt"))
_MISSPELT = 5  # letters from which one edit is forgiven


@dataclass(frozen=True, slots=True)
class Spot:
    """A spoken word: folded, without punctuation around it; its characters in the text."""

    text: str
    span: Span


def spots_in(text: str) -> tuple[Spot, ...]:
    """The words of a text whose spoken words aren't known."""
    return tuple(Spot(_bare(match.group()), match.span()) for match in _WORD.finditer(text))


def _bare(word: str) -> str:
    return re.sub(r"^[^\w]+|[^\w]+$", "", folded(word))


@dataclass(frozen=True, slots=True)
class Line:
    """The words of the text in order, numbered from 0. Runs are [from, to) of those numbers."""

    text: str
    spots: tuple[Spot, ...]

    @classmethod
    def of(cls, text: str, words: Sequence[tuple[str, Span]]) -> Line:
        """Words that lie outside the text, or have nothing to say, are left out."""
        spoken = (Spot(_bare(word), span) for word, span in words)
        spots = tuple(s for s in spoken if s.text and 0 <= s.span[0] < s.span[1] <= len(text))
        ordered = tuple(sorted(spots, key=lambda spot: spot.span))
        return cls(text, ordered or spots_in(text))

    def span(self, run: Span) -> Span:
        """Characters of a run of words; the run isn't empty."""
        return self.spots[run[0]].span[0], self.spots[run[1] - 1].span[1]

    def matches(self, words: Sequence[str]) -> list[Span]:
        """Runs that read as these words; if none does, those that nearly do."""
        exact = self._runs(words, near=False)
        return exact or self._runs(words, near=True)

    def longest(self, words: Sequence[str]) -> int:
        """How many of the words, from the first, stand in the line one after the other."""
        wanted = [_bare(word) for word in words]
        starts = (i for i, spot in enumerate(self.spots) if spot.text == wanted[0])
        return max((self._alike(start, wanted) for start in starts), default=0)

    def _alike(self, start: int, wanted: Sequence[str]) -> int:
        count = 0
        for index, word in zip(range(start, len(self.spots)), wanted, strict=False):
            if self.spots[index].text != word:
                break
            count += 1
        return count

    def _runs(self, words: Sequence[str], near: bool) -> list[Span]:
        wanted = [bare for word in words if (bare := _bare(word))]
        if not wanted:
            return []
        starts = range(len(self.spots) - len(wanted) + 1)
        return [(i, i + len(wanted)) for i in starts if self._reads(i, wanted, near)]

    def _reads(self, start: int, wanted: list[str], near: bool) -> bool:
        heard = (spot.text for spot in self.spots[start : start + len(wanted)])
        return all(
            a == b or (near and min(len(a), len(b)) >= _MISSPELT and one_edit(a, b))
            for a, b in zip(heard, wanted, strict=True)
        )

    def units(self, unit: Unit) -> list[Span]:
        """Runs of the words one by one, or of clauses, or of sentences; none is empty."""
        if unit == "word":
            return [(i, i + 1) for i in range(len(self.spots))]
        pattern = _SENTENCE_END if unit == "sentence" else _CLAUSE_END
        ends = [i for i in range(1, len(self.spots)) if self._ends(i, pattern)]
        return [r for r in zip([0, *ends], [*ends, len(self.spots)], strict=True) if r[0] < r[1]]

    def _ends(self, index: int, pattern: re.Pattern[str]) -> bool:
        """Whether a unit ends between word index − 1 and word index."""
        before, after = self.spots[index - 1], self.spots[index]
        between = self.text[before.span[1] : after.span[0]]
        return before.text not in _ABBREVIATIONS and pattern.search(between) is not None


def resolved(place: Place, line: Line, taken: Sequence[Span] = ()) -> list[Span]:
    """Runs of words that the place means, in order; empty if the line has no such place.

    taken: runs that earlier scopes of the direction cover.
    """
    runs = _find(place, line, taken)
    return joined(run for run in runs if run[0] < run[1])


def _find(place: Place, line: Line, taken: Sequence[Span]) -> list[Span]:
    all_words = (0, len(line.spots))
    match place:
        case Quoted(words, nth):
            return _nth(line.matches(words.split()), nth, 1)
        case Counted(unit, nth, count):
            runs = _nth(line.units(unit), nth, count)
            together = unit == "word" and nth is not None and len(runs) > 1
            return [(runs[0][0], runs[-1][1])] if together else runs
        case Share(nth, of):
            return [_share(all_words, nth, of)]
        case Side(edge, _):
            return _side(edge, line)
        case Mark(marks):
            return _beside(line, marks)
        case Asked(mark):
            return [run for run in line.units("sentence") if mark in _tail(line, run)]
        case Whole():
            return [all_words]
        case Rest():
            return without(all_words, taken)
        case Before(inner):
            return [(0, run[0]) for run in resolved(inner, line, taken)[:1]]
        case After(inner):
            return [(run[1], all_words[1]) for run in resolved(inner, line, taken)[-1:]]
        case Between():
            return _between(place, line)
        case Within(inner, outer):
            runs = resolved(outer, line, taken)
            return [run for around in runs for run in _inside(inner, line, around)]
        case Both(places):
            found = [resolved(each, line, taken) for each in places]
            return sorted(run for runs in found for run in runs)
    assert_never(place)


def _nth(runs: list[Span], nth: int | None, count: int) -> list[Span]:
    """`count` runs from the nth on; counted from the end, they end there."""
    if nth is None:
        return runs
    first = nth - 1 if nth > 0 else len(runs) + nth - count + 1
    if not runs or first >= len(runs) or (first < 0 and count == 1):
        return []
    return runs[max(0, first) : first + count]


def _share(run: Span, nth: int, of: int) -> Span:
    length = run[1] - run[0]
    index = nth - 1 if nth > 0 else of + nth
    return run[0] + round(length * index / of), run[0] + round(length * (index + 1) / of)


def _side(edge: str, line: Line) -> list[Span]:
    """The first or last clause; of a line of one clause, a third of its words."""
    words = len(line.spots)
    if not words:
        return []
    if edge == "middle":
        third = max(1, words // 3)
        return [((words - third) // 2, (words - third) // 2 + third)]
    clauses = line.units("clause")
    if len(clauses) > 1:
        return [clauses[0] if edge == "start" else clauses[-1]]
    third = max(1, round(words / 3))
    return [(0, third)] if edge == "start" else [(words - third, words)]


def _beside(line: Line, marks: str) -> list[Span]:
    """The words right before one of the marks."""
    return [(i, i + 1) for i in range(len(line.spots)) if set(marks) & set(_tail(line, (i, i + 1)))]


def _tail(line: Line, run: Span) -> str:
    """What stands between a run and the next word."""
    to = line.spots[run[1]].span[0] if run[1] < len(line.spots) else len(line.text)
    return line.text[line.spots[run[1] - 1].span[1] : to]


def _between(place: Between, line: Line) -> list[Span]:
    first = resolved(place.first, line)
    if not first:
        return []
    start = first[0][0] if place.whole else first[0][1]
    if place.last is None:
        return [(start, len(line.spots))]
    ends = [run for run in resolved(place.last, line) if run[1] > start]
    return [(start, ends[0][1] if place.whole else ends[0][0])] if ends else []


def _inside(inner: Place, line: Line, around: Span) -> list[Span]:
    """The place looked for among the words of `around` alone."""
    words = line.spots[around[0] : around[1]]
    end = line.spots[around[1]].span[0] if around[1] < len(line.spots) else len(line.text)
    runs = resolved(inner, Line(line.text[:end], words))
    return [(run[0] + around[0], run[1] + around[0]) for run in runs]


def joined(runs: Iterable[Span]) -> list[Span]:
    """Sorted, without overlaps; runs that only touch stay apart."""
    out: list[Span] = []
    for start, end in sorted(runs):
        if out and start < out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out


def without(run: Span, taken: Iterable[Span]) -> list[Span]:
    """What is left of the run."""
    left, at = [], run[0]
    for start, end in joined(taken):
        left.append((at, min(start, run[1])))
        at = max(at, end)
    return [piece for piece in (*left, (at, run[1])) if piece[0] < piece[1]]
