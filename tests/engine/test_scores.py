"""Scores survive being kept as bytes; anything else is refused by name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.scores import BadScore, pack, unpack
from engine.types import ClauseScore, Word

spans = st.tuples(st.integers(0, 10**6), st.integers(0, 10**6))
words = st.builds(Word, st.integers(0, 99), st.text(), st.integers(0), st.integers(0), spans)
scores = st.builds(
    ClauseScore, spans, st.integers(0), st.integers(0), st.lists(words).map(tuple), st.binary()
)


@given(st.lists(scores, max_size=4))
def test_what_is_packed_comes_out_again(given_scores):
    made = unpack(pack(given_scores))
    fields = ("span", "start", "samples", "words", "notes")
    told = [[getattr(score, field) for field in fields] for score in made]
    assert told == [[getattr(score, field) for field in fields] for score in given_scores]


@given(st.binary(min_size=1, max_size=200))
def test_other_bytes_are_refused_and_nothing_else_happens(data):
    with pytest.raises(BadScore, match="not a take's score"):
        unpack(data)


@given(scores, st.integers(1, 20))
def test_a_score_cut_short_is_refused(score, missing):
    data = pack([score])
    with pytest.raises(BadScore):
        unpack(data[:-missing])
