"""A family whose voice is arithmetic: every stage is real, and every sample can be worked out.

A word of n characters is n codec frames of 10 ms, and so is the gap after it of one frame. Sample i
of a frame is a function of the character, the voice, the seed, the levers that the word is said
with and the place in the take, so sound that is lost, doubled or out of place shows. A pause is
frames of its own. Edits keep the parent's samples of every word that no change touches.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

import numpy as np

from engine.costs import WindowCosts
from engine.family import LoadedFamily
from engine.graph import Edge, Graph, StageSpec, Streaming, Vocoder, Worker
from engine.runners import Ready
from engine.types import (
    ClauseScore,
    FamilyInfo,
    Int16,
    Levers,
    Notice,
    Parent,
    Passage,
    Pcm,
    Performance,
    Utterance,
    Voice,
    Word,
)

RATE = 24_000
FRAME = 240
FIRST, LATER = 4, 10
VOICES = (
    Voice("low", "Low", "en-US", "male"),
    Voice("high", "High", "en-GB", "female"),
    Voice("broken", "Broken", "en-US", "male"),
)
INFO = FamilyInfo("arithmetic", "counting", RATE, FRAME, VOICES, ("speak",))
EVERYTHING = ("speak", "direct", "edit")
NEUTRAL = Performance()
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Plan:
    """One word as it is to be said: the codes of its frames, a pause before it and its gap among
    them; or all that, as the parent has it."""

    word: Word
    start: int
    codes: tuple[int, ...]
    kept: Int16 | None = None


Frames: TypeAlias = Plan


def sound(codes: Sequence[int], first_frame: int, voice: str, seed: int) -> Int16:
    """What frames sound like, when the first of them is the take's `first_frame`th."""
    place = np.arange(first_frame * FRAME, (first_frame + len(codes)) * FRAME)
    pitch = 1 + [known.id for known in VOICES].index(voice)
    code = np.repeat(np.array(codes, np.int64), FRAME)
    return ((code * 97 + place * pitch + seed) % 20_001 - 10_000).astype(np.int16)


def whole(
    text: str, voice: str = "low", seed: int = 0, performance: Performance = NEUTRAL
) -> Int16:
    """All samples of a take that is made new, by the definition."""
    codes = [
        code
        for word in _WORD.finditer(text)
        for code in said(word.group(), word.start(), performance)
    ]
    return sound(codes, 0, voice, seed)


def said(word: str, at: int, performance: Performance) -> tuple[int, ...]:
    """The codes of a word that begins at character `at`."""
    weight = _weight(_levers(performance, at))
    pauses = [pause.seconds for pause in performance.pauses if at - 1 <= pause.at <= at]
    silence = (1,) * round(sum(pauses) * RATE / FRAME)
    return (*silence, *((ord(char) + weight) % 1000 for char in word), 0)


def _levers(performance: Performance, at: int) -> Levers:
    within = [part.levers for part in performance.parts if part.span[0] <= at < part.span[1]]
    return within[-1] if within else performance


def _weight(levers: Levers) -> int:
    moved = levers.rate - 1 + levers.pitch + levers.gain + levers.emphasis + levers.breath
    return round(100 * moved) + 500 * levers.whisper


@dataclass(slots=True)
class _Reading:
    utterance: Utterance
    text: str = ""
    dropped: int = 0
    at: int = 0
    words: int = 0
    frames: int = 0
    ended: bool = False


class Thinker:
    """A word is ready once something that is not part of it follows; the first of a take takes
    `thinking` seconds."""

    def __init__(self, thinking: float = 0.0) -> None:
        self._thinking = thinking

    def open(self, utterance: Utterance) -> _Reading:
        return _Reading(utterance)

    def push(self, state: _Reading, item: str | Passage) -> None:
        if isinstance(item, Passage):
            performance = item.of(state.utterance.performance)
            state.utterance = replace(state.utterance, performance=performance)
            item = item.text
        state.text = state.text[state.at :] + item
        state.dropped, state.at = state.dropped + state.at, 0

    def end(self, state: _Reading) -> None:
        state.ended = True

    def step(self, state: _Reading) -> Plan | Notice | None:
        found = _WORD.search(state.text, state.at)
        if found is None or (found.end() == len(state.text) and not state.ended):
            return None
        if not state.words:
            time.sleep(self._thinking)
        at = state.dropped + found.start()
        plan = _kept(state, at, found.group()) or _new(state, at, found.group())
        state.at = found.end()
        state.words, state.frames = state.words + 1, state.frames + len(plan.codes)
        return plan

    def close(self, state: _Reading) -> None:
        return None


def _new(state: _Reading, at: int, text: str) -> Plan:
    start = state.frames * FRAME
    codes = said(text, at, state.utterance.performance)
    begins = start + (len(codes) - len(text) - 1) * FRAME
    word = Word(state.words, text, begins, start + (len(codes) - 1) * FRAME, (at, at + len(text)))
    return Plan(word, start, codes)


def _kept(state: _Reading, at: int, text: str) -> Plan | None:
    """The word as the parent has it, unless a change touches it."""
    parent = state.utterance.parent
    if parent is None:
        return None
    shift = 0
    for change in state.utterance.changes:
        if change.new[0] <= at + len(text) and at <= change.new[1]:
            return None
        if change.new[1] <= at:
            shift = change.old[1] - change.new[1]
    return _moved(state, parent, at, text, at + shift)


