"""Thinker: text to phonemes, word marks and durations, one plan a clause."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from engine.families.embedded import assets, cut, levers, voices
from engine.families.embedded.clause import Copied, Patch, Plan, Sheet
from engine.families.embedded.compute import OrtGraph
from engine.families.embedded.notes import unpack
from engine.families.embedded.pace import said_in, shut
from engine.families.embedded.phonemes import Phonemiser
from engine.families.embedded.prepare import Prepared
from engine.families.embedded.revision import is_mostly_new, kept, splices
from engine.families.embedded.thinking import (
    Clause,
    ThinkerState,
    clauses_of,
    closes,
    copied,
    head_of,
    shut_gaps,
    span_of,
    words_of,
)
from engine.graph import Worker
from engine.text.split import Segment
from engine.types import ClauseScore, Notice, Passage, Utterance

#: Whose timbre a softer voice is drawn towards.
SOFTER = "af_nicole"


@cache
def phonemiser(british: bool, folder: Path) -> Phonemiser:
    """Shared by all thinkers of a process. folder: the prepared one."""
    return Phonemiser(british, folder)


class Thinker:
    """StreamRunner[ThinkerState, str | Passage, Plan]."""

    def __init__(self, prepared: Prepared, worker: Worker) -> None:
        self._vocabulary = assets.vocabulary()
        self._voices = voices.Voices(prepared.voices)
        self._durations = OrtGraph(prepared.durations, worker.threads)
        self._phonemisers = {
            british: phonemiser(british, prepared.folder) for british in (False, True)
        }
        for ready in self._phonemisers.values():
            ready.read_all("Ready.")

    def open(self, utterance: Utterance) -> ThinkerState:
        return ThinkerState(utterance)

    def push(self, state: ThinkerState, item: str | Passage) -> None:
        text = state.taken(item) if isinstance(item, Passage) else item
        state.segments.extend((segment, False) for segment in state.splitter.push(text))

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
        readings = self._phonemisers[british].read_all(segment.text)
        ends = last or closes(segment.text)
        state.clauses.extend(clauses_of(segment, readings, ends))
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
            yield copied(state, clause, found.score, unpack(found.score.notes))
        else:
            forced = [clause.marks[at] for at in revision.forced(clause.words)]
            yield from self._patched(state, clause, silences, found.score, forced)

    def _patched(
        self,
        state: ThinkerState,
        clause: Clause,
        silences: list[int | None],
        score: ClauseScore,
        forced: list[tuple[int, int]],
    ) -> Iterator[Plan | Copied]:
        notes = unpack(score.notes)
        gaps = shut_gaps(clause, silences)
        found = splices(notes, clause.reading, forced, gaps, bool(silences[0]))
        if not found:
            yield copied(state, clause, score, notes)
        elif is_mostly_new(found, clause.reading):
            yield self._plan(state, clause, silences)
        else:
            head = head_of(state, clause, score, notes, found[0])
            if head is not None:
                yield head
            told = head.stop - head.start if head else 0
            words = len(head.words) if head else 0
            patch = Patch(tuple(found), notes, score.start, score.samples, told, words)
            yield self._plan(state, clause, silences, patch)

    def _plan(
        self,
        state: ThinkerState,
        clause: Clause,
        silences: list[int | None],
        patch: Patch | None = None,
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
        durations = shut(durations, shut_gaps(clause, silences))
        if patch:
            durations = kept(patch.splices, patch.notes, durations[0])[None]
        sheet = Sheet(clause.chars, phonemes, row, durations[0], tuple(clause.marks))
        span = span_of(state, sheet, silences, patch)
        words = words_of(state, clause, sheet, span, patch.words if patch else 0)
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
