"""Plans: clauses of the text with durations, and word marks that point into it."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from engine.families.embedded.clause import Plan
from engine.families.embedded.pace import paced
from engine.types import Levers, Notice, Part, Passage, Pause, Performance
from tests.engine.families.embedded.driving import SENTENCE, utterance

TEXT = "Dr. Smith paid $3.50 at 9 a.m. sharp. “Well-known,” she said — and left!\n\nIt was 98.6°F."


def _plans(runners, text, **more):
    return [p for p in runners.think(utterance(text, **more)) if isinstance(p, Plan)]


def test_every_word_is_marked_in_the_text_and_in_time(exact):
    plans = _plans(exact, TEXT)
    words = [word for plan in plans for word in plan.words]
    assert [w.index for w in words] == list(range(len(words)))
    assert [TEXT[slice(*w.span)] for w in words] == [w.text for w in words]
    assert [w.text for w in words][:4] == ["Dr.", "Smith", "paid", "$3.50"]
    assert all(w.start < w.end for w in words)
    assert all(a.end <= b.start for a, b in itertools.pairwise(words))
    assert words[0].start >= 0
    assert words[-1].end <= sum(p.span.samples for p in plans)


def test_clauses_follow_one_another_without_a_gap(exact):
    plans = _plans(exact, TEXT)
    assert len(plans) >= 3
    ends = np.cumsum([0] + [p.span.samples for p in plans])
    assert [p.span.start for p in plans] == list(ends[:-1])
    assert all(p.span.frames == int(p.durations.sum()) for p in plans)


def test_text_in_single_characters_is_thought_the_same(exact):
    whole = exact.think(utterance(TEXT))
    pieces = exact.think(utterance(TEXT), pieces=list(TEXT))
    assert [p.words for p in whole] == [p.words for p in pieces]
    for a, b in zip(whole, pieces, strict=True):
        np.testing.assert_array_equal(a.durations, b.durations)


def test_nothing_to_say_makes_no_plan(exact):
    for text in ("", " ", ".", "-", "🔥", "\n\n", "…", "***"):
        assert exact.think(utterance(text)) == []


def test_a_script_that_cannot_be_read_is_told_not_dropped(exact):
    made = exact.think(utterance("She said 你好 and Привет to them."))
    notice = next(item for item in made if isinstance(item, Notice))
    assert notice.code == "unreadable"
    assert "你好" in notice.message
    assert "Привет" in notice.message
    assert any(isinstance(item, Plan) for item in made)


def test_pace_changes_length_in_proportion(exact):
    neutral = sum(p.span.frames for p in _plans(exact, SENTENCE))
    for rate in (0.8, 0.97, 1.1):
        directed = _plans(exact, SENTENCE, performance=Performance(rate=rate))
        frames = sum(p.span.frames for p in directed)
        assert abs(frames * rate / neutral - 1) < 0.05


def test_british_voices_read_british_english(exact):
    american = _plans(exact, "The bath was hot.", voice="af_heart")[0]
    british = _plans(exact, "The bath was hot.", voice="bf_emma")[0]
    assert not np.array_equal(american.tokens, british.tokens)


@given(
    arrays.arrays(np.float32, (1, 40), elements=st.floats(0.25, 30, width=32)),
    st.floats(0.5, 2),
)
def test_rounding_loses_no_time(raw, rate):
    made = paced(raw, rate)
    assert made.min() >= 1
    assert np.all(made == np.round(made))
    exact_length = float(raw.sum()) / rate
    lengthened = int(np.sum(raw / rate < 1.5))
    assert -1 <= made.sum() - exact_length <= 1 + lengthened


def test_text_that_brings_how_it_is_said_is_thought_as_if_that_was_known_before(exact):
    start, end = TEXT.index("she said"), TEXT.index("It was")
    parts = (Part((start, end), Levers(rate=0.8)),)
    pauses = (Pause(end, 0.5),)
    known = exact.think(utterance(TEXT, performance=Performance(parts=parts, pauses=pauses)))
    pieces = [TEXT[:start], Passage(TEXT[start:end], parts), Passage(TEXT[end:], (), pauses)]
    come = exact.think(utterance(TEXT), pieces=pieces)
    assert [p.words for p in come] == [p.words for p in known]
    assert [p.span for p in come] == [p.span for p in known]


def test_text_without_a_stop_is_said_as_if_it_had_one(exact):
    """A word alone would otherwise come out far too soft."""
    for bare, stopped in (("Hello", "Hello."), ("“Well”", "“Well.”")):
        said, meant = _plans(exact, bare)[0], _plans(exact, stopped)[0]
        assert said.tokens.size == meant.tokens.size
        assert [w.text for w in said.words] == [w.text for w in meant.words]
    np.testing.assert_array_equal(
        _plans(exact, "Hello")[0].tokens, _plans(exact, "Hello.")[0].tokens
    )
