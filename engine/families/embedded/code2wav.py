"""Code2wav: frames to windows of sound, exact but for the norm statistics, which are predicted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import assert_never

import numpy as np

from engine.costs import WindowCosts
from engine.families.embedded import costs, windows
from engine.families.embedded.clause import (
    FRAMES_PER_CODEC_FRAME,
    HOP,
    Copied,
    Float,
    Frames,
    Sheet,
    Span,
)
from engine.families.embedded.clauses import ClauseState
from engine.families.embedded.decoder import Decoder
from engine.families.embedded.finish import Finish, gaps, parted, paused, to_int16
from engine.families.embedded.prepare import Prepared
from engine.families.embedded.rendering import Renderer
from engine.families.embedded.statistics import pool
from engine.families.embedded.takes import Code2WavState, CopyState, PatchState
from engine.families.embedded.voices import STYLE
from engine.graph import Worker
from engine.runners import Ready
from engine.types import Int16, Pcm, Utterance


class Code2Wav:
    """VocoderRunner[Code2WavState, Frames | Copied].

    One window a call: on a CPU a batch of windows is no faster than one after the other, and each
    has all cores that the worker has.
    """

    def __init__(self, prepared: Prepared, worker: Worker) -> None:
        self._renderer = Renderer(prepared)
        self._decoder = Decoder(prepared, worker.threads, worker.copies, prepared.compiled)
        self._decoder.compile()
        self._costs = costs.known(prepared, worker.threads, self._trial)
        self.exact = costs.exact(prepared, worker.threads, self._is_exact)

    def sizes(self) -> tuple[int, ...]:
        return windows.SIZES

    def costs(self) -> WindowCosts:
        return self._costs

    def open(self, utterance: Utterance) -> Code2WavState:
        return Code2WavState(utterance)

    def push(self, state: Code2WavState, item: Frames | Copied) -> None:
        if isinstance(item, Copied):
            state.units.append(CopyState(item))
        else:
            clause = self._renderer.clause(item)
            state.units.append(PatchState(clause, item.patch) if item.patch else clause)

    def end(self, state: Code2WavState) -> None:
        pass

    def ready(self, state: Code2WavState) -> Ready | None:
        if not state.units:
            return None
        unit = state.units[0]
        return Ready(state.position, unit.left, more=False, shape=(), work=unit.work)

    def decode(self, states: Sequence[Code2WavState], frames: int) -> list[Pcm]:
        return [self._next(state, frames) for state in states]

    def max_batch(self) -> int:
        return 1

    def close(self, state: Code2WavState) -> None:
        state.units.clear()

    def wave(self, clause: ClauseState, start: int, stop: int) -> Float:
        """Samples of acoustic frames [start, stop), mixed of what the levers ask for; not finished.
        The same samples in whatever pieces they are asked for."""
        if clause.wave is not None:
            return clause.wave[HOP * start : HOP * stop]
        if clause.directed is None:
            return self._decoder.wave(clause.renderings[0], start, stop)
        count = HOP * (stop - start)
        mixed = np.zeros(count)
        for rendering, share in clause.shares(start, count):
            mixed += share * self._decoder.wave(rendering, start, stop)
        return mixed.astype(np.float32)

    def _next(self, state: Code2WavState, frames: int) -> Pcm:
        unit = state.units[0]
        match unit:
            case ClauseState():
                return self._window(state, unit, frames)
            case PatchState(clause=clause):
                return state.patched(unit, state.parent, partial(self._region, clause), frames)
            case CopyState():
                return state.copied(unit, state.parent, frames)
            case _:
                assert_never(unit)

    def _window(self, state: Code2WavState, clause: ClauseState, frames: int) -> Pcm:
        start, stop = clause.at, windows.stop_of(clause.span, clause.at, frames)
        wave = self.wave(clause, start, stop)
        if clause.finish is not None:
            wave = clause.finish(wave, start)
        places = gaps(clause.span.pauses, start, stop)
        wave, cuts = parted(wave, places)
        pauses = [(cut, gap.silence) for cut, gap in zip(cuts, places, strict=True)]
        first = HOP * (start - clause.span.skip)
        clause.pauses += [(first + cut, silence) for cut, silence in pauses]
        clause.at = stop
        made = -(-(stop - start) // FRAMES_PER_CODEC_FRAME)
        return state.decoded(clause, paused(to_int16(wave), pauses), made)

    def _region(self, clause: ClauseState, low: int, high: int) -> Int16:
        """Frames [low, high) of a clause that is made again in parts."""
        wave = self.wave(clause, low, high)
        if clause.directed is not None:
            wave = Finish(clause.directed)(wave, low)
        return to_int16(wave)

    def _trial(self, frames: int) -> None:
        """Decodes a first window of silence."""
        count = frames * FRAMES_PER_CODEC_FRAME
        clause = self._nonsense(count, loud=0.0)
        self.wave(clause, clause.span.skip, clause.span.skip + count)

    def _is_exact(self) -> bool:
        """Whether noise in windows of all sizes is, bit for bit, noise in one: in which order sums
        are made is up to the processor and the kernels that there are for it."""
        steps = [size * FRAMES_PER_CODEC_FRAME for size in (*windows.SIZES[:-1], 1)]
        once, often = (self._nonsense(sum(steps), loud=1.0) for _ in range(2))
        edges = np.cumsum([once.span.skip, *steps]).tolist()
        whole = self.wave(once, edges[0], edges[-1])
        pieces = [self.wave(often, a, b) for a, b in pairwise(edges)]
        return np.array_equal(whole, np.concatenate(pieces))

    def _nonsense(self, frames: int, loud: float) -> ClauseState:
        """A clause that goes on after acoustic frames [skip, skip + frames)."""
        noise = np.random.default_rng(0)
        voice = next(iter(self._renderer.statistics.voices))
        skip = windows.LOW_CONTEXT
        total = skip + frames + 2 * windows.LOW_LENGTHS[-1]
        sheet = Sheet((0, 0), "", 1, np.full(1, total, np.float32), ())
        features = loud * noise.standard_normal((512, total), np.float32)
        f0, energy = loud * noise.standard_normal((2, 2 * total), np.float32)
        f0 += 150 * loud
        pooled, style = pool(features, f0, energy), np.zeros((1, STYLE), np.float32)
        span = Span(voice, 0, skip, total)
        head = Frames(span, features, f0, energy, style, pooled, sheet)
        return self._renderer.clause(head)
