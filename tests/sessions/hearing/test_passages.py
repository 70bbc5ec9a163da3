"""Whole clauses are listened to, only those with a change, and what they read before is known."""

from sessions.hearing.passages import passages
from tests.sessions.hearing.edits import WORD, clauses, edit

LINE = "one two three. four five. six seven. eight nine."


def heard(old, new):
    said = edit(old, new)
    return passages(old, new, said.changes, clauses(new))


def test_only_the_clause_that_changed_is_listened_to():
    (part,) = heard(LINE, LINE.replace("five", "cinque"))
    assert (part.old.strip(), part.new.strip()) == ("four five.", "four cinque.")
    assert (part.start, part.stop) == (3 * WORD, 5 * WORD)


def test_neighbours_are_one():
    new = LINE.replace("three", "tre").replace("four", "quattro").replace("nine", "nove")
    first, second = heard(LINE, new)
    assert (first.start, first.stop) == (0, 5 * WORD)
    assert first.old.strip() == "one two three. four five."
    assert second.new.strip() == "eight nove."


def test_what_is_taken_out_is_of_the_clauses_around_it():
    new = LINE.replace("four five. ", "")
    (part,) = heard(LINE, new)
    assert "four five" in part.old
    assert part.new.strip() == "one two three. six seven."
