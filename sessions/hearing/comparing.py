"""What was to be heard of an edit against what was, word by word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sessions import differing
from sessions.differing import Region

Span: TypeAlias = tuple[int, int]
#: Spelling, numbers and contractions of a text made alike, words parted by blanks.
Normalise: TypeAlias = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Heard:
    """right: whether the changed words and their neighbours were heard as they read; of a change
    that leaves the words alone, whether all were. words: what was heard in the changed words'
    place, and of such a change all that was.
    """

    right: bool
    words: str


def compared(old: str, new: str, heard: str, normalise: Normalise) -> Heard:
    """Of a line that read `old`, reads `new` and was heard as `heard`."""
    before, after, got = (normalise(text).split() for text in (old, new, heard))
    changed = [place for _, place in differing.regions(before, after)] or [(0, len(after))]
    found = differing.regions(after, got)
    wrong = [place for place, there in found if not _same(after[slice(*place)], got[slice(*there)])]
    right = not any(_touches(one, place) for one in wrong for place in changed)
    pairs = _pairs(found, len(after))
    there = [_there(pairs, place, len(got)) for place in changed]
    words = " … ".join(" ".join(got[slice(*one)]) for one in there)
    return Heard(right, words)


def _same(said: Sequence[str], heard: Sequence[str]) -> bool:
    """Parted into words otherwise, as "anyone" is "any one"."""
    return "".join(said) == "".join(heard)


def _touches(wrong: Span, place: Span) -> bool:
    """Whether it is at a changed place or at the word on either side of it."""
    return wrong[0] < place[1] + 1 and wrong[1] > place[0] - 1


def _there(pairs: Sequence[tuple[int, int]], place: Span, end: int) -> Span:
    """The heard words between those before and after a place; pairs: words that are the same."""
    start = max((j + 1 for i, j in pairs if i < place[0]), default=0)
    return start, min((j for i, j in pairs if i >= place[1]), default=end)


def _pairs(regions: Sequence[Region], count: int) -> list[tuple[int, int]]:
    """Words [0, count) of the one sequence that are in the other, and where."""
    pairs: list[tuple[int, int]] = []
    at = shift = 0
    for (a, b), (_, d) in [*regions, ((count, count), (0, 0))]:
        pairs += [(i, i + shift) for i in range(at, a)]
        at, shift = b, d - b
    return pairs
