"""What is asked of the voice is understood, and the figures mean what docs/measuring.md says."""

from dataclasses import replace

import pytest

from benchmarks.directing.asked import DEGREES, DIRECTIONS, LADDERS, SENTENCES, by_degree
from benchmarks.directing.figures import Climb, Rung, climbs, effects, goals
from benchmarks.directing.keeping import Kept
from benchmarks.directing.plan import Plan
from benchmarks.directing.rows import Acoustics, Judgement, Row, Told
from benchmarks.directing.taking import meant
from engine.types import Performance

PLAIN = Acoustics(seconds=2, pitch_hz=200, range=8, loudness=-23, tilt=-10, voiced=0.5)
RIGHT = Judgement(opinion=3.5, similarity=1, words=10, heard="", again=None, wrong=0)
TEXT = SENTENCES[0]


def row(direction, acoustics=PLAIN, judged=RIGHT, voice="a"):
    told = Told(voice, TEXT, direction)
    return Row(told, meant(told), acoustics, judged)


def by_degrees(seconds):
    said = (by_degree("slower", degree) for degree in DEGREES)
    made = zip(said, seconds, strict=True)
    return [row(""), *(row(d, replace(PLAIN, seconds=s), None) for d, s in made)]


def test_every_direction_is_understood_and_none_is_another_again():
    said = [meant(Told("", TEXT, direction)) for direction in DIRECTIONS]
    assert len(said) >= 30
    assert len(set(said)) == len(said)
    assert Performance() not in said


def test_every_degree_is_understood_as_one():
    for ladder in LADDERS:
        said = [meant(Told("", TEXT, by_degree(ladder.direction, d))) for d in ("", *DEGREES)]
        assert len(set(said)) == len(DEGREES)


def test_effects_are_changes_from_the_undirected_take_of_the_same_voice():
    high = Acoustics(seconds=3, pitch_hz=400, range=10, loudness=-20, tilt=-12, voiced=0.4)
    low = replace(PLAIN, pitch_hz=100)
    worse = replace(RIGHT, opinion=3.3, similarity=0.9, wrong=1)
    rows = [row(""), row("", low, voice="b"), row("higher", high, worse)]
    (one,) = effects([*rows, row("higher", low, voice="b")], ["higher", "lower"])
    assert (one.direction, one.takes) == ("higher", 2)
    assert one.length == pytest.approx(1.25)
    assert one.pitch == pytest.approx(6)
    assert (one.range, one.loudness, one.tilt) == (1, 1.5, -1)
    assert one.voiced == pytest.approx(0.45)
    assert (one.wer, one.plain_wer) == (0.05, 0)
    assert (one.opinion, one.spread) == (pytest.approx(-0.1), pytest.approx(0.1))
    assert (one.similarity, one.least) == (pytest.approx(0.95), 0.9)


def test_a_direction_that_takes_the_voice_away_has_no_pitch():
    silent = replace(PLAIN, pitch_hz=None, range=None, voiced=0)
    (one,) = effects([row(""), row("whisper", silent)], ["whisper"])
    assert (one.pitch, one.range, one.voiced) == (None, None, 0)


def test_degrees_rise_only_if_each_goes_further():
    (up,) = climbs(by_degrees([2.02, 2.1, 2.2, 2.4]), ["slower"])
    assert up.rises
    assert [rung.change for rung in up.rungs] == pytest.approx([1, 5, 10, 20])
    for seconds in ([2.02, 2.2, 2.1, 2.4], [1.9, 2.1, 2.2, 2.4], [2.1, 2.1, 2.2, 2.4]):
        assert not climbs(by_degrees(seconds), ["slower"])[0].rises


def test_degrees_that_are_not_all_there_say_nothing():
    assert climbs(by_degrees([2.02, 2.1, 2.2, 2.4])[:-1], ["slower"]) == []


def test_goals_name_what_missed_and_let_whispering_sound_otherwise():
    spoilt = replace(RIGHT, opinion=3.2, similarity=0.8, wrong=1)
    rows = [row(""), row("slower"), row("whisper", judged=replace(spoilt, wrong=0))]
    made = effects(rows, ["slower", "whisper"])
    fallen = [Climb(LADDERS[0], (Rung("plain", -1.0),))]
    assert [goal.met for goal in goals(made, [])] == [False, True, True, True, None]
    assert [goal.met for goal in goals(made, fallen)][-1] is False
    made = effects([row(""), row("slower", judged=spoilt)], ["slower"])
    missed = goals(made, [])[1:4]
    assert [goal.met for goal in missed] == [False] * 3
    assert all("'slower'" in goal.measured for goal in missed)


def test_what_was_kept_is_not_missing_unless_it_is_understood_otherwise(tmp_path):
    plan = Plan(["a"], [TEXT], judged=["slower", "faster"], laddered=["slower"])
    degrees = [by_degree("slower", degree) for degree in DEGREES if degree]
    kept = Kept(tmp_path / "new" / "rows.jsonl")
    assert plan.missing(kept, "a", TEXT) == ["slower", "faster", *degrees]
    kept.keep(row(""))
    kept.keep(row("slower"))
    kept.keep(row(degrees[0], judged=None))
    kept.keep(replace(row("faster"), performance=Performance(rate=1.01)))
    again = Kept(tmp_path / "new" / "rows.jsonl")
    assert list(again) == list(kept)
    assert plan.missing(again, "a", TEXT) == ["faster", *degrees[1:]]
    assert [one.told.direction for one in plan.rows(again)] == ["", "slower", "faster", degrees[0]]


def test_a_direction_of_which_only_the_sound_was_measured_is_missing_where_all_is_wanted(tmp_path):
    kept = Kept(tmp_path / "rows.jsonl")
    kept.keep(row("slower", judged=None))
    assert Plan(["a"], [TEXT], ["slower"], []).missing(kept, "a", TEXT) == ["slower"]
