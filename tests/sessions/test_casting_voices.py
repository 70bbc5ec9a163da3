"""The embedded voices, cast by how they sound."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.families.embedded.load import INFO
from sessions.casting import by_embedding, propose
from sessions.script import SpeakerHint

VOICES = INFO.voices
DISTANCE = by_embedding(INFO.embeddings)


def least(cast: Mapping[str, str]) -> float:
    """The distance of the two that are the most alike."""
    return min(DISTANCE(one, other) for one, other in combinations(cast.values(), 2))


def test_every_voice_has_been_measured_and_men_sound_like_men() -> None:
    assert list(INFO.embeddings) == [voice.id for voice in VOICES]
    apart: dict[bool, list[float]] = {True: [], False: []}
    for one, other in combinations(VOICES, 2):
        apart[one.gender == other.gender].append(DISTANCE(one.id, other.id))
    assert min(apart[True] + apart[False]) > 0.02
    assert sum(apart[True]) / len(apart[True]) < sum(apart[False]) / len(apart[False]) - 0.05


@pytest.mark.parametrize("genders", [("female",), ("male",), ("female", "male"), (None,)])
@pytest.mark.parametrize("speakers", range(2, 9))
def test_a_cast_is_at_least_as_unlike_as_the_best_graded_voices(
    genders: tuple[str | None, ...], speakers: int
) -> None:
    hints = [SpeakerHint(str(n), genders[n % len(genders)]) for n in range(speakers)]
    assert least(propose(hints, VOICES, {}, DISTANCE)) >= least(propose(hints, VOICES, {}))


_HINTS = st.lists(
    st.builds(
        SpeakerHint,
        st.text("abcdefgh", min_size=1, max_size=2),
        st.sampled_from(["female", "male", None]),
        st.sampled_from(["en-GB", "en-US", None]),
    ),
    unique_by=lambda hint: hint.name,
    max_size=12,
)


@given(_HINTS, st.integers(0, 12))
def test_a_cast_stays_as_it_is_when_speakers_come_and_when_it_is_opened_again(
    hints: list[SpeakerHint], known: int
) -> None:
    whole = propose(hints, VOICES, {}, DISTANCE)
    before = propose(hints[:known], VOICES, {}, DISTANCE)
    assert before.items() <= whole.items()
    assert propose(hints, VOICES, before, DISTANCE) == whole
    genders = {voice.id: voice.gender for voice in VOICES}
    for hint in hints:
        assert hint.gender in (None, genders[whole[hint.name]])
