"""A clause of the parent with parts of it made again: its samples, and where all in it now is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from engine.families.embedded.align import is_quiet
from engine.families.embedded.clause import HOP, Patch, Sheet, Silence, Span, Splice
from engine.families.embedded.finish import FADE, Gap, parted, paused
from engine.families.embedded.splice import (
    MARGIN,
    QUIET,
    REACH,
    SEARCH,
    Made,
    Place,
    Sounds,
    find,
    hushed,
    made,
)
from engine.types import Int16

#: Decodes frames [low, high) of the new clause, whose statistics and phase are the whole one's.
Region = Callable[[int, int], Int16]
Pauses = list[tuple[int, int]]


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """The next samples of the clause. changed: the span of them [from, to) that is not the
    parent's. known: tokens before this one have their places."""

    samples: Int16
    changed: tuple[int, int] | None
    known: int


@dataclass(frozen=True, slots=True)
class _Copy:
    """From new sample `at` on, the old ones from `old` on."""

    at: int
    old: int


class Patching:
    """Of one clause, splice by splice; samples are counted without pauses. parent: all its
    samples."""

    def __init__(self, patch: Patch, sheet: Sheet, span: Span, parent: Int16) -> None:
        self._patch, self._span = patch, span
        self._splices, self._notes = patch.splices, patch.notes
        self._frames = sheet.edges()
        self._old = _unpaused(parent[patch.at : patch.at + patch.samples], self._was_paused())
        first = int(self._notes.edges[patch.splices[0].old_start])
        start = first - REACH if patch.copied else 0
        self._copies = [_Copy(start, start)]
        self._mades: list[Made] = []
        self._pauses = [pause for pause in self._kept() if pause[0] < first]

    @property
    def pauses(self) -> Pauses:
        """Of what is known so far: before which sample, and how long."""
        return sorted(self._pauses)

    def steps(self, region: Region) -> Iterator[Step]:
        """All of the clause that was not handed on already. Each costs what its splice does."""
        for index, splice in enumerate(self._splices):
            later = self._splices[index + 1 :]
            yield self._step(splice, later[0] if later else None, region)
        tail = self._copies[-1]
        yield self._said(tail.at, self._old[tail.old :], None, len(self._frames))

    def edge(self, token: int) -> int:
        """Where a token of the new clause begins (the one after the last: where that ends). Known
        up to the next splice."""
        passed = sum(splice.stop <= token for splice in self._splices)
        splice = self._splices[passed] if passed < len(self._splices) else None
        copy = self._copies[passed]
        if splice is not None and token > splice.start:
            wave = self._mades[passed]
            inside = self._new(self._frames[token]) - wave.first
            return copy.at + wave.start - copy.old + min(max(inside, 0), len(wave.wave))
        last = self._splices[passed - 1] if passed else None
        was = last.old_stop - last.stop if last else 0
        return copy.at + int(self._notes.edges[token + was]) - copy.old

    def _step(self, splice: Splice, later: Splice | None, region: Region) -> Step:
        copy = self._copies[-1]
        wave = self._made(splice, later, region, copy.old)
        head = self._old[copy.old : wave.start]
        parts, cuts = parted(wave.wave.astype(np.float32), self._gaps(splice, wave))
        at = copy.at + len(head)
        stop = at + len(parts)
        silences = (pause.samples for pause in self._inside(splice))
        self._pauses += [(at + cut, silence) for cut, silence in zip(cuts, silences, strict=True)]
        self._pauses += self._moved(splice, later, stop - wave.stop)
        self._mades.append(wave)
        self._copies.append(_Copy(stop, wave.stop))
        samples = np.concatenate([head, np.round(parts).astype(np.int16)])
        known = later.start if later else len(self._frames)
        return self._said(copy.at, samples, (at, stop), known)

    def _said(self, at: int, wave: Int16, span: tuple[int, int] | None, known: int) -> Step:
        here = [(cut - at, silence) for cut, silence in self.pauses if at < cut <= at + len(wave)]
        changed = span and (_played(span[0] - at, here), _played(span[1] - at, here))
        return Step(paused(wave, here), changed, known)

    def _was_paused(self) -> Pauses:
        return [(int(cut), int(silence)) for cut, silence in self._notes.pauses]

    def _kept(self) -> Pauses:
        """Those of the old clause's pauses that are not in what is made again."""
        edges = self._notes.edges
        spans = [(edges[s.old_start], edges[s.old_stop]) for s in self._splices]
        return [p for p in self._was_paused() if not any(a <= p[0] < b for a, b in spans)]

    def _moved(self, splice: Splice, later: Splice | None, by: int) -> Pauses:
        """Pauses of the old clause between two splices, where they are now."""
        low = self._notes.edges[splice.old_stop]
        high = self._notes.edges[later.old_start] if later else len(self._old)
        return [(cut + by, silence) for cut, silence in self._kept() if low <= cut < high]

    def _made(self, splice: Splice, later: Splice | None, region: Region, old: int) -> Made:
        """Decodes about a splice and joins it; old samples before `old` are taken."""
        frames, edges = self._frames, self._notes.edges
        reach = SEARCH + self._quiet(splice.old_stop)
        low = max(0, frames[splice.start] - SEARCH - MARGIN)
        high = min(self._span.frames, frames[splice.stop] + reach + MARGIN)
        wave = region(low, high).astype(np.float64)
        sounds = Sounds(self._old.astype(np.float64), wave, self._new(low))
        start, stop = int(edges[splice.old_start]), int(edges[splice.old_stop])
        bounds = self._bounds(start, stop, old, later)
        left = None
        if splice.start > 1:  # Before the first word is nothing to be kept but silence.
            left = find(sounds, Place(start, self._new(frames[splice.start]), *bounds, -1))
        least = 0 if left is None else left.new + left.half
        place = Place(stop, self._new(frames[splice.stop]), *bounds, 1, reach)
        if reach > SEARCH:
            place = hushed(sounds, place)
        return made(sounds, left, find(sounds, place, least))

    def _quiet(self, token: int) -> int:
        """Frames of a stop that a join may lie in besides."""
        notes = self._notes
        return min(QUIET, int(notes.durations[token])) if is_quiet(notes.phonemes, token) else 0

    def _bounds(self, start: int, stop: int, old: int, later: Splice | None) -> tuple[int, int]:
        """Old samples between which the joins of a splice [start, stop) may lie; those before `old`
        are taken, and those beside the next splice are for its own."""
        cuts = [cut for cut, _ in self._kept()]
        end = int(self._notes.edges[later.old_start]) - REACH if later else len(self._old)
        return (
            max([old, *(cut + FADE for cut in cuts if cut < stop)]),
            min([end, *(cut - FADE for cut in cuts if cut >= start)]),
        )

    def _new(self, frame: int) -> int:
        return (frame - self._span.skip) * HOP

    def _inside(self, splice: Splice) -> list[Silence]:
        low, high = self._frames[splice.start], self._frames[splice.stop]
        return [pause for pause in self._span.pauses if low <= pause.low < high]

    def _gaps(self, splice: Splice, wave: Made) -> list[Gap]:
        size = len(wave.wave)
        return [
            Gap(
                max(0, self._new(pause.low) - wave.first),
                min(size, self._new(pause.high) - wave.first),
                pause.samples,
            )
            for pause in self._inside(splice)
        ]


def _unpaused(wave: Int16, pauses: Pauses) -> Int16:
    pieces, at, silences = [], 0, 0
    for cut, silence in sorted(pauses):
        pieces.append(wave[at : cut + silences])
        silences += silence
        at = cut + silences
    return np.concatenate([*pieces, wave[at:]])


def _played(sample: int, pauses: Pauses) -> int:
    return sample + sum(silence for cut, silence in pauses if cut < sample)
