"""Levers on tokens and frames: what is said otherwise, how long it lasts, how it goes over."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.families.embedded import levers
from engine.families.embedded.levers import HIGHEST, LOWEST, NEUTRAL, Directed, Stretch
from engine.families.embedded.phonemes import Reading, ReadWord
from engine.types import Levers, Part, Performance

#: "see the cat" as three words of phonemes with a mark at the end.
READING = Reading(
    (
        ReadWord("see", (0, 3), (0, 2)),
        ReadWord("the", (4, 7), (3, 5)),
        ReadWord("cat", (8, 11), (6, 9)),
    ),
    "si ðə kæt.",
)
NUMBERS = [field for field in LOWEST.__dataclass_fields__ if field not in {"whisper", "emphasis"}]


@given(st.builds(Levers, **dict.fromkeys(NUMBERS, st.floats(-1e6, 1e6))))
def test_no_lever_leaves_its_safe_ends(asked):
    held = levers.safe(asked)
    for name in NUMBERS:
        low, value, high = (getattr(ends, name) for ends in (LOWEST, held, HIGHEST))
        assert low <= value <= high
        if low <= getattr(asked, name) <= high:
            assert value == getattr(asked, name)


def test_neutral_is_within_the_safe_ends():
    assert levers.safe(NEUTRAL) == NEUTRAL


def test_the_later_part_holds_and_marks_go_with_words_said_alike():
    low, high = Levers(pitch=-2), Levers(pitch=2)
    performance = Performance(rate=0.9, parts=(Part((104, 111), low), Part((109, 111), high)))
    said = levers.of_tokens(performance, 100, READING)
    plain = Levers(rate=0.9)
    assert said.of == (*[plain] * 4, low, low, plain, *[high] * 3, high, high)
    assert said.words == ((1, 3), (4, 6), (7, 10))


def test_stress_is_a_words_and_never_the_whole_takes():
    said = levers.of_tokens(Performance(emphasis=1.0), 0, READING)
    assert said.is_neutral
    assert levers.directed(said, np.ones(12, np.float32), True) is None


def test_lengths_follow_pace_vowels_whisper_and_stress():
    performance = Performance(
        rate=0.8,
        vowels=1.2,
        parts=(Part((8, 11), Levers(rate=1.1, whisper=True, emphasis=1.0)),),
    )
    said = levers.of_tokens(performance, 0, READING)
    plain, own = levers.lengths(said, READING.phonemes)
    assert plain[2] == pytest.approx(1.2 / 0.8)
    assert plain[1] == plain[0] == pytest.approx(1 / 0.8)
    np.testing.assert_array_equal(plain[:6], own[:6])
    assert own[8] == pytest.approx(levers.STRESSED / (1.1 * levers.WHISPER_RATE))
    assert own[10] == pytest.approx(1 / (1.1 * levers.WHISPER_RATE))


def _how(*values, base=0.0):
    stretches = tuple(Stretch(10 * i, 10 * i + 10, Levers(pitch=v)) for i, v in enumerate(values))
    return Directed(Levers(pitch=base), stretches, (), True)


@given(st.lists(st.floats(-4, 5), min_size=1, max_size=6, unique=True))
def test_what_is_said_as_the_whole_take_is_never_on_a_ramp(values):
    how = _how(*values, base=values[0])
    at = np.arange(0, 10 * len(values), 0.125)
    made = levers.track(how, lambda lever: lever.pitch, at)
    np.testing.assert_array_equal(made[at < 10], values[0])
    for i, value in enumerate(values):
        assert made[np.searchsorted(at, 10 * i + 5)] == value
    steps = np.abs(np.diff(made))
    span = max(values) - min(values)
    assert steps.max(initial=0) <= span * 0.125 / levers.RAMP + 1e-9
