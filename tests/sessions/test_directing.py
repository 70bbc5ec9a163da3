"""Plain words become the change that a careful director expects, and never anything unsafe."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from engine.types import Levers, Part, Pause, Performance
from sessions.directing import Context, Directed, Near, concepts, direct
from sessions.directing.vocabulary import vocabulary

LINE = "The captain never came back, but we waited until Wednesday."


class Example(BaseModel):
    """One direction of the file, and what is expected of it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    say: str
    line: str = "captain"
    base: dict[str, float | bool] = {}
    earlier: list[dict[str, float | bool]] = []
    up: list[str] = []
    down: list[str] = []
    same: list[str] = []
    equals: dict[str, float | bool] = {}
    at: list[str] | None = None
    pauses: dict[str, float] | None = None
    ignored: list[str] = []
    impossible: list[str] = []
    still: bool = False


class Examples(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    lines: dict[str, str]
    examples: list[Example]


FILE = Examples.model_validate(
    yaml.safe_load(Path(__file__).with_name("directions.yaml").read_text(encoding="utf-8"))
)


def performance(levers: dict[str, float | bool]) -> Performance:
    return Performance(**levers)  # type: ignore[arg-type]


def place_of(text: str, piece: str) -> tuple[int, int]:
    """Of "no@19" the piece at that character, else the first there is."""
    word, _, at = piece.partition("@")
    start = int(at) if at else text.index(word)
    assert text[start : start + len(word)] == word
    return start, start + len(word)


def levers_at(result: Performance, at: int | None) -> Levers:
    found = [part.levers for part in result.parts if at is not None and _covers(part, at)]
    return found[-1] if found else result


def _covers(part: Part, at: int) -> bool:
    return part.span[0] <= at < part.span[1]


def ident(example: Example) -> str:
    return f"{example.say[:40]}|{example.line}|{sorted(example.base)}"


def test_the_file_has_examples_enough() -> None:
    assert len(FILE.examples) >= 150


@pytest.mark.parametrize("example", FILE.examples, ids=ident)
def test_a_direction_means_what_a_director_expects(example: Example) -> None:
    text = FILE.lines[example.line]
    base = performance(example.base)
    context = Context(text, (), tuple(map(performance, example.earlier)))
    directed = direct(example.say, base, context)
    assert list(directed.ignored) == example.ignored
    assert [each.phrase for each in directed.impossible] == example.impossible
    spans = [place_of(text, piece) for piece in example.at or []]
    for at in [span[0] for span in spans] or [None]:
        _levers_hold(example, base, levers_at(directed.performance, at), bool(len(spans) > 1))
    if example.at is not None:
        assert directed.scopes == tuple(sorted(spans))
    if example.pauses is not None:
        assert _pauses(text, directed.performance) == example.pauses
    if example.still:
        assert directed.performance == base
        assert directed.scopes == ()


def _levers_hold(example: Example, base: Levers, after: Levers, several: bool) -> None:
    """`several` scopes may each be moved otherwise, so that only what was said is looked at."""
    for name in example.up:
        assert getattr(after, name) > getattr(base, name), name
    for name in example.down:
        assert getattr(after, name) < getattr(base, name), name
    for name in example.same:
        assert getattr(after, name) == getattr(base, name), name
    for name, value in example.equals.items():
        if name != "whisper" or example.pauses is None:
            assert getattr(after, name) == pytest.approx(value), name


def _pauses(text: str, performance: Performance) -> dict[str, float]:
    heard = {}
    for pause in performance.pauses:
        rest = text[pause.at :].split()
        heard[rest[0].strip(".,?") if rest else "end"] = pause.seconds
    return heard


# ---- properties ----------------------------------------------------------------------------

OTHERS = (
    "the last word | first sentence | before | after | 'but' | captain | pause | , | and | 20%"
    " | than | two semitones | half a second | twice | from | to | every | of | between"
)


def all_words() -> list[str]:
    """Phrases of every kind that the vocabulary has, and some that no vocabulary needs."""
    words = vocabulary()
    found = set(OTHERS.split(" | "))
    for concept in words.concepts.values():
        found.update(concept.words, concept.phrases, concept.nouns)
    for degree in words.degrees:
        found.update(degree.words)
    for phrases in (*words.modifiers.values(), *words.returns.values(), *words.breaks.values()):
        found.update(phrases)
    return sorted(found)


WORDS = all_words()
DIRECTIONS = st.one_of(
    st.text(max_size=60), st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
)
TEXTS = st.one_of(st.just(LINE), st.text(max_size=60), st.sampled_from(list(FILE.lines.values())))


def in_bounds(levers: Levers) -> bool:
    bounds = vocabulary().levers
    return all(b.least <= getattr(levers, name) <= b.most for name, b in bounds.items())


@settings(max_examples=400)
@given(DIRECTIONS, TEXTS)
def test_any_direction_of_any_line_is_answered_and_safe(direction: str, text: str) -> None:
    directed = direct(direction, Performance(), Context(text))
    _is_sound(directed, direction, text)
    _is_sound(direct(direction, directed.performance, Context(text)), direction, text)


def _is_sound(directed: Directed, direction: str, text: str) -> None:
    result = directed.performance
    assert in_bounds(result)
    assert all(in_bounds(part.levers) for part in result.parts)
    assert all(0 <= part.span[0] < part.span[1] <= len(text) for part in result.parts)
    assert all(a.span[1] <= b.span[0] for a, b in zip(result.parts, result.parts[1:], strict=False))
    assert all(0 <= p.at <= len(text) for p in result.pauses)
    assert all(0 <= p.seconds <= vocabulary().pauses.most for p in result.pauses)
    assert all(phrase in direction for phrase in directed.ignored)
    for moved in directed.moved:
        assert direction[slice(*moved.span)].strip() == moved.phrase


RECIPES = [name for name, concept in vocabulary().concepts.items() if concept.blend is None]


def said(name: str) -> str:
    concept = vocabulary().concepts[name]
    return (concept.words or concept.verbs or concept.phrases)[0]


def distance(levers: Levers) -> dict[str, float]:
    """How far each lever is from neutral, whichever way."""
    neutral = Levers()
    return {
        field.name: abs(float(getattr(levers, field.name)) - float(getattr(neutral, field.name)))
        for field in fields(Levers)
        if field.name != "tremor_hz"
    }


@pytest.mark.parametrize("name", RECIPES)
def test_a_touch_is_less_than_a_little_than_plain_than_much(name: str) -> None:
    word = said(name)
    place = " on Wednesday" if vocabulary().concepts[name].takes_words else ""
    moves = []
    for degree in ("a touch more", "a little more", "more", "much more"):
        directed = direct(f"{degree} {word}{place}", Performance(), Context(LINE))
        at = LINE.index("Wednesday")
        moves.append(distance(levers_at(directed.performance, at if place else None)))
    for lever, bound in vocabulary().levers.items():
        steps = [move[lever] for move in moves]
        assert steps == sorted(steps), lever
        ends = (bound.least, bound.most)
        if steps[-1] and not any(abs(steps[-1] - abs(end - bound.neutral)) < 1e-3 for end in ends):
            assert steps[0] < steps[1] < steps[2] < steps[3], lever


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("back", ["not so", "less", "not as", "too"])
def test_a_concept_taken_back_goes_towards_where_it_began(name: str, back: str) -> None:
    word = said(name)
    place = " on Wednesday" if vocabulary().concepts[name].takes_words else ""
    at = LINE.index("Wednesday") if place else None
    there = direct(f"more {word}{place}", Performance(), Context(LINE)).performance
    less = direct(f"{back} {word}{place}", there, Context(LINE)).performance
    far, near = distance(levers_at(there, at)), distance(levers_at(less, at))
    assert all(near[lever] <= far[lever] + 1e-9 for lever in far)
    assert sum(near.values()) < sum(far.values())


@pytest.mark.parametrize("name", RECIPES)
def test_said_ten_times_it_is_still_speech(name: str) -> None:
    result = Performance()
    for _ in range(10):
        result = direct(f"much more {said(name)}", result, Context(LINE)).performance
    assert in_bounds(result)
    again = direct(f"much more {said(name)}", result, Context(LINE)).performance
    assert again == result


def test_the_vocabulary_is_wide() -> None:
    words = {word for c in vocabulary().concepts.values() for word in (*c.words, *c.verbs)}
    assert len(words) >= 60
    assert len(list(concepts())) >= 30


@pytest.mark.parametrize("name", list(concepts()))
def test_every_word_of_a_concept_means_it(name: str) -> None:
    """Alone, each word of the vocabulary is understood, and moves something or says why not."""
    concept = vocabulary().concepts[name]
    for word in (*concept.words, *concept.verbs, *concept.phrases):
        directed = direct(word, Performance(), Context(LINE))
        assert not directed.ignored, word
        assert not directed.impossible, word
        assert directed.moved, word


# ---- particulars ---------------------------------------------------------------------------


def test_a_direction_says_which_words_moved_what() -> None:
    directed = direct("A bit slower, whisper the last word", Performance(), Context(LINE))
    slower, whisper = directed.moved
    assert slower.phrase == "A bit slower"
    assert slower.span == (0, 12)
    assert [(c.lever, c.before, c.after) for c in slower.changes] == [("rate", 1.0, 0.922)]
    assert slower.scope is None
    assert whisper.phrase == "whisper"
    assert whisper.scope == "Wednesday"
    assert ("whisper", False, True) in [(c.lever, c.before, c.after) for c in whisper.changes]
    assert directed.scopes is None


def test_a_whole_change_moves_the_parts_from_where_they_stand() -> None:
    span = place_of(LINE, "captain")
    base = Performance(pitch=1, parts=(Part(span, Levers(pitch=3)),))
    result = direct("lower", base, Context(LINE)).performance
    assert result.pitch == -1
    assert result.parts == (Part(span, Levers(pitch=1)),)


def test_overlapping_parts_hold_as_the_later_says() -> None:
    base = Performance(
        parts=(Part((0, 27), Levers(pitch=2)), Part(place_of(LINE, "captain"), Levers(gain=3)))
    )
    result = direct("the second word a touch louder", base, Context(LINE)).performance
    assert levers_at(result, LINE.index("captain")) == Levers(gain=4, tilt=0.25)
    assert levers_at(result, LINE.index("never")) == Levers(pitch=2)


def test_a_part_brought_back_to_the_whole_is_no_part() -> None:
    louder = direct("captain louder", Performance(), Context(LINE)).performance
    back = direct("captain less loud", louder, Context(LINE))
    assert back.performance == Performance()
    assert back.scopes == (place_of(LINE, "captain"),)


def test_spoken_words_are_taken_as_given() -> None:
    """Tags or marks in the text that are not spoken are no words of a scope."""
    text = "Well *** then 42 go"
    words = (("Well", (0, 4)), ("then", (9, 13)), ("42", (14, 16)), ("go", (17, 19)))
    directed = direct("the second word louder", Performance(), Context(text, words))
    assert directed.scopes == ((9, 13),)


def test_a_pause_touches_only_the_gap_it_is_in() -> None:
    directed = direct("pause before but", Performance(), Context(LINE))
    assert directed.performance.pauses == (Pause(LINE.index("but"), 0.4),)
    assert directed.scopes == ((LINE.index(" but") - 1, LINE.index("but")),)


def test_pauses_grow_and_shrink() -> None:
    at = LINE.index("but")
    base = Performance(pauses=(Pause(at, 0.5),))
    longer = direct("a longer pause before but", base, Context(LINE)).performance
    shorter = direct("a shorter pause before but", base, Context(LINE)).performance
    assert longer.pauses == (Pause(at, 0.85),)
    assert shorter.pauses == (Pause(at, 0.15),)
    gone = direct("a shorter pause before but", shorter, Context(LINE)).performance
    assert gone == Performance()  # The voice's own is left, and said again that goes as well.
    none = direct("a shorter pause before but", gone, Context(LINE)).performance
    assert none == direct("no pause before but", base, Context(LINE)).performance
    assert none.pauses == (Pause(at, 0.0),)
    too_long = direct("the pause before but is too long", base, Context(LINE)).performance
    assert too_long.pauses == (Pause(at, 0.15),)


@dataclass(frozen=True)
class Scripted:
    """Finds what it was told to, and remembers what it was asked."""

    answers: dict[str, Near]
    asked: list[str] = field(default_factory=list)

    def nearest(self, phrase: str) -> Near | None:
        self.asked.append(phrase)
        return self.answers.get(phrase)


def test_meaning_is_asked_only_for_what_is_left() -> None:
    meaning = Scripted({"as if your cat had died": Near("sad", 0.8)})
    directed = direct(
        "slower, as if your cat had died, frobnicated", Performance(), Context(LINE), meaning
    )
    assert meaning.asked == ["as if your cat had died", "frobnicated"]
    assert directed.performance.range == pytest.approx(0.55)
    assert directed.ignored == ("frobnicated",)
    assert directed.moved[1].phrase == "as if your cat had died"


def test_a_meaning_outside_the_vocabulary_moves_nothing() -> None:
    meaning = Scripted({"frobnicated": Near("no such concept", 0.9)})
    directed = direct("frobnicated", Performance(), Context(LINE), meaning)
    assert directed.performance == Performance()
    assert directed.ignored == ("frobnicated",)


def test_what_the_voice_cannot_do_is_answered_with_what_it_can() -> None:
    (impossible,) = direct("laughing", Performance(), Context(LINE)).impossible
    assert impossible.instead == ("happy", "playful")
    assert "laughing" in impossible.message
    assert "playful" in impossible.message


def test_as_in_an_earlier_take_for_some_words_alone() -> None:
    directed = direct(
        "the last word as in the first take",
        Performance(pitch=3),
        Context(LINE, earlier=(Performance(pitch=1),)),
    )
    assert directed.scopes == (place_of(LINE, "Wednesday"),)
    assert levers_at(directed.performance, LINE.index("Wednesday")).pitch == 1
    assert directed.performance.pitch == 3


def test_an_endless_direction_is_read_to_a_bound_and_the_rest_is_told() -> None:
    directed = direct("slower, " + "x" * 2000, Performance(), Context(LINE))
    assert directed.performance.rate == 0.85
    assert "".join(directed.ignored) == "x" * 2000


STRANGE = st.sampled_from(["walrus", "brass band", "teapot", "zorkmid"])
LIKE = st.sampled_from(["like", "just like", "as if", "as though", "in the manner of"])
UNDERSTOOD = st.sampled_from(["", "sad ", "angry ", "sleepy "])
BEFORE = st.sampled_from(["", "whisper it ", "slower, ", "say it louder, ", "much softer and "])


@given(BEFORE, LIKE, st.sampled_from(["a ", "the ", "my "]), UNDERSTOOD, STRANGE)
def test_a_likeness_is_quoted_whole_and_the_rest_is_done(
    before: str, like: str, article: str, understood: str, strange: str
) -> None:
    """What is understood of it, and what stands before it, moves levers all the same."""
    likeness = f"{like} {article}{understood}{strange}"
    found = direct(before + likeness, Performance(), Context(LINE))
    assert found.ignored == (likeness,)
    moved = [one.phrase for one in found.moved]
    for wanted in (understood, before):
        if wanted:
            words = wanted.replace(",", "").split()
            assert any(word in phrase for phrase in moved for word in words)
