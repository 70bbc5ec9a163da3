"""Thinker: text, performance and direction to what the talker is prefilled with and fed.

The words are given, so the thinker need not write them: they are read, and only the states that
the talker takes of them are made. Of text those are embeddings, and of sound hidden states.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from engine.families.qwen3_omni.frames import SAMPLE_RATE
from engine.families.qwen3_omni.prompt import Kept, Opening, TalkerInput, Text, Unchanged
from engine.families.qwen3_omni.sampling import Sampling
from engine.families.qwen3_omni.thinker_ears import resampled
from engine.families.qwen3_omni.thinker_edit import kept_of
from engine.families.qwen3_omni.thinker_manner import instructions
from engine.families.qwen3_omni.thinker_reading import Reading, Sound
from engine.families.qwen3_omni.thinker_text import Pieces, spoken
from engine.types import Notice, Passage, Performance, Utterance

LINES: Final = 6
"""Of the lines heard before, so many are told, the nearest."""
DIRECTIONS: Final = 6
"""Of the directions that a take comes from, its own included, so many are told, the newest."""


@dataclass(slots=True, eq=False)
class ThinkerState:
    """text: all that has come. ready: of it, what can be read and was not. opened: the talker has
    had its opening. late: directions that came after it, which nothing can follow any more."""

    utterance: Utterance
    performance: Performance
    pieces: Pieces = field(default_factory=Pieces)
    text: str = ""
    ready: str = ""
    opened: bool = False
    ended: bool = False
    late: bool = False
    done: bool = False


class Thinker:
    """StreamRunner[ThinkerState, str | Passage, TalkerInput].

    plain: only the words are told, no direction and nothing of what was heard before.
    """

    def __init__(self, reading: Reading, sampling: Sampling, *, plain: bool = False) -> None:
        self._reading = reading
        self._sampling = sampling
        self._plain = plain

    def open(self, utterance: Utterance) -> ThinkerState:
        return ThinkerState(utterance, utterance.performance)

    def push(self, state: ThinkerState, item: str | Passage) -> None:
        passage = item if isinstance(item, Passage) else Passage(item)
        state.performance = passage.of(state.performance)
        state.late = state.late or (state.opened and bool(passage.parts or passage.pauses))
        state.text += passage.text
        state.ready += state.pieces.push(passage.text)

    def end(self, state: ThinkerState) -> None:
        state.ready += state.pieces.end()
        state.ended = True

    def step(self, state: ThinkerState) -> TalkerInput | Notice | None:
        """An edited take is read once its text is whole."""
        if state.late:
            state.late = False
            return self._told_late(state)
        if state.done or (state.utterance.parent is not None and not state.ended):
            return None
        piece, state.ready = state.ready, ""
        state.done = state.ended
        ids = self._reading.tokens(spoken(piece, first=not state.opened, last=state.ended))
        if not ids:
            return None
        text = Text(self._reading.embed(ids), piece)
        if state.opened:
            return text
        state.opened = True
        return self._opening(state, text)

    def close(self, state: ThinkerState) -> None:
        state.ready = ""
        state.done = True

    def _opening(self, state: ThinkerState, text: Text) -> Opening | Unchanged:
        kept = kept_of(state.utterance)
        match kept:
            case Unchanged():
                return kept
            case Kept() | None:
                turns = self._reading.turns(self._request(state), self._heard(state))
                return Opening(
                    turns=turns.states,
                    heard=turns.heard,
                    marks=self._reading.marks(),
                    speaker=state.utterance.voice,
                    text=text,
                    sampling=self._sampling,
                    seed=state.utterance.seed,
                    kept=kept,
                )

    def _request(self, state: ThinkerState) -> str:
        """What the user's turn says."""
        return "\n".join(self._sentences(state))

    def _sentences(self, state: ThinkerState) -> Iterator[str]:
        if not self._plain:
            before = state.utterance.before[-LINES:]
            if before:
                yield "These lines were said before:"
                yield from (f"- {line}" for line in before)
            yield from instructions(state.text, state.performance)
            yield from (f"Direction: {one}" for one in _directions(state.utterance))
        yield "Say your line, word for word."

    def _heard(self, state: ThinkerState) -> Sound | None:
        """The take that is said otherwise, where there are ears for it."""
        take = state.utterance.parent or state.utterance.earlier
        hearing = self._reading.hearing
        if self._plain or take is None or hearing is None or not len(take.samples):
            return None
        return resampled(take.samples, SAMPLE_RATE, hearing.rate)

    def _told_late(self, state: ThinkerState) -> Notice:
        message = "a direction inside the line came after its first words and is left out"
        return Notice(state.utterance.request, state.utterance.epoch, "direction_late", message)


def _directions(utterance: Utterance) -> tuple[str, ...]:
    """All that hold, the oldest first: each was said of the take that the ones before it gave."""
    last = () if utterance.direction is None else (utterance.direction,)
    return (*utterance.directions, *last)[-DIRECTIONS:]
