"""A family whose voice is arithmetic: every stage is real, and every sample can be worked out.

A word of n characters is n codec frames of 10 ms, and so is the gap after it of one frame. Sample i
of a frame is a function of the character, the voice, the seed and the place in the take, so sound
that is lost, doubled or out of place shows.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.family import LoadedFamily
from engine.graph import Edge, Graph, StageSpec, Streaming, Vocoder, Worker
from engine.types import FamilyInfo, Int16, Notice, Pcm, Utterance, Voice, Word

RATE = 24_000
FRAME = 240
FIRST, LATER = 4, 10
VOICES = (
    Voice("low", "Low", "en-US", "male"),
    Voice("high", "High", "en-GB", "female"),
    Voice("broken", "Broken", "en-US", "male"),
)
INFO = FamilyInfo("arithmetic", "counting", RATE, FRAME, (FIRST, LATER), VOICES, ("speak",))
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Plan:
    """One word, where it stands in the text, and its first frame."""

    word: Word
    first_frame: int


@dataclass(frozen=True, slots=True)
class Frames:
    """The codes of a word's frames, its gap included, and the word to tell with them."""

    codes: tuple[int, ...]
    word: Word


def sound(codes: Sequence[int], first_frame: int, voice: str, seed: int) -> Int16:
    """What frames sound like, when the first of them is the take's `first_frame`th."""
    place = np.arange(first_frame * FRAME, (first_frame + len(codes)) * FRAME)
    pitch = 1 + [known.id for known in VOICES].index(voice)
    code = np.repeat(np.array(codes, np.int64), FRAME)
    return ((code * 97 + place * pitch + seed) % 20_001 - 10_000).astype(np.int16)


def whole(text: str, voice: str = "low", seed: int = 0) -> Int16:
    """All samples of a take, by the definition."""
    codes = [code for word in _WORD.findall(text) for code in _codes(word)]
    return sound(codes, 0, voice, seed)


def _codes(word: str) -> tuple[int, ...]:
    return (*(ord(char) % 1000 for char in word), 0)


@dataclass(slots=True)
class _Reading:
    text: str = ""
    dropped: int = 0
    at: int = 0
    words: int = 0
    frames: int = 0
    ended: bool = False


class Thinker:
    """A word is ready once something that is not part of it follows."""

    def open(self, utterance: Utterance) -> _Reading:
        return _Reading()

    def push(self, state: _Reading, item: str) -> None:
        state.text = state.text[state.at :] + item
        state.dropped, state.at = state.dropped + state.at, 0

    def end(self, state: _Reading) -> None:
        state.ended = True

    def step(self, state: _Reading) -> Plan | Notice | None:
        found = _WORD.search(state.text, state.at)
        if found is None or (found.end() == len(state.text) and not state.ended):
            return None
        count = len(found.group()) + 1
        start = state.frames * FRAME
        span = (state.dropped + found.start(), state.dropped + found.end())
        word = Word(state.words, found.group(), start, start + (count - 1) * FRAME, span)
        plan = Plan(word, state.frames)
        state.at = found.end()
        state.words, state.frames = state.words + 1, state.frames + count
        return plan

    def close(self, state: _Reading) -> None:
        return None


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
        word = state.plans.pop(0).word
        return Frames(_codes(word.text), word)

    def close(self, state: _Plans) -> None:
        return None


@dataclass(slots=True)
class _Voicing:
    utterance: Utterance
    codes: list[int] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    decoded: int = 0
    ended: bool = False


class Code2Wav:
    """Windows of 4 frames, then 10; `cost` seconds are spent on each."""

    def __init__(self, cost: float = 0.0) -> None:
        self._cost = cost

    def open(self, utterance: Utterance) -> _Voicing:
        return _Voicing(utterance)

    def push(self, state: _Voicing, item: Frames) -> None:
        state.codes.extend(item.codes)
        state.words.append(item.word)

    def end(self, state: _Voicing) -> None:
        state.ended = True

    def shape(self, state: _Voicing) -> tuple[int, ...] | None:
        wanted = LATER if state.decoded else FIRST
        count = min(wanted, len(state.codes)) if state.ended else wanted
        return (count,) if 0 < count <= len(state.codes) else None

    def start(self, state: _Voicing) -> int:
        return state.decoded * FRAME

    def decode(self, states: Sequence[_Voicing]) -> list[Pcm]:
        if any(state.utterance.voice == "broken" for state in states):
            raise RuntimeError("this voice always breaks")
        time.sleep(self._cost)
        return [self._decode(state) for state in states]

    def max_batch(self) -> int:
        return 4

    def close(self, state: _Voicing) -> None:
        return None

    def _decode(self, state: _Voicing) -> Pcm:
        shape = self.shape(state)
        assert shape is not None
        codes, state.codes = state.codes[: shape[0]], state.codes[shape[0] :]
        one, first = state.utterance, state.decoded
        state.decoded += len(codes)
        samples = sound(codes, first, one.voice, one.seed)
        known = [word for word in state.words if word.start < state.decoded * FRAME]
        state.words = state.words[len(known) :]
        return Pcm(one.request, one.epoch, first * FRAME, samples, tuple(known), len(codes))


def load(cost: float = 0.0) -> LoadedFamily:
    """The family; `cost` is what each window takes, in seconds."""

    def code2wav(_: Worker) -> Code2Wav:
        return Code2Wav(cost)

    stages = (
        StageSpec("thinker", Streaming(lambda _: Thinker()), to=(Edge("talker"),)),
        StageSpec("talker", Streaming(lambda _: Talker()), to=(Edge("code2wav"),)),
        StageSpec("code2wav", Vocoder(code2wav, RATE), end=True),
    )
    return LoadedFamily(INFO, Graph(stages, entry="thinker"))
