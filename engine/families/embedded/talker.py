"""Talker: a plan to F0, energy and features, handed on as frames.

Prosody is recurrent in both directions over the clause, so it is one call a clause, and what comes
out is handed on as a whole.
"""

from __future__ import annotations

from collections import deque

from engine.families.embedded import cut
from engine.families.embedded.blend import blended
from engine.families.embedded.clause import Copied, Frames, Plan
from engine.families.embedded.compute import OrtGraph
from engine.families.embedded.measuring import Measure
from engine.families.embedded.prepare import Prepared
from engine.families.embedded.statistics import pool
from engine.families.embedded.tune import tuned
from engine.graph import Worker
from engine.types import Utterance


class TalkerState:
    """Plans not yet spoken."""

    def __init__(self) -> None:
        self.plans: deque[Plan | Copied] = deque()


class Talker:
    """StreamRunner[TalkerState, Plan, Frames]. What is copied goes through as it is."""

    def __init__(self, prepared: Prepared, worker: Worker) -> None:
        self._prosody = OrtGraph(prepared.prosody, worker.threads)
        self._measure = Measure(prepared, worker)

    def open(self, utterance: Utterance) -> TalkerState:
        return TalkerState()

    def push(self, state: TalkerState, item: Plan | Copied) -> None:
        state.plans.append(item)

    def end(self, state: TalkerState) -> None:
        pass

    def step(self, state: TalkerState) -> Frames | Copied | None:
        if not state.plans:
            return None
        item = state.plans.popleft()
        return item if isinstance(item, Copied) else self._speak(item)

    def close(self, state: TalkerState) -> None:
        state.plans.clear()

    def _speak(self, plan: Plan) -> Frames:
        made = self._prosody(
            {
                cut.TOKENS: plan.tokens,
                cut.STYLE: plan.style,
                cut.DURATIONS: plan.durations,
                **plan.hidden,
            }
        )
        features = made[cut.FEATURES][0]
        f0, energy = made[cut.F0][0], made[cut.ENERGY][0]
        # Of the voice's own curves: what levers make of them is outside what the norm statistics
        # were fitted on, and four semitones more would come out 4 dB too quiet.
        pooled = pool(features, f0, energy)
        measured = self._measure(plan.style, made)
        if plan.directed is not None:
            f0, energy = tuned(plan.directed, f0, energy)
        if plan.patch is not None:
            f0, energy = blended(plan.patch, plan.sheet, f0, energy)
            pooled = plan.patch.notes.pooled
        return Frames(
            span=plan.span,
            features=features,
            f0=f0,
            energy=energy,
            style=plan.style,
            pooled=pooled,
            sheet=plan.sheet,
            measured=measured,
            words=plan.words,
            directed=plan.directed,
            softer=plan.softer,
            patch=plan.patch,
        )
