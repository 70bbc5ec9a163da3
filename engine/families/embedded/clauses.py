"""What code2wav keeps of a clause while it is decoded: its frames and its renderings.

A rendering is one way in which the decoder says the clause: in a timbre, with its voice or without.
A neutral clause has one; softness adds a timbre, and breath the same without voice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.families.embedded import levers, source, windows
from engine.families.embedded.clause import FRAMES_PER_CODEC_FRAME, HOP, Float, Frames
from engine.families.embedded.decoder import CHANNELS, MIDDLE_RATE, Strip
from engine.families.embedded.finish import Finish, moments
from engine.families.embedded.levers import Directed
from engine.families.embedded.notes import Notes
from engine.types import Levers


@dataclass(frozen=True, slots=True)
class Way:
    """soft: share of the softer timbre. voiced: whether F0 is as it is, or 0."""

    soft: float = 0.0
    voiced: bool = True


def ways(how: Directed | None) -> list[Way]:
    """All that some stretch of the clause needs."""
    if how is None:
        return [Way()]
    found = {Way(stretch.levers.soft) for stretch in how.stretches}
    if any(breath(stretch.levers) for stretch in how.stretches):
        found |= {Way(way.soft, voiced=False) for way in found}
    return sorted(found, key=lambda way: (way.soft, not way.voiced))


def breath(said: Levers) -> float:
    """Of a whisper there is nothing more to take."""
    return 0.0 if said.whisper else said.breath


def _has_timbre(soft: float, said: Levers) -> float:
    return float(said.soft == soft)


class Rendering:
    """Told, of a clause's frames: see `decoder`. low_affine, affine: scales and shifts of the
    decoder's norms."""

    def __init__(self, way: Way, clause: Frames, low_affine: Float, affine: Float) -> None:
        self.way = way
        self.low_affine, self.affine = low_affine, affine
        self.features, self.energy = clause.features, clause.energy
        self.f0 = clause.f0 if way.voiced else np.zeros_like(clause.f0)
        self.phase = source.PhaseSum()
        self.phase.extend(self.f0)
        self.frames = clause.span.frames
        self.low = Strip(CHANNELS, MIDDLE_RATE)
        self.middle = Strip(CHANNELS, MIDDLE_RATE)
        self.tone = Strip(source.CHANNELS, source.PER_FRAME, ends=True)


class ClauseState:
    """One clause: its renderings, how far it is handed on, and before which samples (pauses not
    counted) silence was put, and of how many.

    wave: its sound where that is there already. at: acoustic frame that the next window begins at.
    """

    def __init__(self, frames: Frames, renderings: list[Rendering]) -> None:
        self.span = frames.span
        self.sheet = frames.sheet
        self.words = frames.words
        self.pooled = frames.pooled
        self.directed = frames.directed
        self.finish = None if frames.directed is None else Finish(frames.directed)
        self.renderings = renderings
        plain = frames.directed is None and frames.patch is None
        self.wave = frames.measured.wave if plain and frames.measured else None
        self.energy = frames.energy
        self.pauses: list[tuple[int, int]] = []
        self.at = self.span.skip

    @property
    def over(self) -> bool:
        return self.at == self.span.frames

    @property
    def left(self) -> int:
        """Codec frames that are not handed on."""
        return -(-(self.span.frames - self.at) // FRAMES_PER_CODEC_FRAME)

    @property
    def work(self) -> float:
        """Of its next window: renderings that are heard in it."""
        if self.wave is not None:
            return 0.0
        if self.directed is None:
            return 1.0
        stop = windows.stop_of(self.span, self.at, windows.SIZES[-1])
        return float(len(list(self.shares(self.at, HOP * (stop - self.at)))))

    def notes(self) -> Notes:
        """Once all is decoded."""
        edges = (np.array(self.sheet.edges()) - self.span.skip) * HOP
        return self.notes_of(edges.astype(np.int32), self.pauses)

    def notes_of(self, edges: NDArray[np.int32], pauses: Sequence[tuple[int, int]]) -> Notes:
        return Notes(
            phonemes=self.sheet.phonemes,
            row=self.sheet.row,
            skip=self.span.skip,
            durations=self.sheet.durations.astype(np.int32),
            edges=edges,
            f0=self.renderings[0].f0,
            energy=self.energy,
            pooled=self.pooled,
            pauses=np.array(pauses, np.int32).reshape(-1, 2),
        )

    def shares(self, start: int, count: int) -> Iterator[tuple[Rendering, NDArray[np.float64]]]:
        """The renderings that are heard in `count` samples from frame `start` on, and how much of
        each."""
        assert self.directed is not None, "a neutral clause has one rendering, which is all of it"
        at = moments(start, count)
        airy = levers.track(self.directed, breath, at)
        for rendering in self.renderings:
            way = rendering.way
            of_timbre = levers.track(self.directed, partial(_has_timbre, way.soft), at)
            share = of_timbre * (1 - airy if way.voiced else airy)
            if share.any():
                yield rendering, share
