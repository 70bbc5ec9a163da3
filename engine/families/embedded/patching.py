"""A clause of the parent with parts of it made again: its samples, and where all in it now is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from engine.families.embedded.clause import HOP, Patch, Sheet, Silence, Span, Splice
from engine.families.embedded.finish import FADE, Gap, parted, paused
from engine.families.embedded.splice import MARGIN, REACH, Made, Place, Sounds, find, made
from engine.types import Int16

#: Decodes frames [low, high) of the new clause, whose statistics and phase are the whole one's.
Region = Callable[[int, int], Int16]
Pauses = list[tuple[int, int]]


@dataclass(frozen=True, slots=True, eq=False)
class Patched:
    """samples: what follows the part that was handed on already. changed: spans of it [from, to)
    that are not the parent's. edges: where the tokens of the whole clause now are, pauses not
    counted; pauses: of the whole clause."""

    samples: Int16
    changed: tuple[tuple[int, int], ...]
    edges: tuple[int, ...]
    pauses: Pauses


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """Sound of the new clause that stands at sample `at`. made: None if it is copied from old
    sample `old` on."""

    at: int
    wave: Int16
    old: int
    made: Made | None = None

    @property
    def stop(self) -> int:
        return self.at + len(self.wave)


class Patching:
    """Of one clause. parent: all its samples."""

    def __init__(self, patch: Patch, sheet: Sheet, span: Span, parent: Int16) -> None:
        self._patch, self._sheet, self._span = patch, sheet, span
        self._notes = patch.notes
        self._frames = sheet.edges()
        self._old = _unpaused(parent[patch.at : patch.at + patch.samples], self._pauses())
        first = int(self._notes.edges[patch.splices[0].old_start])
        self._from = first - REACH if patch.copied else 0

    def patched(self, region: Region) -> Patched:
        pieces, pauses = self._pieces(region)
        edges = tuple(self._edges(pieces))
        out = np.concatenate([piece.wave for piece in pieces])
        later = [(cut - self._from, silence) for cut, silence in pauses if cut > self._from]
        changed = [
            (_played(piece.at - self._from, later), _played(piece.stop - self._from, later))
            for piece in pieces
            if piece.made is not None
        ]
        return Patched(paused(out, later), tuple(changed), edges, pauses)

    def _pauses(self) -> Pauses:
        return [(int(cut), int(silence)) for cut, silence in self._notes.pauses]

    def _kept(self) -> Pauses:
        """Those of the old clause's pauses that are not in what is made again."""
        edges = self._notes.edges
        spans = [(edges[s.old_start], edges[s.old_stop]) for s in self._patch.splices]
        return [p for p in self._pauses() if not any(a <= p[0] < b for a, b in spans)]

    def _pieces(self, region: Region) -> tuple[list[_Piece], Pauses]:
        pieces: list[_Piece] = []
        pauses: Pauses = []
        at = old = self._from
        for splice in self._patch.splices:
            wave = self._made(splice, region, old)
            pieces.append(_Piece(at, self._old[old : wave.start], old))
            at = pieces[-1].stop
            parts, cuts = parted(wave.wave.astype(np.float32), self._gaps(splice, wave))
            pieces.append(_Piece(at, np.round(parts).astype(np.int16), wave.start, wave))
            silences = [pause.samples for pause in self._inside(splice)]
            pauses += [(at + cut, silence) for cut, silence in zip(cuts, silences, strict=True)]
            at, old = pieces[-1].stop, wave.stop
        pieces.append(_Piece(at, self._old[old:], old))
        before = [pause for pause in self._kept() if pause[0] < self._from]
        return pieces, sorted(before + pauses + list(self._moved(pieces)))

    def _moved(self, pieces: list[_Piece]) -> Iterator[tuple[int, int]]:
        """Pauses of the old clause in what is copied, where they are now."""
        for cut, silence in self._kept():
            for piece in pieces:
                if piece.made is None and piece.old <= cut < piece.old + len(piece.wave):
                    yield cut - piece.old + piece.at, silence

    def _made(self, splice: Splice, region: Region, old: int) -> Made:
        """Decodes about a splice and joins it; old samples before `old` are taken."""
        frames, edges = self._frames, self._notes.edges
        low = max(0, frames[splice.start] - MARGIN)
        high = min(self._span.frames, frames[splice.stop] + MARGIN)
        wave = region(low, high).astype(np.float64)
        sounds = Sounds(self._old.astype(np.float64), wave, self._new(low))
        cuts = [cut for cut, _ in self._kept()]
        start, stop = int(edges[splice.old_start]), int(edges[splice.old_stop])
        bounds = (
            max([old, *(cut + FADE for cut in cuts if cut < stop)]),
            min([len(self._old), *(cut - FADE for cut in cuts if cut >= start)]),
        )
        left = None
        if splice.start > 0:
            left = find(sounds, Place(start, self._new(frames[splice.start]), *bounds), -1)
        least = 0 if left is None else left.new + left.half
        place = Place(stop, self._new(frames[splice.stop]), *bounds)
        return made(sounds, left, find(sounds, place, 1, least))

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

    def _edges(self, pieces: list[_Piece]) -> Iterator[int]:
        """Where each token of the new clause begins, and the last one ends; never going back."""
        latest = None
        for token in range(len(self._frames)):
            edge = self._edge(token, pieces)
            latest = edge if latest is None else max(latest, edge)
            yield latest

    def _edge(self, token: int, pieces: list[_Piece]) -> int:
        was = 0
        for splice, piece in zip(self._patch.splices, pieces[1::2], strict=True):
            if token <= splice.start:
                break
            if token < splice.stop:
                assert piece.made is not None, "every second piece is made"
                inside = self._new(self._frames[token]) - piece.made.first
                return piece.at + min(max(inside, 0), len(piece.wave))
            was = splice.old_stop - splice.stop
        return self._kept_edge(int(self._notes.edges[token + was]), token, pieces)

    def _kept_edge(self, old: int, token: int, pieces: list[_Piece]) -> int:
        """Of a token that was in the old clause at sample `old`: by the copied piece beside it."""
        passed = sum(splice.stop <= token for splice in self._patch.splices)
        piece = pieces[2 * passed]
        return piece.at + old - piece.old


def _unpaused(wave: Int16, pauses: Pauses) -> Int16:
    pieces, at, silences = [], 0, 0
    for cut, silence in sorted(pauses):
        pieces.append(wave[at : cut + silences])
        silences += silence
        at = cut + silences
    return np.concatenate([*pieces, wave[at:]])


def _played(sample: int, pauses: Pauses) -> int:
    return sample + sum(silence for cut, silence in pauses if cut < sample)
