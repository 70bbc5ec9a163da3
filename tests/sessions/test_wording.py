"""What the engine gets of what was written: as long, tags blanked, and how it is said."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.types import Levers, Part, Passage, Pause, Performance
from sessions.wording import Wording

TEXT = "so [whisper] it ends [pause 0.5] here [/whisper] and [laughing] goes on"


def said_at(performance: Performance, at: int) -> Levers | None:
    found = [part.levers for part in performance.parts if part.span[0] <= at < part.span[1]]
    return found[-1] if found else None


@given(st.lists(st.integers(0, len(TEXT)), max_size=8).map(sorted))
def test_wherever_the_text_is_cut_the_engine_gets_the_same(cuts: list[int]) -> None:
    wording = Wording(Performance(gain=-2.0))
    ends = [*cuts, len(TEXT)]
    passages = [wording.add(TEXT[start:end]) for start, end in zip([0, *cuts], ends, strict=True)]
    passages.append(wording.end())
    text = "".join(passage.text for passage in passages)
    assert (wording.written, wording.chars, len(text)) == (TEXT, len(TEXT), len(TEXT))
    assert text.split() == ["so", "it", "ends", "here", "and", "goes", "on"]
    performance = Performance(gain=-2.0)
    for passage in passages:
        performance = passage.of(performance)
    whole, _ = Wording.whole(TEXT, Performance(gain=-2.0))
    for number, char in enumerate(text):
        if not char.isspace():
            told = said_at(whole.performance, number)
            assert said_at(wording.performance, number) == told
            assert said_at(performance, number) == told
    assert performance.pauses == wording.performance.pauses == whole.performance.pauses


def test_tags_that_the_performance_has_already_are_blanked_and_no_more() -> None:
    performance = Performance(parts=(Part((0, 2), Levers(pitch=1.0)),), pauses=(Pause(3, 0.2),))
    wording, text = Wording.whole(TEXT, performance, tags=False)
    assert wording.performance == performance
    assert "[" not in text


def test_news_of_tags_is_told_once() -> None:
    wording = Wording(Performance())
    wording.add("one [laughing] two ")
    ((told,),) = [tagged.unknown for tagged in wording.news()]
    assert told.tag == "laughing"
    assert wording.news() == ()
    assert wording.add("three") == Passage("three")
    assert wording.news() == ()
