"""Which clauses of a new text are a parent's as they are, which are one of them changed, which new.

Clauses are cut from the text the same way each time, so one that stands between the same marks is
found again by where it would be in the parent's text; or, where only blanks between clauses went,
by what it reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from engine.families.embedded import align
from engine.families.embedded.clause import Float, Splice
from engine.families.embedded.notes import Notes
from engine.families.embedded.phonemes import Reading
from engine.types import Change, ClauseScore, Parent

Chars = tuple[int, int]
#: Kept sound shorter than this many samples has no room for a join at both ends.
ROOM = 6_000
#: A clause of which more is new than this is made whole.
MOSTLY = 0.7


def _reaching(change: Change, text: str) -> Change:
    """One of blanks or marks that only are said otherwise, as by a pause, is of the word after."""
    (start, stop), (_, end) = change.old, change.new
    same = stop - start == end - change.new[0]
    if not same or any(map(str.isalnum, text[start:stop])):
        return change
    more = next((at for at, char in enumerate(text[stop:], 1) if char.isalnum()), 0)
    return Change((start, stop + more), (change.new[0], end + more))


def _touches(change: Change, start: int, stop: int) -> bool:
    """What is put in or taken out at an edge is no part of the clause."""
    at, to = change.new
    return (at < stop and start < to) if at < to else start < at < stop


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A clause of the parent; same: whether it is said as it was."""

    score: ClauseScore
    same: bool


class Revision:
    """The parent's clauses by where they stand, and what became of its text."""

    def __init__(self, parent: Parent, changes: Sequence[Change]) -> None:
        self._parent = parent
        self._changes = [_reaching(change, parent.text) for change in changes]
        self._scores = parent.scores
        self._at = {score.span: at for at, score in enumerate(parent.scores)}
        self._next = 0

    def find(self, chars: Chars, text: str) -> Found | None:
        """The parent's clause that became the new text's [from, to), which read `text`; None if
        there is none. To be asked in the order of the text."""
        places = product(self._before(chars[0]), self._before(chars[1]))
        at = next((self._at[place] for place in places if place in self._at), None)
        if at is not None:
            same = not any(_touches(change, *chars) for change in self._changes)
            length = self._scores[at].span[1] - self._scores[at].span[0]
            return self._had(at, same and length == chars[1] - chars[0])
        at = next((at for at in self._left() if self._text(at) == text.strip()), None)
        return None if at is None else self._had(at, True)

    def _had(self, at: int, same: bool) -> Found:
        self._next = at + 1
        return Found(self._scores[at], same)

    def _left(self) -> range:
        return range(self._next, len(self._scores))

    def _text(self, at: int) -> str:
        return self._parent.text[slice(*self._scores[at].span)].strip()

    def forced(self, words: Sequence[Chars]) -> list[int]:
        """Those of the new text's words that are made again, whether or not they sound the same."""
        return [at for at, word in enumerate(words) if self._changes_any(word)]

    def _changes_any(self, word: Chars) -> bool:
        return any(c.new[0] < word[1] and word[0] < c.new[1] for c in self._changes)

    def _before(self, at: int) -> list[int]:
        """Where a character of the new text may have stood in the old: before and after what was
        taken out just there."""
        taken = left = 0
        for change in self._changes:
            shift = change.old[1] - change.old[0] - (change.new[1] - change.new[0])
            if change.new[1] < at or (change.new[1] == at and change.new[0] < at):
                taken, left = taken + shift, left + shift
            elif change.new == (at, at):
                taken += shift
        return [at + taken, at + left]


def splices(
    notes: Notes,
    reading: Reading,
    forced: Sequence[tuple[int, int]],
    gaps: Sequence[tuple[int, int]],
    pauses: bool,
) -> list[Splice]:
    """What of a clause is made again: in order, apart, with room for joins between.

    forced: tokens that are, whatever they were. gaps: tokens where no silence is left, made again
    with what is made next to them. pauses: silence goes before its first word.
    """
    old, new = notes.phonemes, reading.phonemes
    found = align.compare(old, new, forced)
    cuts = notes.pauses[:, 0]
    paused = (np.searchsorted(notes.edges, cuts, side="right") - 1).tolist()
    if pauses and found and found[0].old_start == found[0].start == 1:
        paused.append(0)
    for token in paused:
        found = [align.with_marks(splice, old, new, token) for splice in found]
    found = [_with_gaps(splice, old, new, gaps) for splice in found]
    return _roomy(align.merged(found), notes)


def _with_gaps(splice: Splice, old: str, new: str, gaps: Sequence[tuple[int, int]]) -> Splice:
    """Widened over the gap before it."""
    for start, stop in gaps:
        if start < splice.start <= stop:
            splice = align.with_marks(splice, old, new, splice.old_start - splice.start + start)
    return splice


def _roomy(found: Sequence[Splice], notes: Notes) -> list[Splice]:
    result: list[Splice] = []
    for splice in found:
        last = result[-1] if result else None
        if last and notes.edges[splice.old_start] - notes.edges[last.old_stop] < ROOM:
            result[-1] = Splice(last.old_start, splice.old_stop, last.start, splice.stop)
        else:
            result.append(splice)
    return result


def is_mostly_new(found: Sequence[Splice], reading: Reading) -> bool:
    made = sum(splice.stop - splice.start for splice in found)
    return made > MOSTLY * (len(reading.phonemes) + 2)


def kept(found: Sequence[Splice], notes: Notes, predicted: Float) -> Float:
    """Durations [n]: the parent's outside of what is made again, and of the silence ahead."""
    made, at, was = predicted.copy(), 0, 0
    for splice in [*found, Splice(len(notes.durations), 0, len(predicted), 0)]:
        made[at : splice.start] = notes.durations[was : splice.old_start]
        at, was = splice.stop, splice.old_stop
    made[0] = notes.durations[0]
    return made
