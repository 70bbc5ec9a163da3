"""Which speaker gets which voice: as given, else so that voices fit and differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from engine.types import Voice
from sessions import voices as names
from sessions.errors import UnknownVoice
from sessions.script.model import SpeakerHint

#: How far apart two voices sound, by their ids; 0 is the same voice. Symmetric.
Distance: TypeAlias = Callable[[str, str], float]

_GRADE = re.compile(r"grade ([A-F])([+-]?)")
#: A voice is not taken for being far from the others if its grade is this much below the best,
#: unless it is a C: a good voice that sounds like another one serves a scene less.
_GRADE_SLACK = 1.0
_GOOD = 2.0
#: The grade of a voice that has none: C.
_UNGRADED = 2.0


def propose(
    speakers: Sequence[SpeakerHint],
    voices: Sequence[Voice],
    given: Mapping[str, str],
    distance: Distance | None = None,
) -> dict[str, str]:
    """A voice id for each speaker, and for those given that are not among the speakers (yet).

    What is given is kept; names of speakers match whatever their case. Each other speaker, in
    order, gets a voice of their language (of the first voice's, without a hint) that the fewest
    have: none has two speakers before all have one. Among those, in this order: one of their
    gender, or of that which fewer have; of their accent; then the farthest, by `distance`, from
    the voices in use, among those graded well; the best graded; the first in the list.

    A speaker's voice hangs only on those before and on `given`: to cast a longer script again,
    give what was proposed for the shorter one, or keep its speakers in front.

    Raises UnknownVoice, which names the speaker and near voices; ValueError without any voices.
    """
    if not voices:
        raise ValueError("there are no voices to cast")
    cast = _given(speakers, voices, given)
    chooser = _Chooser(voices, distance)
    for voice in cast.values():
        chooser.use(voice)
    for speaker in speakers:
        if speaker.name not in cast:
            cast[speaker.name] = chooser.choose(speaker)
    return cast


def _given(
    speakers: Sequence[SpeakerHint], voices: Sequence[Voice], given: Mapping[str, str]
) -> dict[str, str]:
    spelt = {speaker.name.casefold(): speaker.name for speaker in speakers}
    cast = {}
    for name, wanted in given.items():
        try:
            voice = names.find(voices, wanted)
        except UnknownVoice as error:
            raise UnknownVoice(f"for {name}, {error}", f"cast.{name}") from error
        cast[spelt.get(name.casefold(), name)] = voice
    return cast


class _Chooser:
    """Knows the voices and how many speakers have each."""

    def __init__(self, voices: Sequence[Voice], distance: Distance | None) -> None:
        self._voices = tuple(voices)
        self._distance = distance
        self._by_id = {voice.id: voice for voice in voices}
        self._used: Counter[str] = Counter()

    def use(self, voice: str) -> None:
        self._used[voice] += 1

    def choose(self, speaker: SpeakerHint) -> str:
        pool = self._of_language(speaker.language or self._voices[0].language)
        fewest = min(self._used[voice.id] for voice in pool)
        pool = [voice for voice in pool if self._used[voice.id] == fewest]
        gender = speaker.gender or self._rarer_gender()
        pool = _preferring(pool, lambda voice: voice.gender == gender)
        pool = _preferring(pool, lambda voice: voice.language == speaker.language)
        chosen = self._farthest(pool)
        self.use(chosen.id)
        return chosen.id

    def _of_language(self, tag: str) -> list[Voice]:
        """The voices of a language, whatever their accent; all, if none has it."""
        return _preferring(self._voices, lambda voice: _language(voice.language) == _language(tag))

    def _rarer_gender(self) -> str:
        count: Counter[str] = Counter()
        for voice, times in self._used.items():
            count[self._by_id[voice].gender] += times
        return min((voice.gender for voice in self._voices), key=lambda gender: count[gender])

    def _farthest(self, pool: Sequence[Voice]) -> Voice:
        best = max(map(_grade, pool))
        used = [voice for voice in self._used if self._used[voice]]
        if self._distance is None or not used:
            return next(voice for voice in pool if _grade(voice) == best)
        near = [voice for voice in pool if _grade(voice) >= min(best - _GRADE_SLACK, _GOOD)]
        distance = self._distance
        return max(near, key=lambda v: (min(distance(v.id, u) for u in used), _grade(v)))


def _preferring(voices: Sequence[Voice], wanted: Callable[[Voice], bool]) -> list[Voice]:
    """Those that are wanted, or all if none is."""
    return [voice for voice in voices if wanted(voice)] or list(voices)


def _language(tag: str) -> str:
    return tag.split("-")[0].casefold()


def _grade(voice: Voice) -> float:
    """A is 4 and F is 0; a sign is worth a third."""
    for tag in voice.tags:
        if found := _GRADE.fullmatch(tag):
            step = {"+": 1 / 3, "-": -1 / 3, "": 0.0}[found[2]]
            return max("FDCBA".find(found[1]), 0) + step
    return _UNGRADED


def by_embedding(embeddings: Mapping[str, Sequence[float]]) -> Distance:
    """Cosine distance (0 to 2) between speaker embeddings by voice id; 1 where one is missing.

    Raises ValueError for embeddings of different lengths, or all zeros.
    """
    at = {voice: index for index, voice in enumerate(embeddings)}
    rows = np.array(list(embeddings.values()), np.float64)
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    if not np.all(lengths):
        raise ValueError("a speaker embedding is all zeros")
    units = rows / lengths
    distances: list[list[float]] = (1.0 - units @ units.T).tolist()

    def distance(one: str, other: str) -> float:
        if one == other:
            return 0.0
        if one not in at or other not in at:
            return 1.0
        return distances[at[one]][at[other]]

    return distance
