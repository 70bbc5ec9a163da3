"""A performance while it is being changed: levers of the whole, parts side by side, and pauses."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import fields

from engine.types import Levers, Part, Pause, Performance
from sessions.directing.levers import levers_of
from sessions.directing.spots import Line, Span, without

Turn = Callable[[Levers], Levers]


class Performing:
    """Parts never overlap here; those that overlap in the performance it began with are cut so
    that the later one holds, as the engine takes them.
    """

    def __init__(self, performance: Performance) -> None:
        self.whole = levers_of(performance)
        self._parts: list[Part] = []
        self._pauses: dict[int, float] = {}
        self._begin(performance)

    def _begin(self, performance: Performance) -> None:
        self.whole, self._parts = levers_of(performance), []
        for part in performance.parts:
            self._put(part.span, part.levers)
        self._pauses = {pause.at: pause.seconds for pause in performance.pauses}

    def turn_all(self, turn: Turn) -> None:
        """The change made to the whole take and, from where it stands, to each part."""
        self.whole = turn(self.whole)
        self._parts = [Part(part.span, turn(part.levers)) for part in self._parts]

    def turn(self, span: Span, turn: Turn) -> None:
        """The change made to these characters alone."""
        covered = self._parts[self._reached(span)]
        for part in covered:
            self._put(_common(part.span, span), turn(part.levers))
        for gap in without(span, [part.span for part in covered]):
            self._put(gap, turn(self.whole))

    def become(self, other: Performance, span: Span | None = None) -> None:
        """As another performance, or that alone for these characters."""
        if span is None:
            self._begin(other)
            return
        source = Performing(other)
        self._put(span, source.whole)
        for part in source._parts[source._reached(span)]:
            self._put(_common(part.span, span), part.levers)

    def at(self, offset: int) -> Levers:
        """What holds at a character."""
        found = self._parts[self._reached((offset, offset + 1))]
        return found[0].levers if found else self.whole

    def pause(self, at: int) -> float | None:
        """Seconds of silence asked for there, None if nothing is."""
        return self._pauses.get(at)

    def drop_pause(self, at: int) -> None:
        """What silence the voice makes there of itself is as it would be."""
        self._pauses.pop(at, None)

    def set_pause(self, at: int, seconds: float) -> None:
        self._pauses[at] = seconds

    def done(self) -> Performance:
        """Parts in order, equal neighbours joined, those like the whole left out."""
        kept: list[Part] = []
        for part in sorted(self._parts, key=lambda part: part.span):
            if part.levers == self.whole:
                continue
            if kept and kept[-1].span[1] == part.span[0] and kept[-1].levers == part.levers:
                kept[-1] = Part((kept[-1].span[0], part.span[1]), part.levers)
            else:
                kept.append(part)
        pauses = tuple(Pause(at, seconds) for at, seconds in sorted(self._pauses.items()))
        names = {field.name: getattr(self.whole, field.name) for field in fields(Levers)}
        return Performance(**names, parts=tuple(kept), pauses=pauses)

    def _put(self, span: Span, levers: Levers) -> None:
        """Lays levers over whatever was there."""
        if span[0] >= span[1]:
            return
        reached = self._reached(span)
        left = [
            Part(piece, part.levers)
            for part in self._parts[reached]
            for piece in without(part.span, [span])
        ]
        left.append(Part(span, levers))
        self._parts[reached] = sorted(left, key=lambda part: part.span)

    def _reached(self, span: Span) -> slice:
        """The parts that overlap the span; they lie side by side."""
        first = bisect_right(self._parts, span[0], key=lambda part: part.span[1])
        return slice(first, bisect_left(self._parts, span[1], first, key=lambda part: part.span[0]))


def _common(left: Span, right: Span) -> Span:
    return max(left[0], right[0]), min(left[1], right[1])


def touched(before: Performance, after: Performance, line: Line) -> tuple[Span, ...] | None:
    """Characters of the words that are said otherwise, and of the gaps whose pause differs; None
    if all of them are.
    """
    old, new = Performing(before), Performing(after)
    if old.whole != new.whole:
        return None
    runs = [(i, i + 1) for i, s in enumerate(line.spots) if old.at(s.span[0]) != new.at(s.span[0])]
    spans = [line.span(run) for run in _neighbours_joined(runs)]
    if runs and len(runs) == len(line.spots):
        return None
    changed = set(before.pauses) ^ set(after.pauses)
    return tuple(sorted({*spans, *(_gap(line, pause.at) for pause in changed)}))


def _neighbours_joined(runs: list[Span]) -> list[Span]:
    out: list[Span] = []
    for run in runs:
        if out and out[-1][1] == run[0]:
            out[-1] = (out[-1][0], run[1])
        else:
            out.append(run)
    return out


def _gap(line: Line, at: int) -> Span:
    """From the end of the word before `at` to `at`."""
    ends = [spot.span[1] for spot in line.spots if spot.span[1] <= at]
    return (ends[-1] if ends else 0), at
