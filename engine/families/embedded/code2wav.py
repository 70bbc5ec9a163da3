"""Code2wav: frames to windows of sound, exact but for the norm statistics, which are predicted."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np

from engine.families.embedded import cut, fold, source, windows
from engine.families.embedded.clause import FRAMES_PER_CODEC_FRAME, HOP, Float, Frames, Span
from engine.families.embedded.compute import Array, OpenVinoGraph, OrtGraph
from engine.families.embedded.norms import STATISTICS
from engine.families.embedded.prepare import Prepared
from engine.families.embedded.statistics import Statistics, pool
from engine.families.embedded.voices import STYLE
from engine.families.embedded.windows import Window
from engine.graph import Worker
from engine.types import Epoch, Int16, Pcm, RequestId, Utterance

#: Above this level the waveform is bent towards 1 rather than clipped.
KNEE = 0.8


class ClauseState:
    """One clause: the frames that have arrived, the phase so far, the windows still to come."""

    def __init__(self, head: Frames, first: bool, low_affine: Float, affine: Float) -> None:
        self.span = head.span
        self.words = head.words
        self.low_affine, self.affine = low_affine, affine
        self.phase = source.PhaseSum()
        self.windows = deque(windows.plan(head.span, first))
        self.features = np.zeros((512, 0), np.float32)
        self.f0 = np.zeros(0, np.float32)
        self.energy = np.zeros(0, np.float32)
        self.extend(head)

    def extend(self, frames: Frames) -> None:
        self.features = np.concatenate([self.features, frames.features], axis=1)
        self.f0 = np.concatenate([self.f0, frames.f0])
        self.energy = np.concatenate([self.energy, frames.energy])
        self.phase.extend(frames.f0)

    @property
    def ready(self) -> bool:
        return self.features.shape[1] >= self.windows[0].low_rate_high


class Code2WavState:
    """The clauses of a take that have begun to arrive and still have windows to come."""

    def __init__(self, utterance: Utterance) -> None:
        self.utterance = utterance
        self.clauses: deque[ClauseState] = deque()
        self.begun = False


class Code2Wav:
    """VocoderRunner[Code2WavState, Frames].

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

    def push(self, state: Code2WavState, item: Frames) -> None:
        if item.at:
            state.clauses[-1].extend(item)
            return
        low, generator = self._statistics.predict(item.span.voice, item.pooled)
        affines = (
            graph({cut.STYLE: item.style, STATISTICS: values})[fold.AFFINE]
            for graph, values in ((self._low_affine, low), (self._affine, generator))
        )
        state.clauses.append(ClauseState(item, not state.begun, *affines))
        state.begun = True

    def end(self, state: Code2WavState) -> None:
        pass

    def shape(self, state: Code2WavState) -> tuple[int, ...] | None:
        if not state.clauses or not state.clauses[0].ready:
            return None
        return state.clauses[0].windows[0].shape

    def start(self, state: Code2WavState) -> int:
        clause = state.clauses[0]
        return clause.span.start + (clause.windows[0].start - clause.span.skip) * HOP

    def decode(self, states: Sequence[Code2WavState]) -> list[Pcm]:
        return [self._next(state) for state in states]

    def max_batch(self) -> int:
        return 1

    def close(self, state: Code2WavState) -> None:
        state.clauses.clear()

    def _next(self, state: Code2WavState) -> Pcm:
        start, clause = self.start(state), state.clauses[0]
        window = clause.windows.popleft()
        wave = self._decode(clause, window)
        words, clause.words = clause.words, ()
        if not clause.windows:
            state.clauses.popleft()
        return Pcm(
            request=state.utterance.request,
            epoch=state.utterance.epoch,
            start=start,
            samples=to_int16(wave),
            words=words,
            frames=-(-(window.stop - window.start) // FRAMES_PER_CODEC_FRAME),
        )

    def feeds(self, clause: ClauseState, window: Window) -> dict[str, Array]:
        """What the generator is given for a window."""
        return {
            cut.LOW: self._low_rate(clause, window),
            cut.SOURCE: source.decode(
                self._source, clause.f0, clause.phase, window.low, window.high
            ),
            fold.AFFINE: clause.affine,
        }

    def _decode(self, clause: ClauseState, window: Window) -> Float:
        wave = self._generator(self.feeds(clause, window)).ravel()
        first = HOP * (window.start - window.low)
        return wave[first : first + HOP * (window.stop - window.start)]

    def _low_rate(self, clause: ClauseState, window: Window) -> Float:
        at, to = window.low_rate_low, window.low_rate_high
        made = self._low(
            {
                cut.FEATURES: np.ascontiguousarray(clause.features[None, :, at:to]),
                cut.F0: clause.f0[None, 2 * at : 2 * to],
                cut.ENERGY: clause.energy[None, 2 * at : 2 * to],
                fold.AFFINE: clause.low_affine,
            }
        )
        first = 2 * (window.low - at)
        return np.ascontiguousarray(made[:, :, first : first + 2 * (window.high - window.low)])

    def _warm(self) -> None:
        """Decodes nothing once in every usual shape: each is compiled when it is first met."""
        voice = next(iter(self._statistics.voices))
        for window in windows.usual():
            total = max(window.high, window.low_rate_high)
            span = Span(voice, 0, 0, total)
            features, curve = np.zeros((512, total), np.float32), np.zeros(2 * total, np.float32)
            pooled, style = pool(features, curve, curve), np.zeros((1, STYLE), np.float32)
            head = Frames(span, 0, features, curve, curve, style, pooled)
            state = self.open(Utterance(RequestId(""), Epoch(0), "", voice))
            self.push(state, head)
            self._decode(state.clauses[0], window)


def to_int16(wave: Float) -> Int16:
    """float32 around [-1, 1] to int16; peaks over the knee are bent, so nothing wraps or clips."""
    size = np.abs(wave)
    over = np.maximum(size - KNEE, 0) / (1 - KNEE)
    bent = np.where(size > KNEE, KNEE + (1 - KNEE) * np.tanh(over), size)
    return np.round(np.copysign(bent, wave) * 32767).astype(np.int16)
