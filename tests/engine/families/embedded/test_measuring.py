"""A word alone is as loud as the model says it, in every voice; longer clauses aren't measured."""

from dataclasses import replace
from unittest import mock

import numpy as np
import pytest

from engine.families.embedded import cut
from engine.families.embedded.clause import HOP, Plan
from engine.families.embedded.finish import to_int16
from engine.families.embedded.measuring import SHORT, TINY
from engine.types import Performance
from tests.engine.families.embedded.driving import SENTENCE, session, sound, uncut, utterance


@pytest.fixture(scope="module")
def whole():
    """The uncut model: a plan's sound from its first played sample on."""
    known = uncut()
    ready = session(known.model)

    def say(plan: Plan) -> np.ndarray:
        (wave, *_) = ready.run([cut.AUDIO], known.feeds(plan))
        return to_int16(wave.ravel()[plan.span.skip * HOP :])

    return say


def level(samples: np.ndarray) -> float:
    return 10 * np.log10(np.mean(np.square(samples, dtype=float)) + 1)


def planned(voice, text: str, who: str) -> list[Plan]:
    return [plan for plan in voice.think(utterance(text, who)) if isinstance(plan, Plan)]


@pytest.mark.parametrize("who", ["af_kore", "am_puck", "af_bella", "bf_emma"])
@pytest.mark.parametrize("text", ["Oh.", "A.", "Hello"])
def test_a_word_alone_is_as_loud_as_the_model_says_it(fast, whole, who, text):
    """Predicted statistics left "Oh." inaudible in the first two of these voices."""
    (plan,) = planned(fast, text, who)
    streamed = sound(fast.speak(utterance(text, who)))
    assert plan.span.frames <= TINY
    assert abs(level(streamed) - level(whole(plan))) < 1


def test_a_little_more_is_within_five_decibels(fast, whole):
    (plan,) = planned(fast, "See you soon!", "af_bella")
    streamed = sound(fast.speak(utterance("See you soon!", "af_bella")))
    assert TINY < plan.span.frames <= SHORT
    assert abs(level(streamed) - level(whole(plan))) < 5


def test_only_short_clauses_are_measured(fast):
    def measured(text: str):
        said = utterance(text)
        return fast.talk(said, planned(fast, text, "af_heart"))[0].measured

    assert measured("Oh.").generator is not None
    assert measured("Good morning everyone.").generator is None
    assert measured(SENTENCE) is None
    assert measured("Oh.").wave is not None
    assert measured("Good morning everyone.").wave is None


@pytest.mark.parametrize("text", ["Oh.", "Yes."])
def test_a_short_clause_is_decoded_once(fast, text):
    """By who measures it: what is handed on is that wave, at no cost, in whatever windows."""
    said = utterance(text, "af_nova")
    (frames,) = fast.talk(said, planned(fast, text, "af_nova"))
    wave = to_int16(frames.measured.wave[frames.span.skip * HOP :])
    with mock.patch.object(fast.code2wav, "_decoder", None):
        np.testing.assert_array_equal(sound(fast.decode(said, [frames], (2, 4))), wave)
        np.testing.assert_array_equal(sound(fast.decode(said, [frames], (20,))), wave)
    state = fast.code2wav.open(said)
    fast.code2wav.push(state, frames)
    assert fast.code2wav.ready(state).work == 0


def test_a_short_clause_that_is_directed_is_decoded(fast):
    """Its measured sound is the neutral one; the statistics of that are used all the same."""
    plain = utterance("Yes.", "af_nova")
    said = replace(plain, performance=Performance(soft=0.2, breath=0.2))
    plans = [plan for plan in fast.think(said) if isinstance(plan, Plan)]
    (frames,) = fast.talk(said, plans)
    state = fast.code2wav.open(said)
    fast.code2wav.push(state, frames)
    assert fast.code2wav.ready(state).work == len(state.units[0].renderings) == 2
    directed, neutral = sound(fast.decode(said, [frames])), sound(fast.speak(plain))
    assert len(directed) == frames.span.samples == len(neutral)
    assert not np.array_equal(directed, neutral)
    assert abs(level(directed) - level(neutral)) < 4
