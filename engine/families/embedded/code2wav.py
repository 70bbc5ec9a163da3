"""Code2wav: frames to windows of sound, exact but for the norm statistics, which are predicted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import assert_never

import numpy as np

from engine.families.embedded import cut, fold, source, windows
from engine.families.embedded.clause import (
    FRAMES_PER_CODEC_FRAME,
    HOP,
    Copied,
    Float,
    Frames,
    Sheet,
    Span,
)
from engine.families.embedded.clauses import ClauseState, Rendering, Way, ways
from engine.families.embedded.compute import Array, OpenVinoGraph, OrtGraph
from engine.families.embedded.finish import Finish, gaps, parted, paused, to_int16
from engine.families.embedded.norms import STATISTICS
from engine.families.embedded.prepare import Prepared
from engine.families.embedded.statistics import Statistics, pool
from engine.families.embedded.takes import Code2WavState, CopyState, PatchState, Unit
from engine.families.embedded.voices import STYLE
from engine.families.embedded.windows import Window
from engine.graph import Worker
from engine.types import Epoch, Int16, Pcm, RequestId, Utterance


class Code2Wav:
    """VocoderRunner[Code2WavState, Frames | Copied].

    One window a call: a window's samples must not depend on what shares its call, and on a CPU a
    batch of windows is no faster than one after the other.
    """

    def __init__(self, prepared: Prepared, worker: Worker, warm: bool = True) -> None:
        self._statistics = Statistics.load()
        self._low_affine = OrtGraph(prepared.low_rate_affine)
        self._affine = OrtGraph(prepared.generator_affine)
        self._source = source.Mixer.load(prepared.source)
        self._low = OpenVinoGraph(prepared.low_rate, prepared.precision, worker.threads)
        self._generator = OpenVinoGraph(prepared.generator, prepared.precision, worker.threads)
        if warm:
            self._warm()

    def open(self, utterance: Utterance) -> Code2WavState:
        return Code2WavState(utterance)

    def push(self, state: Code2WavState, item: Frames | Copied) -> None:
        if isinstance(item, Copied):
            state.units.append(CopyState(item))
            state.begun = True
        elif item.at:
            _clause_of(state.units[-1]).extend(item)
        else:
            renderings = [self._rendering(item, way) for way in ways(item.directed)]
            plan = [] if item.patch else windows.plan(item.span, not state.begun)
            clause = ClauseState(item, renderings, plan)
            state.units.append(PatchState(clause, item.patch) if item.patch else clause)
            state.begun = True

    def end(self, state: Code2WavState) -> None:
        pass

    def shape(self, state: Code2WavState) -> tuple[int, ...] | None:
        return state.units[0].shape if state.units else None

    def start(self, state: Code2WavState) -> int:
        return state.position

    def decode(self, states: Sequence[Code2WavState]) -> list[Pcm]:
        return [self._next(state) for state in states]

    def max_batch(self) -> int:
        return 1

    def close(self, state: Code2WavState) -> None:
        state.units.clear()

    def _next(self, state: Code2WavState) -> Pcm:
        unit = state.units[0]
        match unit:
            case ClauseState():
                return self._window(state, unit)
            case PatchState(clause=clause):
                return state.patched(unit, state.parent, partial(self._region, clause))
            case CopyState():
                return state.copied(unit, state.parent)
            case _:
                assert_never(unit)

    def _window(self, state: Code2WavState, clause: ClauseState) -> Pcm:
        window = clause.windows.popleft()
        wave = self._decode(clause, window)
        if clause.finish is not None:
            wave = clause.finish(wave, window.start)
        places = gaps(clause.span.pauses, window.start, window.stop)
        wave, cuts = parted(wave, places)
        pauses = [(cut, gap.silence) for cut, gap in zip(cuts, places, strict=True)]
        first = HOP * (window.start - clause.span.skip)
        clause.pauses += [(first + cut, silence) for cut, silence in pauses]
        frames = -(-(window.stop - window.start) // FRAMES_PER_CODEC_FRAME)
        return state.decoded(clause, paused(to_int16(wave), pauses), frames)

    def _region(self, clause: ClauseState, low: int, high: int) -> Int16:
        """Frames [low, high) of a clause that has arrived whole."""
        tiles = windows.covering(low, high, clause.span.frames)
        wave = np.concatenate([self._decode(clause, window) for window in tiles])
        if clause.directed is not None:
            wave = Finish(clause.directed)(wave, low)
        return to_int16(wave)

    def _decode(self, clause: ClauseState, window: Window) -> Float:
        """The window's samples, mixed of what the levers ask for."""
        if clause.directed is None:
            return self._render(clause, clause.renderings[0], window)
        count = HOP * (window.stop - window.start)
        mixed = np.zeros(count)
        for rendering, share in clause.shares(window, count):
            mixed += share * self._render(clause, rendering, window)
        return mixed.astype(np.float32)

    def _render(self, clause: ClauseState, rendering: Rendering, window: Window) -> Float:
        wave = self._generator(self.feeds(clause, rendering, window)).ravel()
        first = HOP * (window.start - window.low)
        return wave[first : first + HOP * (window.stop - window.start)]

    def feeds(self, clause: ClauseState, rendering: Rendering, window: Window) -> dict[str, Array]:
        """What the generator is given for a window."""
        return {
            cut.LOW: self._low_rate(clause, rendering, window),
            cut.SOURCE: source.decode(
                self._source, rendering.f0, rendering.phase, window.low, window.high
            ),
            fold.AFFINE: rendering.affine,
        }

    def _low_rate(self, clause: ClauseState, rendering: Rendering, window: Window) -> Float:
        at, to = window.low_rate_low, window.low_rate_high
        made = self._low(
            {
                cut.FEATURES: np.ascontiguousarray(clause.features[None, :, at:to]),
                cut.F0: rendering.f0[None, 2 * at : 2 * to],
                cut.ENERGY: clause.energy[None, 2 * at : 2 * to],
                fold.AFFINE: rendering.low_affine,
            }
        )
        first = 2 * (window.low - at)
        return np.ascontiguousarray(made[:, :, first : first + 2 * (window.high - window.low)])

    def _rendering(self, head: Frames, way: Way) -> Rendering:
        """The style's first half, which alone the decoder reads, is drawn towards the softer one;
        the statistics stay the voice's."""
        low, generator = self._statistics_of(head)
        style = head.style
        if way.soft:
            assert head.softer is not None, "a soft clause comes with its timbre"
            style = (1 - way.soft) * head.style + way.soft * head.softer
        affines = (
            graph({cut.STYLE: style.astype(np.float32), STATISTICS: values})[fold.AFFINE]
            for graph, values in ((self._low_affine, low), (self._affine, generator))
        )
        return Rendering(way, *affines)

    def _statistics_of(self, head: Frames) -> tuple[Float, Float]:
        """(low-rate part's, generator's): as measured, else as predicted."""
        low, generator = self._statistics.predict(head.span.voice, head.pooled)
        if head.measured is None:
            return low, generator
        own = head.measured.generator
        return head.measured.low, generator if own is None else own

    def _warm(self) -> None:
        """Decodes nothing once in every usual shape: each is compiled when it is first met."""
        voice = next(iter(self._statistics.voices))
        for window in windows.usual():
            total = max(window.high, window.low_rate_high)
            sheet = Sheet((0, 0), "", 1, np.full(1, total, np.float32), ())
            span = Span(voice, 0, 0, total)
            features, curve = np.zeros((512, total), np.float32), np.zeros(2 * total, np.float32)
            pooled, style = pool(features, curve, curve), np.zeros((1, STYLE), np.float32)
            head = Frames(span, 0, features, curve, curve, style, pooled, sheet)
            state = self.open(Utterance(RequestId(""), Epoch(0), "", voice))
            self.push(state, head)
            self._decode(_clause_of(state.units[0]), window)


def _clause_of(unit: Unit) -> ClauseState:
    """That which frames are of."""
    assert not isinstance(unit, CopyState), "what is copied has no frames"
    return unit.clause if isinstance(unit, PatchState) else unit
