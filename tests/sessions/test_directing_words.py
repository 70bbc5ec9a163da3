"""Forms of words, misspellings, amounts and places, apart from what they come to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.directing.forms import adverb, comparative, folded, one_edit, verb_forms
from sessions.directing.items import Amount
from sessions.directing.numbers import amount
from sessions.directing.places import Counted, Place, Quoted, Share, Side, Within
from sessions.directing.spots import Line, joined, resolved, without
from sessions.directing.tokens import tokenised


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("sad", "sadder"),
        ("gentle", "gentler"),
        ("happy", "happier"),
        ("slow", "slower"),
        ("loud", "louder"),
        ("flat", "flatter"),
        ("calm", "calmer"),
        ("gay", "gayer"),
    ],
)
def test_comparatives(word: str, expected: str) -> None:
    assert comparative(word) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [("sad", "sadly"), ("gentle", "gently"), ("happy", "happily"), ("dramatic", "dramatically")],
)
def test_adverbs(word: str, expected: str) -> None:
    assert adverb(word) == expected


def test_verbs() -> None:
    assert verb_forms("whisper") == ("whisper", "whispers", "whispering")
    assert verb_forms("cry") == ("cry", "cries", "crying")
    assert verb_forms("smile") == ("smile", "smiles", "smiling")
    assert verb_forms("hush") == ("hush", "hushes", "hushing")


def test_folding_forgives_case_accents_and_apostrophes() -> None:
    assert folded("Don’t BLASÉ") == "don't blase"


WORD = st.text("abc", min_size=1, max_size=6)


@given(WORD, st.integers(0, 6), st.sampled_from("abcd"))
def test_one_edit_is_one_letter_put_in_left_out_or_changed(word: str, at: int, letter: str) -> None:
    at = min(at, len(word) - 1)
    assert one_edit(word, word[:at] + letter + word[at:])
    assert one_edit(word, word[:at] + word[at + 1 :])
    assert one_edit(word, word[:at] + letter + word[at + 1 :])
    assert not one_edit(word, "dd" + word)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("20%", Amount(20, "percent")),
        ("two semitones", Amount(2, "semitones")),
        ("one and a half seconds", Amount(1.5, "seconds")),
        ("half a second", Amount(0.5, "seconds")),
        ("250 ms", Amount(0.25, "seconds")),
        ("3dB", Amount(3, "decibels")),
        ("an octave", Amount(12, "semitones")),
        ("a couple of semitones", Amount(2, "semitones")),
        ("1,5 times", Amount(1.5, "times")),
        ("-2", Amount(-2, "bare")),
        ("twice", Amount(2, "times")),
    ],
)
def test_amounts(said: str, expected: Amount) -> None:
    tokens = tokenised(said)
    start = 1 if said.startswith("a couple") else 0
    found = amount(tokens, start)
    assert found is not None
    assert found[0].unit == expected.unit
    assert found[0].value == pytest.approx(expected.value)
    assert found[1] == len(tokens)


LINE = Line.of("No, no. He said no to Dr. Brown, twice!", ())


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (Quoted("no"), [(0, 1), (1, 2), (4, 5)]),
        (Quoted("no", 2), [(1, 2)]),
        (Quoted("no", -1), [(4, 5)]),
        (Quoted("no", 4), []),
        (Quoted("browm"), [(7, 8)]),
        (Counted("sentence", 2), [(2, 9)]),
        (Counted("sentence", 3), []),
        (Counted("word", -1), [(8, 9)]),
        (Counted("word", -1, 2), [(7, 9)]),
        (Counted("word", -1, 99), [(0, 9)]),
        (Share(1, 3), [(0, 3)]),
        (Side("end"), [(8, 9)]),
        (Within(Counted("word", -1), Counted("sentence", None)), [(1, 2), (8, 9)]),
    ],
)
def test_places_are_found(place: Place, expected: list[tuple[int, int]]) -> None:
    assert resolved(place, LINE) == expected


@given(
    st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda p: (min(p), max(p) + 1)),
    st.lists(st.tuples(st.integers(0, 9), st.integers(1, 5)).map(lambda p: (p[0], p[0] + p[1]))),
)
def test_what_is_left_and_what_is_taken_make_the_whole(
    run: tuple[int, int], taken: list[tuple[int, int]]
) -> None:
    left = {i for a, b in without(run, taken) for i in range(a, b)}
    covered = {i for a, b in joined(taken) for i in range(a, b)}
    assert covered == {i for a, b in taken for i in range(a, b)}
    assert left == set(range(*run)) - covered
