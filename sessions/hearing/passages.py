"""Which parts of an edited take are listened to, and what is to be heard there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.types import Change, ClauseScore


@dataclass(frozen=True, slots=True)
class Passage:
    """Samples [start, stop) of the new take, which read `new` where the parent's read `old`."""

    old: str
    new: str
    start: int
    stop: int


def passages(
    old: str, new: str, changes: Sequence[Change], scores: Sequence[ClauseScore]
) -> list[Passage]:
    """One for each run of neighbouring clauses with a change in them: a recogniser wants whole
    clauses, and no more of them than need be. scores: all of the new take's."""
    runs: list[list[ClauseScore]] = []
    last = None
    for at, score in enumerate(scores):
        if not any(_touches(change, score.span) for change in changes):
            continue
        if last == at - 1 and runs:
            runs[-1].append(score)
        else:
            runs.append([score])
        last = at
    return [_passage(old, new, changes, run) for run in runs]


def _touches(change: Change, span: tuple[int, int]) -> bool:
    """A deletion is of the clauses on both sides of it."""
    start, stop = change.new
    return start < span[1] and span[0] < stop if start < stop else span[0] <= start <= span[1]


def _passage(old: str, new: str, changes: Sequence[Change], run: Sequence[ClauseScore]) -> Passage:
    start, stop = run[0].span[0], run[-1].span[1]
    text, at = "", start
    for change in changes:
        if change.new[1] >= start and change.new[0] <= stop:
            text += new[at : max(at, change.new[0])] + old[slice(*change.old)]
            at = max(at, change.new[1])
    text += new[at:stop]
    return Passage(text, new[start:stop], run[0].start, run[-1].start + run[-1].samples)
