"""Voices fit, differ and stay."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.types import Voice
from sessions.casting import by_embedding, propose
from sessions.commands import Perform
from sessions.errors import UnknownVoice
from sessions.events import SceneStarted
from sessions.script import SpeakerHint
from tests.sessions import scripted
from tests.sessions.stage import Stage


def voice(id: str, language: str, gender: str, grade: str = "") -> Voice:
    return Voice(
        id, id.split("_")[1].title(), language, gender, (f"grade {grade}",) if grade else ()
    )


VOICES = (
    voice("af_ash", "en-US", "female", "B"),
    voice("af_elm", "en-US", "female", "A-"),
    voice("am_oak", "en-US", "male", "C+"),
    voice("am_fir", "en-US", "male", "A"),
    voice("bf_ivy", "en-GB", "female", "C"),
    voice("bm_yew", "en-GB", "male", "F+"),
    voice("jf_ume", "ja-JP", "female", "A"),
)
ENGLISH = {one.id for one in VOICES if one.language.startswith("en")}
GENDER = {one.id: one.gender for one in VOICES}
WOMAN, MAN, ANYONE = (SpeakerHint(n, g) for n, g in [("W", "female"), ("M", "male"), ("A", None)])


def test_the_best_graded_voice_of_the_gender_is_proposed() -> None:
    assert propose([WOMAN, MAN], VOICES, {}) == {"W": "af_elm", "M": "am_fir"}


def test_an_accent_goes_before_grade_and_another_language_is_met() -> None:
    hints = [SpeakerHint("B", "female", "en-GB"), SpeakerHint("J", None, "ja-JP")]
    assert propose(hints, VOICES, {}) == {"B": "bf_ivy", "J": "jf_ume"}


def test_a_language_that_no_voice_has_is_no_obstacle() -> None:
    assert propose([SpeakerHint("F", "female", "fr-FR")], VOICES, {})["F"] in GENDER


def test_speakers_without_hints_alternate() -> None:
    cast = propose([SpeakerHint(name) for name in "abcd"], VOICES, {})
    assert [GENDER[one] for one in cast.values()] == ["female", "male", "female", "male"]


def test_no_voice_is_used_again_before_all_are() -> None:
    women = [SpeakerHint(str(n), "female") for n in range(12)]
    cast = list(propose(women, VOICES, {}).values())
    assert set(cast[:6]) == set(cast[6:]) == ENGLISH
    assert [GENDER[one] for one in cast[:3]] == ["female"] * 3


def test_what_is_given_is_kept_by_id_or_name_and_not_proposed_again() -> None:
    cast = propose([MAN, WOMAN], VOICES, {"w": "Elm", "Late": "am_fir"})
    assert cast == {"W": "af_elm", "Late": "am_fir", "M": "am_oak"}


def test_two_speakers_may_be_given_one_voice() -> None:
    assert propose([], VOICES, {"X": "am_oak", "Y": "am_oak"}) == {"X": "am_oak", "Y": "am_oak"}


def test_an_unknown_voice_names_the_speaker_and_what_is_near() -> None:
    with pytest.raises(
        UnknownVoice, match="for W, no voice is called 'af_elf'; near it are af_elm"
    ) as e:
        propose([WOMAN], VOICES, {"W": "af_elf"})
    assert e.value.field == "cast.W"


def test_without_voices_there_is_no_cast() -> None:
    with pytest.raises(ValueError, match="no voices"):
        propose([WOMAN], (), {})


PLACES = {"af_ash": 0.0, "af_elm": 1.0, "am_oak": 6.0, "am_fir": 7.0, "bf_ivy": 3.0, "bm_yew": 9.0}


def apart(one: str, other: str) -> float:
    return abs(PLACES[one] - PLACES[other])


def test_voices_are_spread_by_distance_among_the_nearly_best() -> None:
    women = [SpeakerHint(name, "female") for name in "abc"]
    cast = propose(women, VOICES[:5], {}, apart)
    assert list(cast.values()) == ["af_elm", "bf_ivy", "af_ash"]
    men = [SpeakerHint("a", "female"), SpeakerHint("b", "male")]
    assert propose(men, VOICES[:6], {}, apart)["b"] == "am_fir"


async def test_a_scene_is_cast_by_how_far_apart_voices_are_and_stays_so_as_it_goes_on() -> None:
    heart, adam, emma = scripted.VOICES
    women = (heart, replace(adam, gender="female"), emma)
    embeddings = {"af_heart": (1.0, 0.0), "am_adam": (1.0, 0.1), "bf_emma": (0.0, 1.0)}
    async with Stage() as stage:
        for apart, second in ((embeddings, "bf_emma"), ({}, "am_adam")):
            stage.engine.info = replace(stage.engine.info, voices=women, embeddings=apart)
            person = stage.person()
            begun, *_ = await person.does(Perform("A: Hello.\nB: Hello."))
            assert isinstance(begun, SceneStarted)
            assert [line.voice for line in begun.lines] == ["af_heart", second]
            more = Perform("B: And?\nC: Oh.\nA: Well.", scene_id=begun.scene_id)
            added = next(e for e in await person.does(more) if isinstance(e, SceneStarted))
            (third,) = {voice.id for voice in women} - {"af_heart", second}
            assert [line.voice for line in added.lines] == [second, third, "af_heart"]


def test_distance_of_embeddings_is_cosine() -> None:
    distance = by_embedding({"a": (1, 0), "b": (0, 2), "c": (-3, 0)})
    assert [distance("a", other) for other in "abcx"] == [0.0, 1.0, 2.0, 1.0]
    with pytest.raises(ValueError, match="zeros"):
        by_embedding({"a": (0, 0)})


_HINTS = st.lists(
    st.builds(
        SpeakerHint,
        st.text("abcdefgh", min_size=1, max_size=2),
        st.sampled_from(["female", "male", None]),
        st.sampled_from(["en-GB", "en-US", "ja-JP", None]),
    ),
    unique_by=lambda hint: hint.name,
    max_size=12,
)


@given(_HINTS, st.dictionaries(st.text("abcd", min_size=1, max_size=1), st.sampled_from(VOICES)))
def test_later_speakers_change_nothing_for_earlier_ones(
    hints: list[SpeakerHint], chosen: dict[str, Voice]
) -> None:
    given = {name: one.id for name, one in chosen.items()}
    whole = propose(hints, VOICES, given)
    assert set(whole) == {hint.name for hint in hints} | set(given)
    assert all(whole[name] == given[name] for name in given)
    for end in range(len(hints)):
        part = propose(hints[:end], VOICES, given)
        assert part.items() <= whole.items()
        assert propose(hints, VOICES, {**given, **part}).items() >= part.items()


@given(_HINTS)
def test_voices_differ_while_there_are_enough(hints: list[SpeakerHint]) -> None:
    cast = propose([SpeakerHint(h.name, h.gender) for h in hints[:6]], VOICES, {})
    assert all(a != b for a, b in itertools.combinations(cast.values(), 2))
