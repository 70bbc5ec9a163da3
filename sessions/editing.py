"""Old words, new words: which characters of a line have to be made again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol, TypeAlias

from engine.types import Change
from sessions import differing, rewording
from sessions.errors import SessionError
from sessions.rewording import Patch

Span: TypeAlias = tuple[int, int]


class BadEdit(SessionError):
    """An edit that can't be done to the take's words; `field` says which change is wrong."""

    code = "bad_edit"


class Spoken(Protocol):
    """A word of the parent take (engine.types.Word is one); `span` is into the take's text."""

    @property
    def index(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def span(self) -> Span: ...


@dataclass(frozen=True, slots=True)
class WordChange:
    """Words [from, to) of the take shall read `text`: empty takes them out, from = to puts in."""

    words: Span
    text: str


@dataclass(frozen=True, slots=True)
class EditPlan:
    """The text as it shall read, and where it differs: changes go up in both texts, at least one
    character apart; outside them the texts are equal. Without changes the texts are the same."""

    new_text: str
    changes: tuple[Change, ...]


def edit_text(old: str, words: Sequence[Spoken], new: str) -> EditPlan:
    """The fewest whole words (and marks between them) in which `new` differs from `old`.

    A change that touches a word of the take takes in all of it; changes with only blanks between
    are one. Raises BadEdit if the words are not of this text.
    """
    _check_words(old, words)
    spans = [word.span for word in words]
    return EditPlan(new, _whole(_differences(old, new), spans, old))


def edit_words(old: str, words: Sequence[Spoken], changes: Sequence[WordChange]) -> EditPlan:
    """The text with `changes` done, blanks and marks around them set right, and where it differs.

    `words` are all words of the take in order, and changes count in them. Marks that a deletion
    leaves doubled or empty go; a mark at the end of new words stands for the one that was there.
    Raises BadEdit, whose field names the change: out of range, backwards, or one over another.
    """
    _check_words(old, words)
    _check_changes(len(words), changes)
    wanted = [(change.words, change.text) for change in changes]
    return _applied(old, rewording.patches(old, [word.span for word in words], wanted))


def _applied(old: str, patches: Sequence[Patch]) -> EditPlan:
    parts: list[str] = []
    changes: list[Change] = []
    at = length = 0
    for patch in patches:
        start, end = patch.span
        parts += [old[at:start], patch.text]
        begin = length + start - at
        length = begin + len(patch.text)
        if old[start:end] != patch.text:
            changes.append(Change((start, end), (begin, length)))
        at = end
    return EditPlan("".join([*parts, old[at:]]), merged(changes, old))


def _check_words(old: str, words: Sequence[Spoken]) -> None:
    at = 0
    for word in words:
        start, end = word.span
        if not at <= start < end <= len(old):
            raise BadEdit(f"word {word.index} ({word.text!r}) is not of this text", "text")
        at = end


def _check_changes(count: int, changes: Sequence[WordChange]) -> None:
    for index, change in enumerate(changes):
        start, end = change.words
        if not 0 <= start <= end <= count:
            raise BadEdit(
                f"expected 0 ≤ from ≤ to ≤ {count}, found [{start}, {end})",
                f"changes[{index}].words",
            )
        if start == end and not change.text.strip():
            raise BadEdit("nothing is put in and nothing taken out", f"changes[{index}].text")
    order = sorted(range(len(changes)), key=lambda index: changes[index].words)
    for one, other in pairwise(order):
        first, second = changes[one].words, changes[other].words
        if first == second or first[1] > second[0]:
            late, early = max(one, other), min(one, other)
            raise BadEdit(f"overlaps changes[{early}].words", f"changes[{late}].words")


# A word keeps the marks within it (it's, 3.50, well-known, $5, 40%); any other mark is by itself.
_TOKEN = re.compile(r"\s+|[$€£#@]?[^\W_]+(?:[.,:'’/-][^\W_]+)*%?|.", re.DOTALL)


def _differences(old: str, new: str) -> list[Change]:
    """Where two texts differ, by words, marks and blanks."""
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    starts, news = _offsets(before), _offsets(after)
    return [
        Change((starts[a], starts[b]), (news[c], news[d]))
        for (a, b), (c, d) in differing.regions(before, after)
    ]


def _offsets(tokens: Sequence[str]) -> list[int]:
    offsets = [0]
    for token in tokens:
        offsets.append(offsets[-1] + len(token))
    return offsets


def _whole(changes: Sequence[Change], words: Sequence[Span], old: str) -> tuple[Change, ...]:
    """Changes widened to whole words of the take; what is taken in is equal in both texts, up to
    the next change, which is then taken in too."""
    result = merged(changes, old)
    while (wider := merged([_widened(one, words) for one in result], old)) != result:
        result = wider
    return result


def _widened(change: Change, words: Sequence[Span]) -> Change:
    start, end = change.old
    cut = [word for word in words if word[0] < end and start < word[1]]
    cut += [word for word in words if word[0] < start < word[1] or word[0] < end < word[1]]
    left = start - min([start, *(word[0] for word in cut)])
    right = max([end, *(word[1] for word in cut)]) - end
    return Change((start - left, end + right), (change.new[0] - left, change.new[1] + right))


def merged(changes: Sequence[Change], old: str) -> tuple[Change, ...]:
    """With changes made one that overlap, touch, or have only blanks between."""
    result: list[Change] = []
    for change in changes:
        if result and not old[result[-1].old[1] : change.old[0]].strip():
            last = result.pop()
            beyond = max(0, last.old[1] - change.old[1])
            ends = change.old[1] + beyond, change.new[1] + beyond
            change = Change((last.old[0], ends[0]), (last.new[0], ends[1]))
        result.append(change)
    return tuple(result)
