"""A performance of one text as that of another, which differs from it in places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.types import Change, Part, Pause, Performance

Span = tuple[int, int]


def respanned(performance: Performance, changes: Sequence[Change]) -> Performance:
    """Parts and pauses at the characters of the new text that stand where theirs stood.

    A part that held for changed words holds for those in their stead; words put in at its edge are
    said as the rest is. What holds for no character any more goes.
    """
    parts = (Part(_span(part.span, changes), part.levers) for part in performance.parts)
    pauses = (Pause(_at(one.at, changes), one.seconds) for one in performance.pauses)
    return replace(
        performance,
        parts=tuple(part for part in parts if part.span[0] < part.span[1]),
        pauses=tuple(pauses),
    )


def widened(changes: Sequence[Change], spans: Sequence[Span]) -> tuple[Change, ...]:
    """The changes, and with them the characters [from, to) of the new text that are made again too;
    those that touch are one."""
    ends = [(change.new, change.old) for change in changes]
    for start, end in spans:
        ends.append(((start, end), (_back(start, changes, False), _back(end, changes, True))))
    found: list[tuple[Span, Span]] = []
    for new, old in sorted(ends):
        if found and new[0] <= found[-1][0][1]:
            (new_start, new_end), (old_start, old_end) = found.pop()
            new = (new_start, max(new_end, new[1]))
            old = (min(old_start, old[0]), max(old_end, old[1]))
        found.append((new, old))
    return tuple(Change(old, new) for new, old in found)


def _span(span: Span, changes: Sequence[Change]) -> Span:
    start, end = span
    return _start(start, changes), _end(end, changes)


def _start(at: int, changes: Sequence[Change]) -> int:
    """Of the first character of a part: what was put in before it is not of the part."""
    shift = 0
    for change in changes:
        if at < change.old[0]:
            break
        if at < change.old[1]:
            return change.new[0]
        shift = change.new[1] - change.old[1]
    return at + shift


def _end(at: int, changes: Sequence[Change]) -> int:
    """Of the end of a part: what was put in behind it is not of the part."""
    shift = 0
    for change in changes:
        if at <= change.old[0]:
            break
        if at < change.old[1]:
            return change.new[1]
        shift = change.new[1] - change.old[1]
    return at + shift


def _at(at: int, changes: Sequence[Change]) -> int:
    """Of a pause: before the word that stands where its word stood."""
    shift = 0
    for change in changes:
        if at < change.old[0] or at == change.old[0] < change.old[1]:
            break
        if at < change.old[1]:
            return change.new[0]
        shift = change.new[1] - change.old[1]
    return at + shift


def _back(at: int, changes: Sequence[Change], end: bool) -> int:
    """A character of the new text in the old one; within a change, its edge."""
    shift = 0
    for change in changes:
        if at < change.new[0] or (end and at == change.new[0]):
            break
        if at < change.new[1]:
            return change.old[1] if end else change.old[0]
        shift = change.old[1] - change.new[1]
    return at + shift
