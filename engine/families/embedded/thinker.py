"""Thinker: text to phonemes, word marks and durations, one plan a clause."""

from __future__ import annotations

from collections import deque
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.families.embedded import assets, cut, voices
from engine.families.embedded.clause import HOP, Float, Plan, Span
from engine.families.embedded.compute import OrtGraph
from engine.families.embedded.phonemes import Phonemiser, Reading
from engine.families.embedded.prepare import Prepared
from engine.graph import Worker
from engine.text.split import Segment, Splitter
from engine.types import Notice, Utterance, Word

#: Acoustic frames kept before the first phoneme; the silence before them is not played.
LEAD = 3


@cache
def phonemiser(british: bool) -> Phonemiser:
    """Shared by all thinkers of a process; loading one costs half a second."""
    return Phonemiser(british)


class ThinkerState:
    """How far a take has been thought: text in, plans out, words and samples so far."""

    def __init__(self, utterance: Utterance) -> None:
        self.utterance = utterance
        self.splitter = Splitter()
        self.segments: deque[Segment] = deque()
        self.readings: deque[tuple[int, Reading]] = deque()
        self.words = 0
        self.samples = 0


class Thinker:
    """StreamRunner[ThinkerState, str, Plan]."""

    def __init__(self, prepared: Prepared, worker: Worker) -> None:
        self._vocabulary = assets.vocabulary()
        self._voices = voices.Voices(prepared.voices)
        self._durations = OrtGraph(prepared.durations, worker.threads)
        for british in (False, True):
            phonemiser(british).read_all("Ready.")

    def open(self, utterance: Utterance) -> ThinkerState:
        return ThinkerState(utterance)

    def push(self, state: ThinkerState, item: str) -> None:
        state.segments.extend(state.splitter.push(item))

    def end(self, state: ThinkerState) -> None:
        state.segments.extend(state.splitter.end())

    def step(self, state: ThinkerState) -> Plan | Notice | None:
        while True:
            if state.readings:
                return self._plan(state, *state.readings.popleft())
            if not state.segments:
                return None
            notice = self._read(state, state.segments.popleft())
            if notice is not None:
                return notice

    def close(self, state: ThinkerState) -> None:
        state.segments.clear()
        state.readings.clear()

    def _read(self, state: ThinkerState, segment: Segment) -> Notice | None:
        """Reads a segment into `state.readings`; tells of words that the voice can't read."""
        british = voices.is_british(state.utterance.voice)
        readings = phonemiser(british).read_all(segment.text)
        state.readings.extend((segment.start, r) for r in readings if r.phonemes)
        unread = [word for reading in readings for word in reading.unread]
        if not unread:
            return None
        named = ", ".join(dict.fromkeys(unread))
        message = f"{state.utterance.voice} can't read: {named}"
        return Notice(state.utterance.request, state.utterance.epoch, "unreadable", message)

    def _plan(self, state: ThinkerState, offset: int, reading: Reading) -> Plan:
        tokens = np.array([0, *(self._vocabulary[p] for p in reading.phonemes), 0], np.int64)[None]
        style = self._voices.style(state.utterance.voice, tokens.size - 2)
        made = self._durations(
            {cut.TOKENS: tokens, cut.STYLE: style, cut.SPEED: np.ones(1, np.float32)}
        )
        raw, whole = made.pop(cut.RAW_DURATIONS), made.pop(cut.DURATIONS)
        rate = state.utterance.performance.rate
        durations = whole if rate == 1 else paced(raw, rate)
        span = _span(state, durations[0])
        words = _words(state, offset, reading, durations[0], span)
        state.words += len(words)
        state.samples += span.samples
        return Plan(span, tokens, style, durations, made, words)


def paced(raw: Float, rate: float) -> Float:
    """Durations [1, n] in whole frames for pace `rate`: what rounding takes from one token is given
    to the next, so small changes of pace count. No token is shorter than a frame."""
    exact = np.cumsum(raw[0].astype(np.float64) / rate)
    edges = np.round(exact)
    return np.maximum(np.diff(edges, prepend=0.0), 1.0).astype(np.float32)[None]


def _span(state: ThinkerState, durations: NDArray[np.float32]) -> Span:
    skip = max(0, int(durations[0]) - LEAD)
    return Span(state.utterance.voice, state.samples, skip, int(durations.sum()))


def _words(
    state: ThinkerState, offset: int, reading: Reading, durations: Float, span: Span
) -> tuple[Word, ...]:
    """The reading's words in samples of the take and characters of its whole text."""
    edges = np.concatenate([[0], np.cumsum(durations)]).astype(np.int64) - span.skip
    return tuple(
        Word(
            index=state.words + i,
            text=word.text,
            start=span.start + HOP * int(edges[word.phonemes[0] + 1]),
            end=span.start + HOP * int(edges[word.phonemes[1] + 1]),
            span=(offset + word.span[0], offset + word.span[1]),
        )
        for i, word in enumerate(reading.words)
    )
