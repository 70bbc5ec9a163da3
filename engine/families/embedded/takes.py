"""What code2wav has before it of a take: clauses to decode, to patch, and sound to copy.

Where a clause begins is known only when what is before it has been made, since a join may move by
some milliseconds; so all that comes with times in them is set right here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from engine.families.embedded.clause import FRAMES_PER_CODEC_FRAME, HOP, Copied, Patch
from engine.families.embedded.clauses import ClauseState
from engine.families.embedded.notes import pack
from engine.families.embedded.patching import Patching, Region, Step
from engine.types import ClauseScore, Int16, Pcm, Utterance, Word

_CODEC = FRAMES_PER_CODEC_FRAME * HOP


class CopyState:
    """Sound of the parent that is handed on in windows."""

    work = 0.0

    def __init__(self, copied: Copied) -> None:
        self.copied = copied
        self.at = copied.start

    @property
    def left(self) -> int:
        """Codec frames."""
        return _codec_frames(self.copied.stop - self.at)


class PatchState:
    """A clause that is made again in parts: step by step, each handed on in windows. start: where
    the clause begins in the take."""

    def __init__(self, clause: ClauseState, patch: Patch) -> None:
        self.clause, self.patch = clause, patch
        self.patching: Patching | None = None
        self.steps: Iterator[Step] = iter(())
        self.step: Step | None = None
        self.at = 0
        self.start = 0
        self.words: tuple[Word, ...] = ()

    @property
    def left(self) -> int:
        """Codec frames, about: of the step in hand, or of the clause before it is begun."""
        if self.patching is None:
            return self.clause.left
        return _codec_frames(len(self.step.samples) - self.at) if self.step else 0

    @property
    def work(self) -> float:
        """Sound about all of its splices is made when it begins, and between its steps."""
        return 0.0 if self.step and self.at else float(len(self.clause.renderings))

    def begin(self, start: int, told: tuple[Word, ...], parent: Int16, region: Region) -> None:
        """told: words that were handed on already."""
        clause = self.clause
        self.patching = Patching(self.patch, clause.sheet, clause.span, parent)
        self.steps = self.patching.steps(region)
        self.start, self.words = start, told
        self.advance()

    def advance(self) -> None:
        filled = (step for step in self.steps if len(step.samples))
        self.step, self.at = next(filled, None), 0

    def known(self) -> tuple[Word, ...]:
        """Words that got their times since this was last asked."""
        assert self.patching is not None, "it has begun"
        known = self.step.known if self.step else 0
        marks = self.clause.sheet.marks[len(self.words) :]
        words = self.clause.words[len(self.words) - self.patch.words :]
        found = tuple(
            replace(word, start=self._time(a), end=self._time(b))
            for word, (a, b) in zip(words, marks, strict=True)
            if b <= known
        )
        self.words += found
        return found

    def _time(self, token: int) -> int:
        assert self.patching is not None, "it has begun"
        edge = self.patching.edge(token)
        silence = sum(length for cut, length in self.patching.pauses if cut <= edge)
        return self.start + edge + silence

    def score(self, stop: int) -> ClauseScore:
        """Once all is made. stop: where the clause ends in the take."""
        assert self.patching is not None, "it has begun"
        tokens = range(len(self.clause.sheet.durations) + 1)
        edges = np.maximum.accumulate([self.patching.edge(token) for token in tokens])
        notes = self.clause.notes_of(edges.astype(np.int32), self.patching.pauses)
        chars = self.clause.sheet.chars
        return ClauseScore(chars, self.start, stop - self.start, self.words, pack(notes))


Unit: TypeAlias = ClauseState | PatchState | CopyState


class Code2WavState:
    """One take. position: samples handed on. units: those that are not handed on whole. head: words
    of the clause that is being handed on, in the take's time. resumes: sample of the parent at
    which what follows would be nothing but its sound.
    """

    def __init__(self, utterance: Utterance) -> None:
        self.utterance = utterance
        self.units: deque[Unit] = deque()
        self.position = 0
        self.start = 0
        self.head: tuple[Word, ...] = ()
        self.resumes = 0

    @property
    def parent(self) -> Int16:
        assert self.utterance.parent is not None, "only a parent's sound is copied or patched"
        return self.utterance.parent.samples

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
        if clause.over:
            self.units.popleft()
            length = self.position + len(samples) - self.start
            notes = pack(clause.notes())
            score = ClauseScore(clause.sheet.chars, self.start, length, self.head, notes)
        return self.pcm(samples, frames, words, score, changed)

    def copied(self, unit: CopyState, parent: Int16, frames: int) -> Pcm:
        copied = unit.copied
        shift = self.position - unit.at
        stop = min(copied.stop, unit.at + frames * _CODEC)
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
        return self.pcm(samples, _codec_frames(len(samples)), words, score, changed)

    def patched(self, unit: PatchState, parent: Int16, region: Region, frames: int) -> Pcm:
        """The next window of a clause that is made again in parts; costly where a step begins."""
        if unit.patching is None:
            told = self.head if unit.patch.words else ()
            unit.begin(self.position - unit.patch.copied, told, parent, region)
            self.resumes = unit.patch.at + unit.patch.samples
        step, at = unit.step, unit.at
        assert step is not None, "a clause that is over is no unit any more"
        words = unit.known() if at == 0 else ()
        stop = min(len(step.samples), at + frames * _CODEC)
        changed = _within(step.changed, at, stop, self.position)
        unit.at = stop
        end = self.position + stop - at
        if stop == len(step.samples):
            unit.advance()
        score = None if unit.step else unit.score(end)
        if score is not None:
            self.units.popleft()
        samples = step.samples[at:stop]
        return self.pcm(samples, _codec_frames(len(samples)), words, score, changed)


def shifted(words: tuple[Word, ...], by: int) -> tuple[Word, ...]:
    if not by:
        return words
    return tuple(replace(word, start=word.start + by, end=word.end + by) for word in words)


def _codec_frames(samples: int) -> int:
    return -(-samples // _CODEC)


def _within(span: tuple[int, int] | None, start: int, stop: int, at: int) -> list[tuple[int, int]]:
    """The part of a span that samples [start, stop) hold, of which the first is the take's `at`."""
    low, high = (max(span[0], start), min(span[1], stop)) if span else (0, 0)
    return [(at + low - start, at + high - start)] if low < high else []
