"""Edits by text and by word: what changes, and that nothing else does."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.types import Change, Word
from sessions.editing import BadEdit, EditPlan, WordChange, edit_text, edit_words

LINE = "Well, the boat leaves on Wednesday, at 3.50 sharp."


def spoken(text: str) -> list[Word]:
    """Words as an engine marks them: without the marks around them."""
    found = re.finditer(r"[$]?[^\W_]+(?:[.,'’-][^\W_]+)*", text)
    return [Word(i, m.group(), i, i + 1, m.span()) for i, m in enumerate(found)]


def replaced(old: str, plan: EditPlan) -> list[tuple[str, str]]:
    return [(old[slice(*c.old)], plan.new_text[slice(*c.new)]) for c in plan.changes]


def applied(old: str, plan: EditPlan) -> str:
    """The old text with the changes done, and a check that all else is equal."""
    text, at, new_at = "", 0, 0
    for change in plan.changes:
        assert old[at : change.old[0]] == plan.new_text[new_at : change.new[0]]
        text += old[at : change.old[0]] + plan.new_text[slice(*change.new)]
        at, new_at = change.old[1], change.new[1]
    assert old[at:] == plan.new_text[new_at:]
    return text + old[at:]


BY_TEXT: list[tuple[str, str, list[tuple[str, str]]]] = [
    (LINE, LINE, []),
    (LINE, LINE.replace("Wednesday", "Thursday"), [("Wednesday", "Thursday")]),
    (LINE, LINE.replace("3.50", "3.75"), [("3.50", "3.75")]),
    (LINE, LINE.replace("sharp.", "sharp!"), [(".", "!")]),
    (LINE, LINE.replace("Wednesday,", "Wednesday"), [(",", "")]),
    (LINE, LINE.replace("the boat", "the old boat"), [("", "old ")]),
    (LINE, LINE.replace("on Wednesday", "Wednesday"), [("on ", "")]),
    (LINE, "Oh. " + LINE, [("", "Oh. ")]),
    (LINE, LINE + " Go!", [("", " Go!")]),
    (LINE, LINE.removeprefix("Well, "), [("Well, ", "")]),
    (LINE, LINE.replace(" sharp", ""), [(" sharp", "")]),
    (
        LINE,
        LINE.replace("boat", "ship").replace("sharp", "prompt"),
        [("boat", "ship"), ("sharp", "prompt")],
    ),
    (LINE, LINE.replace("the boat", "a ship"), [("the boat", "a ship")]),
    (LINE, LINE.replace("3.50", "four"), [("3.50", "four")]),
    (LINE, "", [(LINE, "")]),
    ("", LINE, [("", LINE)]),
    ("One.", "Two!", [("One.", "Two!")]),
    ("It's on.", "It is on.", [("It's", "It is")]),
    ("very very good", "very very very good", [("", "very ")]),
    ("he said no", "He said no", [("he", "He")]),
]


@pytest.mark.parametrize(("old", "new", "changes"), BY_TEXT)
def test_revised_text_shows_what_changed(
    old: str, new: str, changes: list[tuple[str, str]]
) -> None:
    plan = edit_text(old, spoken(old), new)
    assert replaced(old, plan) == changes
    assert applied(old, plan) == plan.new_text == new


def test_a_change_within_a_word_takes_in_all_of_it() -> None:
    old, new = "at 9 a.m. today", "at 9 p.m. today"
    words = [Word(0, "at", 0, 1, (0, 2)), Word(1, "9 a.m.", 1, 2, (3, 9))]
    assert replaced(old, edit_text(old, words, new)) == [("9 a.m.", "9 p.m.")]
    both = edit_text(old, words, "at 10 p.m. today")
    assert replaced(old, both) == [("9 a.m.", "10 p.m.")]
    three = edit_text("a 1-x-2-y b", [Word(0, "1-x-2-y", 0, 1, (2, 9))], "a 1-x-2 b")
    assert replaced("a 1-x-2-y b", three) == [("1-x-2-y", "1-x-2")]


BY_WORDS: list[tuple[str, list[tuple[int, int, str]], str]] = [
    (LINE, [(5, 6, "Thursday")], LINE.replace("Wednesday", "Thursday")),
    (LINE, [(5, 6, "Thursday,")], LINE.replace("Wednesday", "Thursday")),
    (LINE, [(8, 9, "prompt!")], LINE.replace("sharp.", "prompt!")),
    (LINE, [(0, 1, "So")], LINE.replace("Well", "So")),
    (LINE, [(0, 1, "")], LINE.removeprefix("Well, ")),
    (LINE, [(8, 9, "")], LINE.replace(" sharp", "")),
    (LINE, [(6, 9, "")], "Well, the boat leaves on Wednesday."),
    (LINE, [(4, 6, "")], "Well, the boat leaves, at 3.50 sharp."),
    (LINE, [(2, 2, "old")], LINE.replace("boat", "old boat")),
    (LINE, [(0, 0, "Oh,")], "Oh, " + LINE),
    (LINE, [(9, 9, "now")], LINE.replace("sharp.", "sharp now.")),
    (LINE, [(9, 9, "now!")], LINE.replace("sharp.", "sharp now!")),
    (LINE, [(2, 2, ", ahem,")], "Well, the, ahem, boat leaves on Wednesday, at 3.50 sharp."),
    (LINE, [(9, 9, "!")], LINE.replace("sharp.", "sharp!")),
    (LINE, [(7, 8, "four"), (1, 2, "a")], LINE.replace("the", "a").replace("3.50", "four")),
    (LINE, [(1, 2, "a"), (2, 3, "ship")], LINE.replace("the boat", "a ship")),
    (LINE, [(2, 2, "old"), (2, 3, "ship")], LINE.replace("boat", "old ship")),
    (LINE, [(0, 1, ""), (1, 2, "")], LINE.removeprefix("Well, the ")),
    (LINE, [(0, 9, "")], ""),
    (LINE, [(0, 9, "Gone.")], "Gone."),
    (LINE, [], LINE),
    (LINE, [(5, 6, "Wednesday")], LINE),
    ("I, however, agree.", [(1, 2, "")], "I, agree."),
    ('He said "no" twice.', [(2, 3, "")], "He said twice."),
    ('"Yes," he said.', [(0, 0, "Oh")], '"Oh Yes," he said.'),
    ("你好世界。", [(0, 0, "再")], "再你好世界。"),
    ("Wait - no.", [(1, 2, "")], "Wait."),
    ("", [(0, 0, "Hello.")], "Hello."),
]


@pytest.mark.parametrize(("old", "changes", "new"), BY_WORDS)
def test_words_are_changed_with_the_marks_around_them(
    old: str, changes: list[tuple[int, int, str]], new: str
) -> None:
    plan = edit_words(old, spoken(old), [WordChange((a, b), text) for a, b, text in changes])
    assert plan.new_text == new
    assert applied(old, plan) == new


WRONG: list[tuple[list[tuple[int, int, str]], str, str]] = [
    ([(0, 1, "a"), (3, 10, "b")], "changes[1].words", "expected 0 ≤ from ≤ to ≤ 9"),
    ([(3, 2, "b")], "changes[0].words", "expected 0 ≤ from ≤ to ≤ 9"),
    ([(-1, 2, "b")], "changes[0].words", "expected 0 ≤ from ≤ to ≤ 9"),
    ([(4, 6, "a"), (3, 5, "b")], "changes[1].words", r"overlaps changes\[0\].words"),
    ([(4, 4, "a"), (4, 4, "b")], "changes[1].words", r"overlaps changes\[0\].words"),
    ([(4, 6, "a"), (5, 5, "b")], "changes[1].words", r"overlaps changes\[0\].words"),
    ([(4, 4, " ")], "changes[0].text", "nothing is put in"),
]


@pytest.mark.parametrize(("changes", "field", "message"), WRONG)
def test_a_wrong_change_is_named(
    changes: list[tuple[int, int, str]], field: str, message: str
) -> None:
    with pytest.raises(BadEdit, match=message) as caught:
        edit_words(LINE, spoken(LINE), [WordChange((a, b), text) for a, b, text in changes])
    assert caught.value.field == field


def test_words_of_another_text_are_refused() -> None:
    with pytest.raises(BadEdit, match="is not of this text"):
        edit_text("Short.", spoken(LINE), "Shorter.")


_WORD = st.sampled_from(["a", "very", "it's", "$3.50", "well-known", "No", "ÀÉ", "你"])
_MARK = st.sampled_from([" ", " ", " ", ", ", ". ", "! ", " (", ") ", '"', " - ", "\n", "  ", "'"])
_TEXT = st.lists(st.one_of(_WORD, _MARK), max_size=16).map("".join)


@given(_TEXT, _TEXT)
def test_changes_lead_from_the_old_text_to_the_new(old: str, new: str) -> None:
    words = spoken(old)
    plan = edit_text(old, words, new)
    assert applied(old, plan) == plan.new_text == new
    assert bool(plan.changes) == (old != new)
    for change in plan.changes:
        assert not any(s < edge < e for s, e in (w.span for w in words) for edge in change.old)
    for one, other in pairwise(plan.changes):
        assert old[one.old[1] : other.old[0]].strip()


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_two_texts_will_do(old: str, new: str) -> None:
    assert applied(old, edit_text(old, spoken(old), new)) == new


@given(_TEXT, st.data())
def test_word_changes_lead_to_the_new_text(old: str, data: st.DataObject) -> None:
    words = spoken(old)
    edges = sorted(data.draw(st.lists(st.integers(0, len(words)), max_size=6, unique=True)))
    spans = list(zip(edges[::2], edges[1::2], strict=False))
    texts = data.draw(st.lists(_TEXT, min_size=len(spans), max_size=len(spans)))
    wanted = [WordChange(span, text) for span, text in zip(spans, texts, strict=True)]
    plan = edit_words(old, words, wanted)
    assert applied(old, plan) == plan.new_text
    kept = [w.text for i, w in enumerate(words) if not any(a <= i < b for a, b in spans)]
    at = 0
    for word in kept:
        at = plan.new_text.index(word, at) + len(word)
    assert all(change.old[0] <= change.old[1] for change in plan.changes)


def test_a_long_text_is_compared_from_one_end_to_the_other() -> None:
    old = " ".join(f"word{n % 97}" for n in range(3000))
    new = "Now " + old.replace("word40", "forty", 1) + " then"
    assert len(edit_text(old, spoken(old), new).changes) == 3
    assert applied(old, edit_text(old, spoken(old), new)) == new


def test_a_change_is_a_plain_value() -> None:
    assert edit_text("a b", spoken("a b"), "a c").changes == (Change((2, 3), (2, 3)),)
