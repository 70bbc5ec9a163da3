"""Thinker: text to phonemes, word marks and durations, one plan a clause."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.families.embedded import assets, cut, levers, voices
from engine.families.embedded.clause import (
    SAMPLE_RATE,
    Copied,
    Float,
    Patch,
    Plan,
    Sheet,
    Silence,
    Span,
    Splice,
)
from engine.families.embedded.compute import OrtGraph
from engine.families.embedded.notes import Notes, unpack
from engine.families.embedded.phonemes import Phonemiser, Reading
from engine.families.embedded.prepare import Prepared
from engine.families.embedded.revision import Revision, is_mostly_new, kept, splices
from engine.families.embedded.splice import REACH
from engine.graph import Worker
from engine.text.split import Segment, Splitter
from engine.types import ClauseScore, Notice, Pause, Utterance, Word

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
    """A reading to be planned. offset: of what was read in the take's text. chars: of the
    clause in that text; those of a take's clauses are apart. closes: a sentence ends
    with it."""

    offset: int
    reading: Reading
    chars: tuple[int, int]
    closes: bool

    @property
    def words(self) -> list[tuple[int, int]]:
        """Characters [from, to) of each word in the take's text."""
        spans = (word.span for word in self.reading.words)
        return [(self.offset + start, self.offset + stop) for start, stop in spans]

    @property
    def marks(self) -> list[tuple[int, int]]:
        """Tokens [from, to) of each word, padding counted."""
        return [(word.phonemes[0] + 1, word.phonemes[1] + 1) for word in self.reading.words]


class ThinkerState:
    """How far a take has been thought: text in, plans out, words and samples so far."""

    def __init__(self, utterance: Utterance) -> None:
        self.utterance = utterance
        self.splitter = Splitter()
        self.segments: deque[tuple[Segment, bool]] = deque()
        self.clauses: deque[Clause] = deque()
        self.thought: Iterator[Plan | Copied] = iter(())
        self.pauses = deque(sorted(utterance.performance.pauses, key=lambda pause: pause.at))
        self.revision: Revision | None = None
        if utterance.parent is not None:
            self.revision = Revision(utterance.parent, utterance.changes)
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

    def step(self, state: ThinkerState) -> Plan | Copied | Notice | None:
        while (thought := next(state.thought, None)) is None:
            if state.clauses:
                state.thought = self._think(state, state.clauses.popleft())
            elif not state.segments:
                return None
            elif (notice := self._read(state, *state.segments.popleft())) is not None:
                return notice
        return thought

    def close(self, state: ThinkerState) -> None:
        state.segments.clear()
        state.clauses.clear()
        state.thought = iter(())

    def _read(self, state: ThinkerState, segment: Segment, last: bool) -> Notice | None:
        """Reads a segment into `state.clauses`; tells of words that the voice can't read."""
        british = voices.is_british(state.utterance.voice)
        readings = phonemiser(british).read_all(segment.text)
        closes = last or _closes(segment.text)
        state.clauses.extend(_clauses(segment, readings, closes))
        unread = [word for reading in readings for word in reading.unread]
        if not unread:
            return None
        named = ", ".join(dict.fromkeys(unread))
        message = f"{state.utterance.voice} can't read: {named}"
        return Notice(state.utterance.request, state.utterance.epoch, "unreadable", message)

    def _think(self, state: ThinkerState, clause: Clause) -> Iterator[Plan | Copied]:
        """One plan; or, of a clause that the parent has, what of it is copied before it."""
        silences = [state.pause_before(start) for start, _ in clause.words]
        revision, text = state.revision, state.utterance.text[slice(*clause.chars)]
        found = revision.find(clause.chars, text) if revision else None
        if revision is None or found is None:
            yield self._plan(state, clause, silences)
        elif found.same:
            yield _copied(state, clause, found.score, unpack(found.score.notes))
        else:
            forced = [clause.marks[at] for at in revision.forced(clause.words)]
            yield from self._patched(state, clause, silences, found.score, forced)

    def _patched(
        self,
        state: ThinkerState,
        clause: Clause,
        silences: list[int],
        score: ClauseScore,
        forced: list[tuple[int, int]],
    ) -> Iterator[Plan | Copied]:
        notes = unpack(score.notes)
        found = splices(notes, clause.reading, forced, silences[0] > 0)
        if not found:
            yield _copied(state, clause, score, notes)
        elif is_mostly_new(found, clause.reading):
            yield self._plan(state, clause, silences)
        else:
            head = _head(state, clause, score, notes, found[0])
            if head is not None:
                yield head
            copied = head.stop - head.start if head else 0
            words = len(head.words) if head else 0
            patch = Patch(tuple(found), notes, score.start, score.samples, copied, words)
            yield self._plan(state, clause, silences, patch)

    def _plan(
        self, state: ThinkerState, clause: Clause, silences: list[int], patch: Patch | None = None
    ) -> Plan:
        voice, phonemes = state.utterance.voice, clause.reading.phonemes
        row = patch.notes.row if patch else len(phonemes)
        tokens = np.array([0, *(self._vocabulary[p] for p in phonemes), 0], np.int64)[None]
        style = self._voices.style(voice, row)
        made = self._durations(
            {cut.TOKENS: tokens, cut.STYLE: style, cut.SPEED: np.ones(1, np.float32)}
        )
        raw, whole = made.pop(cut.RAW_DURATIONS), made.pop(cut.DURATIONS)
        said = levers.of_tokens(state.utterance.performance, clause.offset, clause.reading)
        durations = said_in(raw, whole, *levers.lengths(said, phonemes))
        if patch:
            durations = kept(patch.splices, patch.notes, durations[0])[None]
        sheet = Sheet(clause.chars, phonemes, row, durations[0], tuple(clause.marks))
        span = _span(state, sheet, silences, patch)
        words = _words(state, clause, sheet, span, patch.words if patch else 0)
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
            sheet=sheet,
            directed=levers.directed(said, durations[0], clause.closes),
            softer=self._voices.style(SOFTER, row) if softens else None,
            patch=patch,
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


