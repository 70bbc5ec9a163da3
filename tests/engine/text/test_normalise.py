"""What is written is read as a careful person would, and every word points back at it."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.normalise import Unread, normalise
from engine.text.visible import visible

READINGS = Path(__file__).with_name("readings.tsv")


FAULTS = READINGS.with_name("known_faults.tsv")


def rows(table: Path) -> list[tuple[str, str]]:
    """The written and the said of every line that has a tab."""
    lines = table.read_text(encoding="utf-8").splitlines()
    cells = (line.partition("\t") for line in lines if "\t" in line)
    return [(written, said) for written, _, said in cells]


def plain(words: str) -> str:
    return " ".join(words.replace("-", " ").replace(" '", " ").lower().lstrip("'").split())


@pytest.mark.parametrize(("written", "said"), rows(READINGS))
def test_readings(written: str, said: str) -> None:
    assert plain(normalise(written).spoken) == plain(said)


@pytest.mark.parametrize(("written", "said"), rows(FAULTS))
def test_known_faults_are_still_faults(written: str, said: str) -> None:
    """When this fails, the fault is mended: move its line to readings.tsv."""
    assert plain(normalise(written).spoken) != plain(said)


WRITTEN = st.one_of(
    st.text(max_size=200),
    st.text(
        "aAbIXVéñ019 .,;:!?'\"-–—$€£%°/\\@#&*_~`<>()[]{}|^+=×²½…’“”"
        "\n\tµπж你🔥\u200b\u0301",
        max_size=200,
    ),
)  # fmt: skip


def spans(text: str) -> list[tuple[int, int]]:
    made = normalise(text)
    return [word.span for word in (*made.words, *made.unread)]


@given(WRITTEN)
def test_words_point_into_the_text_in_order(text: str) -> None:
    made = normalise(text)
    at = 0
    for word in made.words:
        assert at <= word.span[0] < word.span[1] <= len(text)
        assert text[slice(*word.span)] == word.written
        assert word.spoken == " ".join(word.spoken.split()) != ""
        assert set(word.before) <= set("“(")
        assert set(word.after) <= set("”),.;:?!—…()")
        at = word.span[1]


@given(WRITTEN)
def test_no_visible_letter_or_digit_is_passed_over(text: str) -> None:
    seen = visible(text)
    covered = {i for start, end in spans(text) for i in range(start, end)}
    for char, start in zip(seen.text, seen.starts, strict=True):
        if char.isascii() and char.isalnum():
            assert start in covered
        if char.isalpha() and not char.isascii():
            assert start in covered


@given(WRITTEN)
def test_what_is_spoken_is_plain_words(text: str) -> None:
    for word in normalise(text).words:
        assert not any(char.isdecimal() or char in "$€£%@#&+=<>*_/\\|~^" for char in word.spoken)


def test_scripts_without_a_reading_are_named() -> None:
    made = normalise("Say 你好, мир and café.")
    assert made.unread == (Unread("你好", (4, 6), "CJK"), Unread("мир", (8, 11), "CYRILLIC"))


def test_words_of_a_link_point_at_its_text() -> None:
    text = "See [the manual](https://example.com) **now**."
    assert [(w.written, w.span[0]) for w in normalise(text).words] == [
        ("See", 0),
        ("the", 5),
        ("manual", 9),
        ("now", 40),
    ]


def test_marks_go_with_their_words() -> None:
    first, *_, last = normalise('"Well," he said -- (truly) "no"...').words
    assert (first.before, first.after) == ("“", ",”")
    assert (last.before, last.after) == ("“", "”…")


@pytest.mark.parametrize(
    ("text", "letters"),
    [("I am a cat.", ()), ("A cat", ()), ("He got an A.", ("A.",)), ("Say A B C", ("A", "B", "C"))],
)
def test_letters_are_told_from_words(text: str, letters: tuple[str, ...]) -> None:
    named = (word.written + word.after for word in normalise(text).words if word.letters)
    assert tuple(named) == letters


@pytest.mark.parametrize(
    "unit",
    ["<a ", "[a", "*_", "1/", "a-", "A", "1", "&", "a.b", "(", "'", "1,", "1 ", "<a=", "|", "a@"],
)
def test_hostile_text_does_not_backtrack(unit: str) -> None:
    """CPU time, since wild backtracking takes minutes where this takes milliseconds."""
    started = time.process_time()
    normalise(unit * 300)
    assert time.process_time() - started < 1
