"""Changed words are right if they and their neighbours were heard, whatever was heard elsewhere."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sessions.hearing.comparing import compared

words = st.lists(st.sampled_from(["a", "cat", "dog", "sat", "the"]), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("old", "new", "heard", "right", "there"),
    [
        ("the cat sat", "the dog sat", "the dog sat", True, "dog"),
        ("the cat sat", "the dog sat", "the frog sat", False, "frog"),
        ("the cat sat", "the dog sat", "a dog sat", False, "a dog"),
        ("now then the cat sat", "now then the dog sat", "no then the dog sat", True, "dog"),
        ("the big cat sat", "the cat sat", "the cat sat", True, ""),
        ("the big cat sat", "the cat sat", "the pig cat sat", False, "pig"),
        ("the cat", "the dog", "the dog dog", False, "dog dog"),
        ("any sat", "anyone sat", "any one sat", True, "any one"),
        ("the cat sat", "the cat sat", "the cat sat", True, "the cat sat"),
        ("the cat sat", "the cat sat", "the mat sat", False, "the mat sat"),
        ("the cat", "a dog", "", False, ""),
    ],
)
def test_what_is_right(old, new, heard, right, there):
    found = compared(old, new, heard, str.lower)
    assert found.right is right
    if right:
        assert found.words == there


@given(words, words)
def test_what_is_heard_as_it_reads_is_right(old, new):
    assert compared(" ".join(old), " ".join(new), " ".join(new), str.lower).right


@given(words, words)
def test_the_old_words_are_not_the_new_ones(old, new):
    assume(old != new)
    assert not compared(" ".join(old), " ".join(new), " ".join(old), str.lower).right


@given(words, words, words)
def test_anything_can_be_heard(old, new, heard):
    found = compared(" ".join(old), " ".join(new), " ".join(heard), str.lower)
    assert set(found.words.split()) <= {*heard, "…"}
