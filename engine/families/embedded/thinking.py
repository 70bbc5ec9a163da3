"""How far a take has been thought, and its clauses: where they stand and which words they have."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from engine.families.embedded.clause import (
    SAMPLE_RATE,
    Copied,
    Patch,
    Plan,
    Sheet,
    Silence,
    Span,
    Splice,
)
from engine.families.embedded.notes import Notes
from engine.families.embedded.phonemes import MAX_TOKENS, Reading
from engine.families.embedded.revision import Revision
from engine.families.embedded.splice import REACH
from engine.text.split import Segment, Splitter
from engine.types import ClauseScore, Passage, Pause, Utterance, Word

#: Acoustic frames kept before the first phoneme; the silence before them is not played.
LEAD = 3
#: Longest pause before a word, in seconds.
LONGEST_PAUSE = 10.0
_STOPS = frozenset(".!?,;:—…")


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

    def taken(self, passage: Passage) -> str:
        """Its text; what is said of how it is spoken joins the performance."""
        performance = passage.of(self.utterance.performance)
        self.utterance = replace(self.utterance, performance=performance)
        waiting = (*self.pauses, *passage.pauses)
        self.pauses = deque(sorted(waiting, key=lambda pause: pause.at))
        return passage.text

    def pause_before(self, at: int) -> int | None:
        """Samples of silence before the word that begins at character `at`, each pause had once; 0
        where even the voice's own is unwanted, None where nothing is said of it."""
        due: list[Pause] = []
        while self.pauses and self.pauses[0].at <= at:
            due.append(self.pauses.popleft())
        if not due:
            return None
        seconds = sum(max(0.0, pause.seconds) for pause in due)
        return round(SAMPLE_RATE * min(seconds, LONGEST_PAUSE))


def closes(text: str) -> bool:
    """Whether a segment is the end of a sentence or paragraph, not a clause of a longer one."""
    said = text.rstrip()
    paragraph = text[len(said) :].count("\n") > 1
    return paragraph or said.rstrip("\"'”’)]»*_").endswith((".", "!", "?", "…", "。"))


def clauses_of(segment: Segment, readings: list[Reading], closes: bool) -> Iterator[Clause]:
    """A segment's characters are its clause's; where it is read in several, each begins with its
    first word."""
    spoken = [reading for reading in readings if reading.phonemes]
    starts = [0, *(reading.words[0].span[0] for reading in spoken[1:]), len(segment.text)]
    for at, reading in enumerate(spoken):
        chars = (segment.start + starts[at], segment.start + starts[at + 1])
        ends = closes and at == len(spoken) - 1
        yield Clause(segment.start, _stopped(reading, ends), chars, ends)


def _stopped(reading: Reading, ends: bool) -> Reading:
    """With a stop at its end. The voice has hardly heard text without one: a word alone would come
    out far too soft, and where a sentence goes on it would be drawn out."""
    phonemes = reading.phonemes
    if len(phonemes) == MAX_TOKENS or _STOPS.intersection(phonemes[-2:]):
        return reading
    return replace(reading, phonemes=phonemes + ("." if ends else ","))


def shut_gaps(clause: Clause, silences: Sequence[int | None]) -> list[tuple[int, int]]:
    """Tokens [from, to) between two words of the clause where there is to be no silence at all."""
    between = zip(pairwise(clause.marks), silences[1:], strict=True)
    return [(stop, start) for ((_, stop), (start, _)), silence in between if silence == 0]


def span_of(
    state: ThinkerState, sheet: Sheet, silences: Sequence[int | None], patch: Patch | None
) -> Span:
    """Of a patched clause only the pauses that are in what is made again."""
    edges = sheet.edges()
    skip = patch.notes.skip if patch else max(0, edges[1] - LEAD)
    made = [(s.start, s.stop) for s in patch.splices] if patch else [(0, len(edges) - 1)]
    pauses, low = [], 0
    lengths = [silence or 0 for silence in silences]
    for (start, stop), silence in zip(sheet.marks, lengths, strict=True):
        for begin, end in made if silence else ():
            first, last = max(low, begin), min(start, end)
            if first < last:
                pauses.append(Silence(max(skip, edges[first]), edges[last], silence))
        low = stop
    return Span(state.utterance.voice, state.samples, skip, edges[-1], tuple(pauses))


def words_of(
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


def copied(state: ThinkerState, clause: Clause, score: ClauseScore, notes: Notes) -> Copied:
    """All of the parent's clause. Its words are where its tokens are, whoever numbered them."""
    words = _timed(state, clause, _times(clause, score, notes, len(clause.marks)))
    stop = score.start + score.samples
    state.words += len(words)
    state.samples += score.samples
    moved = replace(score, span=clause.chars, words=words)
    return Copied(score.start, stop, words, moved)


def head_of(
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
