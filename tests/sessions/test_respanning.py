"""A performance at another text's characters: parts hold for the same words, or those instead."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.types import Change, Levers, Part, Pause, Performance
from sessions.editing import WordChange, edit_words
from sessions.respanning import respanned, widened
from tests.sessions.spoken import words_of

LOW = Levers(pitch=-1.0)
TEXT = "we sail at dawn my friends"


def part_of(text: str, word: str) -> Performance:
    start = text.index(word)
    return Performance(parts=(Part((start, start + len(word)), LOW),))


def edited(*changes: tuple[tuple[int, int], str]) -> tuple[str, tuple[Change, ...]]:
    plan = edit_words(TEXT, words_of(TEXT), [WordChange(*change) for change in changes])
    return plan.new_text, tuple(Change(one.old, one.new) for one in plan.changes)


def held(performance: Performance, text: str) -> list[str]:
    return [text[slice(*part.span)] for part in performance.parts]


def test_a_part_moves_with_its_word() -> None:
    text, changes = edited(((0, 1), "everybody"), ((5, 6), "foes"))
    assert held(respanned(part_of(TEXT, "dawn"), changes), text) == ["dawn"]


def test_a_part_of_a_word_that_is_changed_holds_for_the_one_instead() -> None:
    text, changes = edited(((3, 4), "the very first light"))
    assert held(respanned(part_of(TEXT, "dawn"), changes), text) == ["the very first light"]


def test_a_part_of_a_word_that_is_taken_out_goes() -> None:
    _, changes = edited(((3, 4), ""))
    assert respanned(part_of(TEXT, "dawn"), changes).parts == ()


def test_words_put_in_beside_a_part_are_said_as_the_rest_is() -> None:
    for at in (3, 4):
        text, changes = edited(((at, at), "red"))
        (said,) = held(respanned(part_of(TEXT, "dawn"), changes), text)
        assert said.strip() == "dawn"


def test_a_pause_stays_before_its_word() -> None:
    text, changes = edited(((0, 1), "everybody"), ((1, 2), "runs"))
    moved = respanned(Performance(pauses=(Pause(TEXT.index("dawn"), 0.5),)), changes)
    assert moved.pauses == (Pause(text.index("dawn"), 0.5),)
    text, changes = edited(((3, 4), "noon"))
    moved = respanned(Performance(pauses=(Pause(TEXT.index("dawn"), 0.5),)), changes)
    assert moved.pauses == (Pause(text.index("noon"), 0.5),)


wanted = st.dictionaries(st.integers(0, 5), st.text("ab ", max_size=6), min_size=1, max_size=4).map(
    lambda chosen: [((at, at + 1), text) for at, text in sorted(chosen.items())]
)


@given(wanted, st.integers(0, 5))
def test_whatever_is_changed_a_word_that_is_not_keeps_its_levers(
    changes: list[tuple[tuple[int, int], str]], number: int
) -> None:
    if any(start == number for (start, _), _ in changes):
        return
    word = TEXT.split()[number]
    text, found = edited(*changes)
    assert held(respanned(part_of(TEXT, word), found), text) == [word]


@given(wanted, st.lists(st.integers(0, 5), max_size=3))
def test_widened_changes_are_in_order_apart_and_outside_them_the_texts_are_equal(
    changes: list[tuple[tuple[int, int], str]], others: list[int]
) -> None:
    text, found = edited(*changes)
    words = [word.span for word in words_of(text)]
    spans = [words[number] for number in others if number < len(words)]
    wide = widened(found, spans)
    old = new = 0
    for change in wide:
        assert old <= change.old[0] <= change.old[1] <= len(TEXT)
        assert new <= change.new[0] <= change.new[1] <= len(text)
        assert TEXT[old : change.old[0]] == text[new : change.new[0]]
        assert (old, new) == (0, 0) or change.new[0] > new
        old, new = change.old[1], change.new[1]
    assert TEXT[old:] == text[new:]
    for start, end in spans:
        assert any(one.new[0] <= start and end <= one.new[1] for one in wide)
