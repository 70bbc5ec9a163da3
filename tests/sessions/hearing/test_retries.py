"""Tries of an edit: wider and wider, never over what was heard already, never the same twice."""

from hypothesis import given
from hypothesis import strategies as st

from sessions.hearing.retries import retries, starts_before
from tests.sessions.hearing.edits import WORD, edit

LINE = "one two three four five. six seven eight nine ten. eleven twelve"


def new_words(said):
    return [said.text[slice(*change.new)] for change in said.changes]


def test_neighbours_then_more_then_the_clause():
    tries = list(retries(edit(LINE, LINE.replace("eight", "acht")), 0))
    assert [new_words(one) for one in tries] == [
        ["seven acht nine"],
        ["five. six seven acht nine ten. eleven"],
        ["six seven acht nine ten"],
    ]
    assert [one.request for one in tries] == ["take~2", "take~3", "take~4"]


def test_what_was_heard_stays():
    tries = list(retries(edit(LINE, LINE.replace("eight", "acht")), 7 * WORD))
    assert [new_words(one) for one in tries] == [
        ["acht nine"],
        ["acht nine ten. eleven"],
        ["acht nine ten"],
    ]


def test_a_line_that_is_new_already_is_not_tried_again():
    assert list(retries(edit("one two", "uno due"), 0)) == []


def test_where_tries_may_begin():
    """The clause, three words before, one word before, the word itself."""
    said = edit(LINE, LINE.replace("ten", "zehn"))
    assert starts_before(said.parent, said.changes[0]) == [n * WORD for n in (5, 6, 8, 9)]
    said = edit(LINE, LINE.replace("one", "eins"))
    assert starts_before(said.parent, said.changes[0]) == [0]


@st.composite
def edits(draw):
    words = [f"w{n}" for n in range(draw(st.integers(1, 12)))]
    stops = draw(st.sets(st.integers(0, 11), max_size=3))
    old = [f"{word}." if at in stops else word for at, word in enumerate(words)]
    at = draw(st.sets(st.integers(0, len(words) - 1), min_size=1))
    put = draw(st.sampled_from(["x{}", "x{} y{}"]))
    new = [put.replace("{}", str(n)) if n in at else word for n, word in enumerate(old)]
    return edit(" ".join(old), " ".join(new)), draw(st.integers(0, len(words))) * WORD


@given(edits())
def test_texts_are_equal_outside_of_every_try(drawn):
    said, least = drawn
    old = said.parent.text
    seen = {said.changes}
    for one in retries(said, least):
        assert one.changes not in seen
        seen.add(one.changes)
        at = (0, 0)
        for change in one.changes:
            assert old[at[0] : change.old[0]] == one.text[at[1] : change.new[0]]
            at = change.old[1], change.new[1]
        assert old[at[0] :] == one.text[at[1] :]
        for first in said.changes:
            assert any(c.new[0] <= first.new[0] and first.new[1] <= c.new[1] for c in one.changes)
