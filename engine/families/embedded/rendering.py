"""From a clause's frames to what the decoder takes: scales and shifts of its norms."""

from __future__ import annotations

import numpy as np

from engine.families.embedded import cut, fold
from engine.families.embedded.clause import Float, Frames
from engine.families.embedded.clauses import ClauseState, Rendering, Way, ways
from engine.families.embedded.compute import OrtGraph
from engine.families.embedded.norms import STATISTICS
from engine.families.embedded.prepare import Prepared
from engine.families.embedded.statistics import Statistics


class Renderer:
    """Loads the norm statistics of all voices and the graphs that turn them into scales."""

    def __init__(self, prepared: Prepared) -> None:
        self.statistics = Statistics.load()
        self._low_affine = OrtGraph(prepared.low_rate_affine)
        self._affine = OrtGraph(prepared.generator_affine)

    def clause(self, frames: Frames) -> ClauseState:
        """Of which nothing is decoded yet."""
        return ClauseState(frames, [self._rendering(frames, way) for way in ways(frames.directed)])

    def _rendering(self, head: Frames, way: Way) -> Rendering:
        """The style's first half, which alone the decoder reads, is drawn towards the softer one;
        the statistics stay the voice's."""
        low, generator = self._statistics_of(head)
        style = head.style
        if way.soft:
            assert head.softer is not None, "a soft clause comes with its timbre"
            style = (1 - way.soft) * head.style + way.soft * head.softer
        low_affine, affine = (
            graph({cut.STYLE: style.astype(np.float32), STATISTICS: values})[fold.AFFINE]
            for graph, values in ((self._low_affine, low), (self._affine, generator))
        )
        return Rendering(way, head, low_affine, affine)

    def _statistics_of(self, head: Frames) -> tuple[Float, Float]:
        """(low-rate part's, generator's): as measured, else as predicted."""
        low, generator = self.statistics.predict(head.span.voice, head.pooled)
        if head.measured is None:
            return low, generator
        own = head.measured.generator
        return head.measured.low, generator if own is None else own
