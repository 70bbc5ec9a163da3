"""Norm statistics of a clause too short to predict them for: measured on the clause decoded whole.

Most of what the norms of a word or two see is the silence around it, and what is predicted can be
far off: "Oh." was inaudible in four voices of 28, "Yes." 7 dB too soft in one. The low-rate part is
cheap to measure (40 ms) and sets most of the level; the generator costs half a second, and what it
makes meanwhile is the clause's sound.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.families.embedded import cut, source
from engine.families.embedded.clause import Float, Measured
from engine.families.embedded.compute import Array, OrtGraph
from engine.families.embedded.norms import STATISTICS
from engine.families.embedded.prepare import Prepared
from engine.graph import Worker

#: Acoustic frames, silence counted: of clauses up to `SHORT` (two seconds) the low-rate part is
#: measured, up to `TINY` (one and a half) the generator too. Past them what is predicted comes
#: within 2 dB and 4 dB of the clause's own level.
TINY, SHORT = 60, 80


class Measure:
    """The model's decoder, whole, telling its statistics and its sound."""

    def __init__(self, prepared: Prepared, worker: Worker) -> None:
        self._low = OrtGraph(prepared.low_rate_measured, worker.threads, lean=True)
        self._source = source.Mixer.load(prepared.source)
        # In OpenVINO it would take a third less time, and 400 MiB more: it keeps code by shape.
        self._generator = OrtGraph(prepared.generator_measured, worker.threads, lean=True)

    def __call__(self, style: Float, made: Mapping[str, Array]) -> Measured | None:
        """Of what the prosody graph made of a clause; None of one that is long enough.

        style: [1, 256].
        """
        f0 = made[cut.F0]
        frames = f0.shape[1] // 2
        if frames > SHORT:
            return None
        low = self._low({cut.STYLE: style, **made})
        if frames > TINY:
            return Measured(low[STATISTICS], None)
        phase = source.PhaseSum()
        phase.extend(f0[0])
        tone = source.decode(self._source, f0[0], phase, 0, frames)
        feeds = {cut.LOW: low[cut.LOW], cut.SOURCE: tone, cut.STYLE: style}
        made = self._generator(feeds)
        return Measured(low[STATISTICS], made[STATISTICS], made[cut.AUDIO].ravel())
