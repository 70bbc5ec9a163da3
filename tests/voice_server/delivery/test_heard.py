"""What was heard of a take that was stopped, and what is left of its text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.types import Word
from voice_server.delivery.heard import Heard, WordMarks

TEXT = 'He said "stop." Then, well-known, he left.'
SPANS = {"He": 0, "said": 3, "stop": 9, "Then": 16, "well": 22, "known": 27, "he": 34, "left": 37}


def marks() -> WordMarks:
    found = WordMarks()
    found.add(
        Word(index, word, 1000 * index, 1000 * index + 900, (at, at + len(word)))
        for index, (word, at) in enumerate(SPANS.items())
    )
    return found


@pytest.mark.parametrize(
    ("played", "heard"),
    [
        (0, ""),
        (1, "He"),
        (1000, "He"),
        (1001, "He said"),
        (2950, 'He said "stop."'),
        (3001, 'He said "stop." Then,'),
        (4500, 'He said "stop." Then, well-'),
        (7001, TEXT),
        (10**9, TEXT),
    ],
)
def test_heard_ends_after_the_last_word_begun(played: int, heard: str) -> None:
    assert marks().split(TEXT, played) == Heard(heard, TEXT[len(heard) :])


@given(st.text(), st.lists(st.tuples(st.integers(0, 100), st.integers(0, 40))), st.integers())
def test_heard_and_rest_are_the_text_whatever_the_words(
    text: str, places: list[tuple[int, int]], played: int
) -> None:
    found = WordMarks()
    ordered = sorted(places)
    found.add(Word(i, "w", start, start, (at, at + 2)) for i, (start, at) in enumerate(ordered))
    split = found.split(text, played)
    assert split.heard + split.rest == text
