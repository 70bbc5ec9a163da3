"""What code2wav keeps of a clause while it is decoded: frames, renderings, and windows to come.

A rendering is one way in which the decoder says the clause: in a timbre, with its voice or without.
A neutral clause has one; softness adds a timbre, and breath the same without voice.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.families.embedded import levers, source
from engine.families.embedded.clause import HOP, Float, Frames
from engine.families.embedded.finish import Finish, moments
from engine.families.embedded.levers import Directed
from engine.families.embedded.notes import Notes
from engine.families.embedded.windows import Window
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
    """low_affine, affine: scales and shifts of the decoder's norms. F0 and phase as they arrive."""

    def __init__(self, way: Way, low_affine: Float, affine: Float) -> None:
        self.way = way
        self.low_affine, self.affine = low_affine, affine
        self.f0 = np.zeros(0, np.float32)
        self.phase = source.PhaseSum()

    def extend(self, f0: Float) -> None:
        heard = f0 if self.way.voiced else np.zeros_like(f0)
        self.f0 = np.concatenate([self.f0, heard])
        self.phase.extend(heard)


class ClauseState:
    """One clause: the frames that have arrived, its renderings, the windows still to come, and
    before which samples (pauses not counted) silence was put, and of how many."""

    def __init__(self, head: Frames, renderings: list[Rendering], plan: list[Window]) -> None:
        self.span = head.span
        self.sheet = head.sheet
        self.words = head.words
        self.pooled = head.pooled
        self.directed = head.directed
        self.finish = None if head.directed is None else Finish(head.directed)
        self.renderings = renderings
        self.windows = deque(plan)
        self.pauses: list[tuple[int, int]] = []
        self.features = np.zeros((512, 0), np.float32)
        self.energy = np.zeros(0, np.float32)
        self.extend(head)

    def extend(self, frames: Frames) -> None:
        self.features = np.concatenate([self.features, frames.features], axis=1)
        self.energy = np.concatenate([self.energy, frames.energy])
        for rendering in self.renderings:
            rendering.extend(frames.f0)

    @property
    def arrived(self) -> int:
        """Frames."""
        return int(self.features.shape[1])

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Of the next window; None until all that it needs has arrived."""
        return self.windows[0].shape if self.arrived >= self.windows[0].low_rate_high else None

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

    def shares(self, window: Window, count: int) -> Iterator[tuple[Rendering, NDArray[np.float64]]]:
        """The renderings that are heard in a window of `count` samples, and how much of each."""
        assert self.directed is not None, "a neutral clause has one rendering, which is all of it"
        at = moments(window.start, count)
        airy = levers.track(self.directed, breath, at)
        for rendering in self.renderings:
            way = rendering.way
            of_timbre = levers.track(self.directed, partial(_has_timbre, way.soft), at)
            share = of_timbre * (1 - airy if way.voiced else airy)
            if share.any():
                yield rendering, share
