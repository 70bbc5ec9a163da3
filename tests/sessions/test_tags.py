"""Inline tags become parts and pauses at true offsets, in any chunks; none is read aloud."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.types import Levers, Part, Pause, Performance
from sessions.directing.vocabulary import vocabulary
from sessions.tag_words import abilities
from sessions.tags import Tagged, TagReader, joined, read_tags


def said(tagged: Tagged, text: str) -> dict[str, Levers]:
    """The words of each part, without blanks around them."""
    return {text[slice(*part.span)].strip(): part.levers for part in tagged.parts}


def spoken(tagged: Tagged) -> str:
    return " ".join(tagged.text.split())


def test_a_pair_holds_for_what_it_encloses() -> None:
    text = "I said [whisper]come here[/whisper] to him."
    tagged = read_tags(text)
    assert spoken(tagged) == "I said come here to him."
    assert len(tagged.text) == len(text)
    assert [part.levers.whisper for part in tagged.parts] == [True]
    assert tagged.parts[0].span == (text.index("come"), text.index("[/"))


def test_a_tag_alone_holds_until_the_next() -> None:
    text = "[angry] Get out! [sad] I am sorry. [normal] Anyway."
    parts = said(read_tags(text), text)
    assert list(parts) == ["Get out!", "I am sorry."]
    assert parts["Get out!"].tilt == 5
    assert parts["I am sorry."].rate == 0.82


def test_tags_side_by_side_hold_together() -> None:
    text = "[whisper][sad] Goodbye."
    levers = said(read_tags(text), text)["Goodbye."]
    assert levers.whisper
    assert levers.range == 0.55


def test_a_closed_tag_gives_way_to_the_one_before_it() -> None:
    text = "[sad] one [loud] two [/loud] three [/sad] four"
    parts = said(read_tags(text), text)
    assert list(parts) == ["one", "two", "three"]
    assert parts["one"] == parts["three"]
    assert parts["two"].gain == 4


@pytest.mark.parametrize(
    ("tag", "seconds"),
    [
        ("[pause]", 0.4),
        ("[pause 0.5]", 0.5),
        ("[pause .5]", 0.5),
        ("[pause: 1s]", 1.0),
        ("[pause=250ms]", 0.25),
        ("[short pause]", 0.2),
        ("[Long Pause]", 0.8),
        ("[break]", 0.4),
        ("[pause 60]", 3.0),
    ],
)
def test_a_pause_is_behind_its_tag(tag: str, seconds: float) -> None:
    tagged = read_tags(f"Well {tag} then")
    assert tagged.pauses == (Pause(5 + len(tag), seconds),)
    assert spoken(tagged) == "Well then"


@pytest.mark.parametrize(
    ("text", "stressed"),
    [
        ("I [emphasis]never said so.", "never"),
        ("I [emphasis] never said so.", "never"),
        ("I [emphasis]never said[/emphasis] so.", "never said"),
        ("I [emphasis]never, said", "never,"),
        ("I [emphasis]never", "never"),
        ("I [emphasis]never [pause]said so", "never"),
    ],
)
def test_stress_is_on_one_word_or_on_what_is_enclosed(text: str, stressed: str) -> None:
    tagged = read_tags(text)
    assert list(said(tagged, text)) == [stressed]
    assert tagged.parts[0].levers == Levers(emphasis=1)


def test_stress_comes_on_top_of_what_holds() -> None:
    text = "[loud] I [emphasis]never said so."
    parts = said(read_tags(text), text)
    assert parts["never"] == Levers(gain=4, tilt=1, emphasis=1)
    assert parts["said so."] == Levers(gain=4, tilt=1)


@pytest.mark.parametrize("tag", ["laughing", "sigh", "Gasp", "cough", "laughs", "clears throat"])
def test_what_the_voice_cannot_do_is_told_and_not_read(tag: str) -> None:
    tagged = read_tags(f"Oh [{tag}] well")
    assert spoken(tagged) == "Oh well"
    (unable,) = tagged.unknown
    assert (unable.tag, unable.at) == (tag, 3)
    assert f"[{tag}]" in unable.message
    for name in ("whisper", "angry", "sad", "excited", "pause"):
        assert name in abilities()
        assert name in unable.message


@pytest.mark.parametrize(
    "text",
    [
        "see [1] there",
        "so [sic] he said",
        "array[0] is",
        "[text](url) here",
        "[sad](https://example.org/sad) here",
        "[see the note below] yes",
        "[LAUGHING OUT LOUD AGAIN] yes",
        "[] yes",
        "a [ b",
        "a ] b",
        "[whisper",
        "[ne\nver]",
        "[[whis",
        "[?]",
        "[John]: hello",
        "[" + "very " * 20 + "sad] no",
    ],
)
def test_brackets_that_are_no_tags_stay(text: str) -> None:
    assert read_tags(text) == Tagged(text)


@pytest.mark.parametrize(
    ("tag", "concept"),
    [
        ("whispering", "whisper"),
        ("WHISPER", "whisper"),
        ("Angrily", "angry"),
        ("excited", "excited"),
        ("slow", "slow"),
        ("fast", "fast"),
        ("soft", "soft"),
        ("loud", "loud"),
        ("shouting", "shout"),
        ("close to tears", "tearful"),
    ],
)
def test_a_tag_may_be_any_form_of_a_concept(tag: str, concept: str) -> None:
    (part,) = read_tags(f"[{tag}] yes").parts
    recipe = vocabulary().concepts[concept].recipe
    assert all(getattr(part.levers, name) == value for name, value in recipe.items())


def test_a_degree_in_a_tag() -> None:
    (part,) = read_tags("[a little loud] yes").parts
    assert part.levers == Levers(gain=2, tilt=0.5)


def test_tags_start_from_the_lines_performance() -> None:
    (part,) = read_tags("[loud] yes", Performance(pitch=2)).parts
    assert part.levers == Levers(pitch=2, gain=4, tilt=1)


def test_closing_what_is_not_open_changes_nothing() -> None:
    assert read_tags("a [/sad] b") == Tagged("a        b")


def test_two_tags_touch_and_are_not_a_link() -> None:
    text = "[sad][slow] yes"
    assert read_tags(text).parts[0].levers.rate < 0.82


def test_text_is_held_back_only_while_a_tag_may_come() -> None:
    reader = TagReader()
    assert reader.push("Hello [").text == "Hello "
    assert reader.push("1").text == ""
    assert reader.push("] and").text == "[1] and"
    assert reader.push(" [" + "x" * 60).text == " [" + "x" * 60


BRACKETED = (
    "[ ] [/ ( ) . , whisper sad emphasis [whisper] [/whisper] [angry] [sad] [/sad] [pause]"
    " [emphasis] [/emphasis] [laughing] [normal] [1] [a](b) [slow] [/slow] [sad](b)"
)
PIECES = st.lists(
    st.one_of(
        st.sampled_from((*BRACKETED.split(), "[pause 0.5]", "[very sad]", "never ", " ", "\n")),
        st.sampled_from([" the captain ", "x" * 70]),
        st.text(max_size=5),
    ),
    max_size=12,
).map("".join)


@settings(max_examples=400)
@given(PIECES, st.data())
@example("[emphasis]a b[/emphasis] c", None)
@example("I [emphasis]never[pause] said", None)
def test_any_chunks_come_to_the_same(text: str, data: st.DataObject | None) -> None:
    whole = read_tags(text)
    assert len(whole.text) == len(text)
    assert all(a in (b, " ") for a, b in zip(whole.text, text, strict=True))
    assert in_chunks(text, list(range(1, len(text)))) == whole
    if data is not None:
        cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=5).map(sorted))
        assert in_chunks(text, cuts) == whole


def in_chunks(text: str, cuts: list[int]) -> Tagged:
    reader = TagReader()
    edges = [0, *cuts, len(text)]
    pieces = [reader.push(text[a:b]) for a, b in pairwise(edges)]
    pieces.append(reader.end())
    parts: list[Part] = [part for piece in pieces for part in piece.parts]
    return Tagged(
        "".join(piece.text for piece in pieces),
        joined(parts),
        tuple(pause for piece in pieces for pause in piece.pauses),
        tuple(unable for piece in pieces for unable in piece.unknown),
    )


def test_a_long_text_full_of_brackets_takes_no_long_time() -> None:
    """Each character is looked at a bounded number of times."""
    text = "[" * 20_000 + "[sad] a " * 5_000
    tagged = read_tags(text)
    assert len(tagged.text) == len(text)
    assert len(tagged.parts) == 5_000
