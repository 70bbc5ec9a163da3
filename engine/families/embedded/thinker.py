"""Thinker: text to phonemes, word marks and durations, one plan a clause."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.families.embedded import assets, cut, levers, voices
from engine.families.embedded.clause import SAMPLE_RATE, Float, Plan, Silence, Span
from engine.families.embedded.compute import OrtGraph
from engine.families.embedded.phonemes import Phonemiser, Reading
from engine.families.embedded.prepare import Prepared
from engine.graph import Worker
from engine.text.split import Segment, Splitter
from engine.types import Notice, Pause, Utterance, Word

#: Acoustic frames kept before the first phoneme; the silence before them is not played.
LEAD = 3
#: Longest pause before a word, in seconds.
LONGEST_PAUSE = 10.0
#: Whose timbre a softer voice is drawn towards.
SOFTER = "af_nicole"

Lengths = NDArray[np.float64]


@cache
def phonemiser(british: bool) -> Phonemiser:
    """Shared by all thinkers of a process; loading one costs half a second."""
    return Phonemiser(british)


@dataclass(frozen=True, slots=True)
class Clause:
    """A reading to be planned. offset: of what was read in the take's text. closes: a sentence ends
    with it."""

    offset: int
    reading: Reading
    closes: bool


class ThinkerState:
    """How far a take has been thought: text in, plans out, words and samples so far."""

    def __init__(self, utterance: Utterance) -> None:
        self.utterance = utterance
        self.splitter = Splitter()
        self.segments: deque[tuple[Segment, bool]] = deque()
        self.clauses: deque[Clause] = deque()
        self.pauses = deque(sorted(utterance.performance.pauses, key=lambda pause: pause.at))
        self.words = 0
        self.samples = 0

    def pause_before(self, at: int) -> int:
        """Samples of silence before the word that begins at character `at`; each pause is had
        once."""
        due: list[Pause] = []
        while self.pauses and self.pauses[0].at <= at:
            due.append(self.pauses.popleft())
        seconds = sum(max(0.0, pause.seconds) for pause in due)
        return round(SAMPLE_RATE * min(seconds, LONGEST_PAUSE))


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
        state.segments.extend((segment, False) for segment in state.splitter.push(item))

    def end(self, state: ThinkerState) -> None:
        segments = state.splitter.end()
        last = len(segments) - 1
        state.segments.extend((segment, at == last) for at, segment in enumerate(segments))

    def step(self, state: ThinkerState) -> Plan | Notice | None:
        while True:
            if state.clauses:
                return self._plan(state, state.clauses.popleft())
            if not state.segments:
                return None
            notice = self._read(state, *state.segments.popleft())
            if notice is not None:
                return notice

    def close(self, state: ThinkerState) -> None:
        state.segments.clear()
        state.clauses.clear()

    def _read(self, state: ThinkerState, segment: Segment, last: bool) -> Notice | None:
        """Reads a segment into `state.clauses`; tells of words that the voice can't read."""
        british = voices.is_british(state.utterance.voice)
        readings = phonemiser(british).read_all(segment.text)
        closes = last or _closes(segment.text)
        spoken = [reading for reading in readings if reading.phonemes]
        for at, reading in enumerate(spoken):
            ends = closes and at == len(spoken) - 1
            state.clauses.append(Clause(segment.start, reading, ends))
        unread = [word for reading in readings for word in reading.unread]
        if not unread:
            return None
        named = ", ".join(dict.fromkeys(unread))
        message = f"{state.utterance.voice} can't read: {named}"
        return Notice(state.utterance.request, state.utterance.epoch, "unreadable", message)

    def _plan(self, state: ThinkerState, clause: Clause) -> Plan:
        voice, phonemes = state.utterance.voice, clause.reading.phonemes
        tokens = np.array([0, *(self._vocabulary[p] for p in phonemes), 0], np.int64)[None]
        style = self._voices.style(voice, len(phonemes))
        made = self._durations(
            {cut.TOKENS: tokens, cut.STYLE: style, cut.SPEED: np.ones(1, np.float32)}
        )
        raw, whole = made.pop(cut.RAW_DURATIONS), made.pop(cut.DURATIONS)
        said = levers.of_tokens(state.utterance.performance, clause.offset, clause.reading)
        durations = said_in(raw, whole, *levers.lengths(said, phonemes))
        span = _span(state, clause, durations[0])
        words = _words(state, clause, durations[0], span)
        state.words += len(words)
        state.samples += span.samples
        softens = any(lever.soft for lever in said.of)
        return Plan(
            span=span,
            tokens=tokens,
            style=style,
            durations=durations,
            hidden=made,
            words=words,
            directed=levers.directed(said, durations[0], clause.closes),
            softer=self._voices.style(SOFTER, len(phonemes)) if softens else None,
        )


def paced(raw: Float, rate: float | Lengths) -> Float:
    """Durations [1, n] in whole frames for pace `rate` (one, or one a token): what rounding takes
    from one token is given to the next, so small changes of pace count. No token is shorter than a
    frame."""
    exact = np.cumsum(raw[0].astype(np.float64) / rate)
    edges = np.round(exact)
    return np.maximum(np.diff(edges, prepend=0.0), 1.0).astype(np.float32)[None]


def said_in(raw: Float, whole: Float, plain: Lengths, own: Lengths) -> Float:
    """Durations [1, n] in frames. raw: before rounding; whole: as the model rounds them. plain,
    own: factors of each token by the whole take's levers and by its own. Where these are the same,
    a token lasts as long as it would if no other were said otherwise."""
    made = whole if np.all(plain == 1) else paced(raw, 1 / plain)
    differs = np.flatnonzero(plain != own)
    if not len(differs):
        return made
    made = made.copy()
    for run in np.split(differs, np.flatnonzero(np.diff(differs) > 1) + 1):
        made[:, run] = paced(raw[:, run], 1 / own[run])
    return made


def _closes(text: str) -> bool:
    """Whether a segment is the end of a sentence or paragraph, not a clause of a longer one."""
    said = text.rstrip()
    paragraph = text[len(said) :].count("\n") > 1
    return paragraph or said.rstrip("\"'”’)]»*_").endswith((".", "!", "?", "…", "。"))


def _span(state: ThinkerState, clause: Clause, durations: NDArray[np.float32]) -> Span:
    skip = max(0, int(durations[0]) - LEAD)
    edges = np.concatenate([[0], np.cumsum(durations)]).astype(int).tolist()
    pauses, low = [], skip
    for word in clause.reading.words:
        high = edges[word.phonemes[0] + 1]
        silence = state.pause_before(clause.offset + word.span[0])
        if silence:
            pauses.append(Silence(low, high, silence))
        low = edges[word.phonemes[1] + 1]
    return Span(state.utterance.voice, state.samples, skip, edges[-1], tuple(pauses))


def _words(state: ThinkerState, clause: Clause, durations: Float, span: Span) -> tuple[Word, ...]:
    """The reading's words in samples of the take and characters of its whole text."""
    edges = np.concatenate([[0], np.cumsum(durations)]).astype(int).tolist()
    return tuple(
        Word(
            index=state.words + i,
            text=word.text,
            start=span.sample(edges[word.phonemes[0] + 1]),
            end=span.sample(edges[word.phonemes[1] + 1]),
            span=(clause.offset + word.span[0], clause.offset + word.span[1]),
        )
        for i, word in enumerate(clause.reading.words)
    )
