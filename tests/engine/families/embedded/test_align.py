"""Which tokens are made again: outside of them both clauses have the same phonemes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.families.embedded.align import compare, merged, with_marks
from engine.families.embedded.clause import Splice

words = st.lists(
    st.sampled_from(["ðə", "kˈæt", "sˈæt,", "ˈɔn", "mˈæt.", "ɐ"]), min_size=1, max_size=9
)


def _outside(splices, old, new):
    """What is kept of each, with its padding."""
    was, is_ = f"^{old}$", f"^{new}$"
    pairs, a, b = [], 0, 0
    for splice in [*splices, Splice(len(was), 0, len(is_), 0)]:
        pairs.append((was[a : splice.old_start], is_[b : splice.start]))
        a, b = splice.old_stop, splice.stop
    return pairs


@given(words, words, st.sets(st.integers(0, 8), max_size=3))
def test_outside_of_splices_all_is_equal(before, after, forced):
    old, new = " ".join(before), " ".join(after)
    starts = [1 + len(" ".join(after[:i])) + (i > 0) for i in range(len(after))]
    tokens = [(starts[i], starts[i] + len(after[i])) for i in forced if i < len(after)]
    found = compare(old, new, tokens)
    for was, is_ in _outside(found, old, new):
        assert was == is_
        assert was
    for start, stop in tokens:
        assert any(s.start <= start and stop <= s.stop for s in found)
    if before == after and not tokens:
        assert found == []


def test_a_splice_takes_the_spaces_around_it():
    (found,) = compare("ðə kˈæt sˈæt", "ðə dˈɔɡ sˈæt", [])
    assert (found.old_start, found.old_stop) == (3, 9)
    assert (found.start, found.stop) == (3, 9)


@pytest.mark.parametrize(
    ("old", "new", "stops"),
    [
        ("ðə kˈæt.", "ðə dˈɔɡ.", (8, 8)),
        ("ðə kˈæt.", "ðə dˈɔɡ?", (9, 9)),
        ("ðə kˈæt.", "ðə kˈæt dˈɔɡ.", (8, 13)),
        ("ðə kˈæt, sˈæt", "ðə dˈɔɡ, sˈæt", (8, 8)),
    ],
)
def test_a_stop_that_stays_is_not_made_again(old, new, stops):
    (found,) = compare(old, new, [])
    assert (found.old_stop, found.stop) == stops


def test_a_stop_that_is_asked_for_is():
    (found,) = compare("ðə kˈæt.", "ðə dˈɔɡ.", [(4, 9)])
    assert found.stop == 9


def test_splices_one_space_apart_are_one():
    (found,) = compare("ɐ bˈi sˈi dˈi", "ɐ ˈɛks wˈI dˈi", [])
    assert found.old_start == 2


def test_a_pause_behind_marks_is_reached_and_one_behind_a_word_is_not():
    old, new = "kˈæt, ænd dˈɔɡ", "kˈæt, bˌʌt dˈɔɡ"
    (found,) = compare(old, new, [])
    assert with_marks(found, old, new, 5).old_start == 5
    assert with_marks(found, old, new, 0).old_start == found.old_start


@pytest.mark.parametrize(("gap", "count"), [(0, 2), (1, 1)])
def test_merging_is_by_what_is_between(gap, count):
    assert len(merged([Splice(1, 3, 1, 4), Splice(4, 6, 5, 5)], gap)) == count
