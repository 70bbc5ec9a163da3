"""Directions said in plain words do what they say, by degrees, and leave words, voice and sound.

A shorter run of `python -m benchmarks.directing`; docs/measuring.md says what the figures mean.
"""

import pytest

from benchmarks.directing import asked
from benchmarks.directing.asked import LADDERS, WHISPER
from benchmarks.directing.figures import climbs, effects
from benchmarks.directing.keeping import Kept
from benchmarks.directing.plan import Plan

VOICES = ("af_heart", "am_michael")
SENTENCES = asked.SENTENCES[:2]
LADDERED = ("slower", "faster", "higher", "lower", "louder", "softer")
#: Those that cost most in the whole table, and a few that move much.
COSTLY = ("calmer", "gentler", "more intimate", "scared", "close to tears", "mysterious")
#: By so much (one standard deviation) the DNSMOS of takes may vary about a direction's mean, so the
#: mean of four by half of it.
SPREAD = 0.2
#: Of the 38 words of a direction's takes, two may go wrong.
TWO_WORDS = 0.055

pytestmark = [pytest.mark.long, pytest.mark.dear]


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """Imported here, since only the long tests have the recognisers installed."""
    from benchmarks.directing.measuring import measure

    judged = (*LADDERED, *COSTLY, WHISPER)
    plan = Plan(VOICES, SENTENCES, judged=judged, laddered=LADDERED)
    kept = Kept(tmp_path_factory.mktemp("directing") / "rows.jsonl")
    assert measure(plan, kept)
    return plan.rows(kept)


@pytest.fixture(scope="module")
def heard(rows):
    made = effects(rows, (*LADDERED, *COSTLY, WHISPER))
    return {effect.direction: effect for effect in made}


def test_each_degree_goes_further_the_right_way(rows):
    climbed = climbs(rows, LADDERED)
    assert [climb.ladder for climb in climbed] == [x for x in LADDERS if x.direction in LADDERED]
    assert all(climb.rises for climb in climbed), climbed


def test_plain_directions_move_as_much_as_their_recipes_say(heard):
    assert heard["slower"].length == pytest.approx(1 / 0.85, abs=0.03)
    assert heard["faster"].length == pytest.approx(1 / 1.1, abs=0.03)
    assert heard["higher"].pitch == pytest.approx(2, abs=0.5)
    assert heard["lower"].pitch == pytest.approx(-2, abs=0.5)
    assert heard["louder"].loudness == pytest.approx(4, abs=1)
    assert heard["softer"].loudness == pytest.approx(-4, abs=1)


def test_a_whisper_has_no_voice_and_all_its_words(heard):
    whisper, softer = heard[WHISPER], heard["softer"]
    assert whisper.voiced < 0.1 < 0.2 < softer.voiced
    assert whisper.pitch is None
    assert whisper.wer <= TWO_WORDS


def test_words_are_heard_right(heard):
    assert max(effect.wer for effect in heard.values()) <= TWO_WORDS
    assert sum(effect.wer for effect in heard.values()) / len(heard) <= 0.02


def test_the_voice_stays_itself_and_its_sound_good(heard):
    """Two sentences of one voice are 0.78 to 0.88 alike, so 0.85 is the voice; DNSMOS of all
    together is nearer to that of no direction than of any one has to be."""
    spoken = [effect for effect in heard.values() if effect.direction != WHISPER]
    for effect in spoken:
        assert effect.opinion >= -0.15 - SPREAD / 2, effect
        assert effect.similarity >= 0.85, effect
    assert sum(effect.opinion for effect in spoken) / len(spoken) >= -0.1