def _moved(state: _Reading, parent: Parent, at: int, text: str, old: int) -> Plan:
    score = next(score for score in parent.scores if score.words[0].span[0] == old)
    assert parent.text[old : old + len(text)] == text, "outside the changes the texts are equal"
    start = state.frames * FRAME
    by, (word,) = start - score.start, score.words
    moved = replace(
        word,
        index=state.words,
        start=word.start + by,
        end=word.end + by,
        span=(at, at + len(text)),
    )
    kept = parent.samples[score.start : score.start + score.samples]
    return Plan(moved, start, (0,) * (len(kept) // FRAME), kept)


@dataclass(slots=True)
class _Plans:
    plans: list[Plan] = field(default_factory=list)


class Talker:
    def open(self, utterance: Utterance) -> _Plans:
        return _Plans()

    def push(self, state: _Plans, item: Plan) -> None:
        state.plans.append(item)

    def end(self, state: _Plans) -> None:
        return None

    def step(self, state: _Plans) -> Frames | None:
        if not state.plans:
            return None
        return state.plans.pop(0)

    def close(self, state: _Plans) -> None:
        return None


@dataclass(slots=True)
class _Voicing:
    utterance: Utterance
    plans: list[Plan] = field(default_factory=list)
    pending: list[tuple[Plan, int]] = field(default_factory=list)
    decoded: int = 0
    ended: bool = False


class Code2Wav:
    """Windows of 4 or 10 frames. `cost` seconds are spent on each, which its costs leave out, so
    that no take is held back."""

    exact = True

    def __init__(self, cost: float = 0.0) -> None:
        self._cost = cost

    def open(self, utterance: Utterance) -> _Voicing:
        return _Voicing(utterance)

    def push(self, state: _Voicing, item: Frames) -> None:
        state.plans.append(item)
        state.pending += [(item, number) for number in range(len(item.codes))]

    def end(self, state: _Voicing) -> None:
        state.ended = True

    def sizes(self) -> tuple[int, ...]:
        return FIRST, LATER

    def costs(self) -> WindowCosts:
        return WindowCosts(((FIRST, 0.0), (LATER, 0.0)))

    def ready(self, state: _Voicing) -> Ready | None:
        count = len(state.pending)
        return Ready(state.decoded * FRAME, count, not state.ended, ()) if count else None

    def decode(self, states: Sequence[_Voicing], frames: int) -> list[Pcm]:
        if any(state.utterance.voice == "broken" for state in states):
            raise RuntimeError("this voice always breaks")
        time.sleep(self._cost)
        return [self._decode(state, frames) for state in states]

    def max_batch(self) -> int:
        return 4

    def close(self, state: _Voicing) -> None:
        return None

    def _decode(self, state: _Voicing, most: int) -> Pcm:
        frames, state.pending = state.pending[:most], state.pending[most:]
        one, first = state.utterance, state.decoded
        state.decoded += len(frames)
        samples = [_frame(one, first + i, *frame) for i, frame in enumerate(frames)]
        known = [plan for plan in state.plans if plan.start < state.decoded * FRAME]
        state.plans = state.plans[len(known) :]
        return Pcm(
            one.request,
            one.epoch,
            first * FRAME,
            np.concatenate(samples),
            tuple(plan.word for plan in known),
            len(frames),
            tuple(_score(plan) for plan in known),
            _changed(frames, first) if one.parent is not None else (),
        )


def _frame(utterance: Utterance, place: int, plan: Plan, number: int) -> Int16:
    if plan.kept is not None:
        return plan.kept[number * FRAME : (number + 1) * FRAME]
    return sound(plan.codes[number : number + 1], place, utterance.voice, utterance.seed)


def _score(plan: Plan) -> ClauseScore:
    return ClauseScore(plan.word.span, plan.start, len(plan.codes) * FRAME, (plan.word,), b"")


def _changed(frames: Sequence[tuple[Plan, int]], first: int) -> tuple[tuple[int, int], ...]:
    """Runs of frames that are not the parent's, in samples."""
    new = [first + i for i, (plan, _) in enumerate(frames) if plan.kept is None]
    runs: list[tuple[int, int]] = []
    for frame in new:
        if runs and runs[-1][1] == frame * FRAME:
            runs[-1] = (runs[-1][0], (frame + 1) * FRAME)
        else:
            runs.append((frame * FRAME, (frame + 1) * FRAME))
    return tuple(runs)


def _thinker(thinking: float, _: Worker) -> Thinker:
    return Thinker(thinking)


def _talker(_: Worker) -> Talker:
    return Talker()


def _code2wav(cost: float, _: Worker) -> Code2Wav:
    return Code2Wav(cost)


def load(cost: float = 0.0, can: tuple[str, ...] = INFO.can, thinking: float = 0.0) -> LoadedFamily:
    """The family, which can go to other processes; `cost` is what each window takes, in seconds,
    and `thinking` what a take's first word does."""
    stages = (
        StageSpec("thinker", Streaming(partial(_thinker, thinking)), to=(Edge("talker"),)),
        StageSpec("talker", Streaming(_talker), to=(Edge("code2wav"),)),
        StageSpec("code2wav", Vocoder(partial(_code2wav, cost), RATE), end=True),
    )
    return LoadedFamily(replace(INFO, can=can), Graph(stages, entry="thinker"))
