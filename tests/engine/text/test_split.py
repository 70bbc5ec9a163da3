"""Sentences come out as soon as they are certain, whole, and however the text arrived."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.boundaries import Ahead, Verdict, judge
from engine.text.split import Segment, SplitRules, Splitter

PIECES = st.sampled_from(
    [
        "Dr. Smith", "U.S.", " ", " ", " ", "\n", "\n\n", ". ", "? ", '." ', "… ", "He", "went",
        "98.6°F", "$3.5", "9 a.m. sharp", "J. R. R. Tolkien", "No. 5", "no. ", ", and ", "; ",
        "—", "e.g. ", "https://a.bc/d?e=f. ", "- item", "1. ", "# Title\n", "🔥", "é", "。",
        "x" * 90,
    ]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=400), st.lists(PIECES, max_size=60).map("".join))


def split(text: str, rules: SplitRules | None = None) -> list[Segment]:
    splitter = Splitter(rules)
    return splitter.push(text) + splitter.end()


def sentences(text: str) -> list[str]:
    return [segment.text.strip() for segment in split(text)]


@given(TEXTS)
def test_split_and_join_is_identity(text: str) -> None:
    segments = split(text)
    assert "".join(segment.text for segment in segments) == text
    assert [text[s.start : s.start + len(s.text)] for s in segments] == [s.text for s in segments]
    assert all(segment.text for segment in segments)


@given(TEXTS, st.data())
def test_segments_do_not_depend_on_the_pieces(text: str, data: st.DataObject) -> None:
    splitter = Splitter()
    pieces: list[Segment] = []
    at = 0
    while at < len(text):
        size = data.draw(st.integers(1, 40))
        pieces += splitter.push(text[at : at + size])
        at += size
    assert pieces + splitter.end() == split(text)


@given(TEXTS)
def test_segments_do_not_depend_on_single_characters(text: str) -> None:
    splitter = Splitter()
    assert [s for char in text for s in splitter.push(char)] + splitter.end() == split(text)


@given(TEXTS, st.integers(1, 50))
def test_no_segment_is_over_the_bound(text: str, bound: int) -> None:
    rules = SplitRules(bound, bound, max(1, bound // 2), 10)
    assert all(len(segment.text) <= bound for segment in split(text, rules))


@pytest.mark.parametrize(
    "text",
    [
        "It was 98.6°F outside.",
        "It costs $3.5 each.",
        "I saw Dr. Smith today.",
        "The U.S. economy grew.",
        "Be there at 9 a.m. sharp.",
        "By J. R. R. Tolkien himself.",
        "It is 8,848.86 meters (29,031.7 feet) high.",
        "See https://example.com/a.b?c=d now.",
        "Write to john.doe@example.com today.",
        "Well... maybe not.",
        "Well… I think so.",
        "Version 2.3.1 is out.",
        "Bring fruit, e.g. apples, i.e. food.",
        "Chanel No. 5 is a perfume.",
        "We live in St. Louis now.",
        "Apple Inc. makes phones.",
        "“Stop!” he shouted.",
        '"Is it?" she asked.',
        "Mr. and Mrs. Jones came.",
        "See Fig. 3 on p. 12 please.",
        "On Sept. 5 we met.",
        "We met at 9 p.m. Monday.",
        "1. Milk and eggs",
        "He holds a Ph.D. from Yale.",
        "A vs. B is the question.",
        "It is .5 or 1.5, not 2.",
        "George W. Bush spoke.",
        "Sammy Davis Jr. sang.",
    ],
)
def test_never_splits_inside(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two.", ["One.", "Two."]),
        ("hello there. how are you? fine!", ["hello there.", "how are you?", "fine!"]),
        ("He said no. Then he left.", ["He said no.", "Then he left."]),
        ("He lives in the U.S. He likes it.", ["He lives in the U.S.", "He likes it."]),
        ("Come at 9 a.m. We leave then.", ["Come at 9 a.m.", "We leave then."]),
        ("So am I. Then go.", ["So am I.", "Then go."]),
        ("Take plan B. It works.", ["Take plan B.", "It works."]),
        ('He said "no." Then he left.', ['He said "no."', "Then he left."]),
        ("(It rained.) We stayed.", ["(It rained.)", "We stayed."]),
        ("Wait... What?", ["Wait...", "What?"]),
        ("In 1999. After that.", ["In 1999.", "After that."]),
        ("# Title\nText here", ["# Title", "Text here"]),
        ("- Milk\n- Eggs", ["- Milk", "- Eggs"]),
        ("Intro\n\nNext part", ["Intro", "Next part"]),
        ("one line\ngoes on", ["one line\ngoes on"]),
        ("Wait . . . what? No .", ["Wait . . .", "what?", "No ."]),
        ("你好。再见。", ["你好。", "再见。"]),
        ("I came by bus, etc. The end.", ["I came by bus, etc.", "The end."]),
    ],
)
def test_splits_between_sentences(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


def test_a_sentence_is_out_with_the_space_after_it() -> None:
    splitter = Splitter()
    assert splitter.push("The light was on.") == []
    assert splitter.push(" ") == [Segment("The light was on. ", 0)]


def test_a_doubtful_period_waits_for_the_next_word() -> None:
    splitter = Splitter()
    assert splitter.push("He lives in the U.S. Th") == []
    assert splitter.push("e ") == [Segment("He lives in the U.S. ", 0)]


def test_a_long_sentence_is_cut_at_its_best_clause() -> None:
    text = (
        "When the last of the boats had come in, the men of the village, tired and wet, went up "
        "the hill to the old church, because the wind had turned and nobody wished to sleep."
    )
    first, *rest = split(text)
    assert first.text.endswith("the old church, ")
    assert len(rest) == 1


def test_text_without_any_mark_still_comes_out() -> None:
    segments = split("a" * 100_000)
    assert max(len(segment.text) for segment in segments) == 300


def test_what_is_held_is_bounded_when_single_characters_come() -> None:
    splitter = Splitter()
    rules = SplitRules()
    held = 0
    taken = 0
    for index, char in enumerate(("a" * 37 + ". ") * 500 + " " * 5000 + "b" * 5000):
        taken += sum(len(segment.text) for segment in splitter.push(char))
        held = max(held, index + 1 - taken)
    assert held <= rules.max_chars + rules.lookahead


@pytest.mark.parametrize(
    "unit", ["a", "Dr. ", "a.b. ", " ", ". ", "U.S. ", "a, ", '." ', "\n", "—"]
)
def test_work_is_linear_in_the_text(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Single characters are the worst case; each is judged a bounded number of times."""
    calls = 0

    def counted(text: str, at: int, ahead: Ahead) -> Verdict:
        nonlocal calls
        calls += 1
        return judge(text, at, ahead)

    monkeypatch.setattr("engine.text.split.judge", counted)
    splitter = Splitter()
    text = unit * (20_000 // len(unit))
    for char in text:
        splitter.push(char)
    splitter.end()
    assert calls <= 5 * len(text)


def test_the_smallest_bound_still_gets_through() -> None:
    text = "e\u0301\u0301 a"
    assert [s.text for s in split(text, SplitRules(1, 1, 1, 1))] == list(text)


def test_rules_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match="clause_chars"):
        SplitRules(max_chars=10)