def _clauses(segment: Segment, readings: list[Reading], closes: bool) -> Iterator[Clause]:
    """A segment's characters are its clause's; where it is read in several, each begins with its
    first word."""
    spoken = [reading for reading in readings if reading.phonemes]
    starts = [0, *(reading.words[0].span[0] for reading in spoken[1:]), len(segment.text)]
    for at, reading in enumerate(spoken):
        chars = (segment.start + starts[at], segment.start + starts[at + 1])
        yield Clause(segment.start, reading, chars, closes and at == len(spoken) - 1)


def _span(state: ThinkerState, sheet: Sheet, silences: list[int], patch: Patch | None) -> Span:
    """Of a patched clause only the pauses that are in what is made again."""
    edges = sheet.edges()
    skip = patch.notes.skip if patch else max(0, edges[1] - LEAD)
    made = [(s.start, s.stop) for s in patch.splices] if patch else [(0, len(edges) - 1)]
    pauses, low = [], 0
    for (start, stop), silence in zip(sheet.marks, silences, strict=True):
        for begin, end in made if silence else ():
            first, last = max(low, begin), min(start, end)
            if first < last:
                pauses.append(Silence(max(skip, edges[first]), edges[last], silence))
        low = stop
    return Span(state.utterance.voice, state.samples, skip, edges[-1], tuple(pauses))


def _words(
    state: ThinkerState, clause: Clause, sheet: Sheet, span: Span, told: int
) -> tuple[Word, ...]:
    """The reading's words but for the first `told`, in samples of the take."""
    edges = sheet.edges()
    times = [(span.sample(edges[start]), span.sample(edges[stop])) for start, stop in sheet.marks]
    return _timed(state, clause, times[told:], told)


def _timed(
    state: ThinkerState, clause: Clause, times: Sequence[tuple[int, int]], told: int = 0
) -> tuple[Word, ...]:
    """Words of a clause from `told` on, as many as there are times (in samples of some take)."""
    words = list(zip(clause.reading.words, clause.words, strict=True))[told:]
    return tuple(
        Word(state.words + at, word.text, start, end, chars)
        for at, ((word, chars), (start, end)) in enumerate(zip(words, times, strict=False))
    )


def _copied(state: ThinkerState, clause: Clause, score: ClauseScore, notes: Notes) -> Copied:
    """All of the parent's clause. Its words are where its tokens are, whoever numbered them."""
    words = _timed(state, clause, _times(clause, score, notes, len(clause.marks)))
    stop = score.start + score.samples
    state.words += len(words)
    state.samples += score.samples
    moved = replace(score, span=clause.chars, words=words)
    return Copied(score.start, stop, words, moved)


def _head(
    state: ThinkerState, clause: Clause, score: ClauseScore, notes: Notes, first: Splice
) -> Copied | None:
    """What of the clause can be handed on before anything is made, short of where joins may lie."""
    until = int(notes.edges[first.old_start]) - REACH
    if until <= 0:
        return None
    ended = sum(
        int(notes.edges[stop]) <= until for _, stop in clause.marks[: _before(clause, first)]
    )
    words = _timed(state, clause, _times(clause, score, notes, ended))
    state.words += len(words)
    return Copied(score.start, score.start + notes.played(until), words)


def _before(clause: Clause, first: Splice) -> int:
    """How many words end before the first splice."""
    return sum(stop <= first.start for _, stop in clause.marks)


def _times(clause: Clause, score: ClauseScore, notes: Notes, count: int) -> list[tuple[int, int]]:
    """Samples of the parent between which the first `count` words are said."""
    edges = [score.start + notes.played(int(edge)) for edge in notes.edges]
    return [(edges[start], edges[stop]) for start, stop in clause.marks[:count]]
