"""What code2wav has before it of a take: clauses to decode, to patch, and sound to copy.

Where a clause begins is known only when what is before it has been made, since a join may move by
some milliseconds; so all that comes with times in them is set right here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from engine.families.embedded import windows
from engine.families.embedded.clause import FRAMES_PER_CODEC_FRAME, HOP, Copied, Patch
from engine.families.embedded.clauses import ClauseState
from engine.families.embedded.notes import pack
from engine.families.embedded.patching import Patching, Region
from engine.types import ClauseScore, Int16, Pcm, Utterance, Word

_CODEC = FRAMES_PER_CODEC_FRAME * HOP


class CopyState:
    """Sound of the parent that is handed on in windows."""

    shape = (0,)

    def __init__(self, copied: Copied) -> None:
        self.copied = copied
        self.at = copied.start


class PatchState:
    """A clause whose frames are awaited; then the rest of its sound, handed on in windows."""

    def __init__(self, clause: ClauseState, patch: Patch) -> None:
        self.clause, self.patch = clause, patch
        self.samples: Int16 | None = None
        self.changed: tuple[tuple[int, int], ...] = ()
        self.words: tuple[Word, ...] = ()
        self.score: ClauseScore | None = None
        self.at = 0

    @property
    def shape(self) -> tuple[int, ...] | None:
        return (0,) if self.clause.arrived == self.clause.span.frames else None


Unit: TypeAlias = ClauseState | PatchState | CopyState


class Code2WavState:
    """One take. position: samples handed on. units: those that have begun to arrive and are not
    handed on whole. head: words of the clause that is being handed on, in the take's time. resumes:
    sample of the parent at which what follows would be nothing but its sound.
    """

    def __init__(self, utterance: Utterance) -> None:
        self.utterance = utterance
        self.units: deque[Unit] = deque()
        self.begun = False
        self.position = 0
        self.start = 0
        self.head: tuple[Word, ...] = ()
        self.resumes = 0

    def pcm(
        self,
        samples: Int16,
        frames: int,
        words: tuple[Word, ...] = (),
        score: ClauseScore | None = None,
        changed: Iterable[tuple[int, int]] = (),
    ) -> Pcm:
        """The next window; changed: in the take's samples."""
        start = self.position
        self.position += len(samples)
        return Pcm(
            request=self.utterance.request,
            epoch=self.utterance.epoch,
            start=start,
            samples=samples,
            words=words,
            frames=frames,
            scores=() if score is None else (score,),
            changed=tuple(changed),
        )

    def decoded(self, clause: ClauseState, samples: Int16, frames: int) -> Pcm:
        """A window of a clause that is decoded, perhaps its last."""
        words, clause.words = clause.words, ()
        if words:
            self.start = self.position
            words = self.head = shifted(words, self.start - clause.span.start)
        changed = [(self.position, self.position + len(samples))] if self.utterance.parent else []
        score = None
        self.resumes = -1
        if not clause.windows:
            self.units.popleft()
            length = self.position + len(samples) - self.start
            notes = pack(clause.notes())
            score = ClauseScore(clause.sheet.chars, self.start, length, self.head, notes)
        return self.pcm(samples, frames, words, score, changed)

    def copied(self, unit: CopyState, parent: Int16) -> Pcm:
        copied = unit.copied
        shift = self.position - unit.at
        stop = min(copied.stop, unit.at + self._window())
        begins = unit.at == copied.start
        words = shifted(copied.words, shift) if begins else ()
        cut = begins and copied.start != self.resumes
        self.resumes = stop
        if words:
            self.head, self.start = words, self.position
        samples, unit.at = parent[unit.at : stop], stop
        score = None
        if stop == copied.stop:
            self.units.popleft()
            score = copied.score and replace(
                copied.score,
                start=copied.score.start + shift,
                words=shifted(copied.score.words, shift),
            )
        # Where a clause was taken out nothing is new, yet the parent's sound is in two pieces.
        changed = [(self.position, self.position)] if cut else []
        return self.pcm(samples, -(-len(samples) // _CODEC), words, score, changed)

    def patched(self, unit: PatchState, region: Region) -> Pcm:
        """The next window of a clause that is made again in parts, of which the first call is the
        costly one."""
        if unit.samples is None:
            self._patch(unit, region)
        assert unit.samples is not None, "it was just made"
        at, stop = unit.at, min(len(unit.samples), unit.at + self._window())
        changed = [
            (self.position + max(a, at) - at, self.position + min(b, stop) - at)
            for a, b in unit.changed
            if a < stop and at < b
        ]
        words, unit.words = unit.words, ()
        score = None
        if stop == len(unit.samples):
            self.units.popleft()
            score = unit.score
        unit.at = stop
        samples = unit.samples[at:stop]
        return self.pcm(samples, -(-len(samples) // _CODEC), words, score, changed)

    def _patch(self, unit: PatchState, region: Region) -> None:
        clause, patch = unit.clause, unit.patch
        assert self.utterance.parent is not None, "only a parent's clauses are patched"
        start = self.position - patch.copied
        patching = Patching(patch, clause.sheet, clause.span, self.utterance.parent.samples)
        made = patching.patched(region)
        notes = clause.notes_of(np.array(made.edges, np.int32), made.pauses)
        marks = clause.sheet.marks[patch.words :]
        times = [
            (start + notes.played(made.edges[a]), start + notes.played(made.edges[b]))
            for a, b in marks
        ]
        unit.samples, unit.words = (
            made.samples,
            tuple(
                replace(word, start=begin, end=end)
                for word, (begin, end) in zip(clause.words, times, strict=True)
            ),
        )
        unit.changed = made.changed
        self.resumes = patch.at + patch.samples
        head = self.head if patch.words else ()
        unit.score = ClauseScore(
            clause.sheet.chars,
            start,
            patch.copied + len(made.samples),
            head + unit.words,
            pack(notes),
        )

    def _window(self) -> int:
        """Samples."""
        return _CODEC * (windows.LATER if self.position else windows.FIRST)


def shifted(words: tuple[Word, ...], by: int) -> tuple[Word, ...]:
    if not by:
        return words
    return tuple(replace(word, start=word.start + by, end=word.end + by) for word in words)
