"""Captions hold all words in time, and players can read them."""

from __future__ import annotations

import io
import re
from itertools import pairwise

import pytest
import webvtt
from hypothesis import given
from hypothesis import strategies as st

from engine.types import Word
from sessions.captions import LINE_CHARS, LONGEST_S, Cue, Spoken, cues, srt
from sessions.captions import webvtt as vtt

RATE = 24_000
TEXT = (
    "The boat leaves at nine, and no one waits. You know how he is; he has never waited for "
    "anybody in his life, not even for his own mother. “Come,” she said."
)


def spoken(text: str, speaker: str | None = None, offset: int = 0, pace: float = 0.3) -> Spoken:
    """Each word lasts `pace` seconds, without pauses."""
    step = int(pace * RATE)
    found = re.finditer(
        r"[^\W_]+(?:['’.-][^\W_]+)*", re.sub(r"\[.*?\]", lambda m: "_" * len(m[0]), text)
    )
    words = [Word(i, m[0], i * step, (i + 1) * step, m.span()) for i, m in enumerate(found)]
    return Spoken(text, words, RATE, speaker, offset)


def test_cues_break_where_sentences_and_clauses_end() -> None:
    assert [cue.lines for cue in cues([spoken(TEXT)])] == [
        ("The boat leaves at nine, and no one waits.",),
        ("You know how he is; he has never", "waited for anybody in his life,"),
        ("not even for his own mother.", "“Come,” she said."),
    ]


def test_cues_last_at_most_seven_seconds_and_at_least_one_where_there_is_time() -> None:
    slow = cues([spoken(TEXT, pace=1.5)])
    assert all(cue.end - cue.start <= LONGEST_S for cue in slow)
    (short,) = cues([spoken("No.")])
    assert (short.start, short.end) == (0.0, 1.0)


def test_a_silence_ends_a_cue() -> None:
    words = [Word(0, "One", 0, RATE, (0, 3)), Word(1, "two", 3 * RATE, 4 * RATE, (4, 7))]
    assert [cue.lines for cue in cues([Spoken("One two", words, RATE)])] == [("One",), ("two",)]


def test_inline_tags_are_not_shown() -> None:
    (cue,) = cues([spoken("[whisper] Come [pause 0.5]here [angry]. (Now.)")])
    assert cue.lines == ("Come here. (Now.)",)


def test_a_take_without_words_has_no_cues() -> None:
    assert cues([Spoken("🔥", (), RATE)]) == ()
    assert list(webvtt.from_buffer(io.StringIO(vtt([])))) == []
    assert srt([]) == ""


def test_a_word_longer_than_a_line_has_one_to_itself() -> None:
    assert [cue.lines for cue in cues([spoken("a " + "b" * 60 + " c")])] == [
        ("a",),
        ("b" * 60,),
        ("c",),
    ]


def test_a_scene_is_in_the_order_of_time_with_speakers() -> None:
    scene = [
        spoken("Hi.", "ANNA"),
        spoken("Later.", "BEN", 10 * RATE),
        spoken("Ho.", "C & <D>", RATE),
    ]
    assert cues(scene) == (
        Cue(0.0, 1.0, ("Hi.",), "ANNA"),
        Cue(1.0, 2.0, ("Ho.",), "C & <D>"),
        Cue(10.0, 11.0, ("Later.",), "BEN"),
    )
    assert vtt(scene) == (
        "WEBVTT\n\n"
        "00:00:00.000 --> 00:00:01.000\n<v ANNA>Hi.\n\n"
        "00:00:01.000 --> 00:00:02.000\n<v C &amp; &lt;D&gt;>Ho.\n\n"
        "00:00:10.000 --> 00:00:11.000\n<v BEN>Later.\n"
    )
    assert srt(scene) == (
        "1\n00:00:00,000 --> 00:00:01,000\nANNA: Hi.\n\n"
        "2\n00:00:01,000 --> 00:00:02,000\nC & ‹D›: Ho.\n\n"
        "3\n00:00:10,000 --> 00:00:11,000\nBEN: Later.\n"
    )


@pytest.mark.parametrize(
    ("seconds", "shown"), [(3599.9996, "01:00:00.000"), (360_000, "100:00:00.000")]
)
def test_hours_are_counted(seconds: float, shown: str) -> None:
    assert f"\n{shown} --> " in vtt([spoken("Hi.", offset=round(seconds * RATE))])


_TEXTS = st.lists(
    st.sampled_from(
        ["I", "know", "well.", "then,", "a<b", "-->", "c&d", "{\\an8}", "extraordinarily", "你好"]
    ),
    min_size=1,
    max_size=40,
).map(" ".join)


@given(st.lists(st.tuples(_TEXTS, st.sampled_from(["ANNA", None, "O <x>"])), max_size=4))
def test_other_parsers_read_what_is_written(takes: list[tuple[str, str | None]]) -> None:
    made = [spoken(text, who, i * 60 * RATE) for i, (text, who) in enumerate(takes)]
    wanted = cues(made)
    read_vtt = list(webvtt.from_buffer(io.StringIO(vtt(made))))
    read_srt = list(webvtt.from_buffer(io.StringIO(srt(made)), format="srt")) if wanted else []
    for read in (read_vtt, read_srt):
        assert [one.start_in_seconds for one in read] == [int(cue.start) for cue in wanted]
    said = [_unescaped(re.sub("<v [^>]*>", "", one.raw_text)) for one in read_vtt]
    assert said == ["\n".join(cue.lines) for cue in wanted]
    assert [one.voice and _unescaped(one.voice) for one in read_vtt] == [c.speaker for c in wanted]


def _unescaped(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


@given(_TEXTS, st.floats(0.05, 2.0))
def test_all_words_are_shown_once_in_order_on_short_lines(text: str, pace: float) -> None:
    take = spoken(text, pace=pace)
    found = cues([take])
    if not take.words:
        return
    shown = " ".join(line for cue in found for line in cue.lines)
    assert "".join(shown.split()) == "".join(text.split())
    assert all(1 <= len(cue.lines) <= 2 for cue in found)
    assert all(len(line) <= LINE_CHARS for cue in found for line in cue.lines)
    assert all(a.end <= b.start + 1e-9 for a, b in pairwise(found))
    assert all(cue.start < cue.end for cue in found)


def test_brackets_whose_words_are_spoken_are_shown() -> None:
    words = [Word(0, "Rain", 0, RATE, (0, 4)), Word(1, "sic", RATE, 2 * RATE, (6, 9))]
    (cue,) = cues([Spoken("Rain [sic].", words, RATE)])
    assert cue.lines == ("Rain [sic].",)
