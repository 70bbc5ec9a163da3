"""Joins: in range, where it is quiet, in phase; and what is between them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.families.embedded.clause import HOP
from engine.families.embedded.splice import HALF, SHIFT, Join, Place, Sounds, find, hushed, made

RATE = 24_000


def _tone(count, hz=180.0, phase=0.0):
    return 8_000 * np.sin(2 * np.pi * hz * np.arange(count) / RATE + phase)


def test_a_join_is_moved_to_where_the_waves_agree():
    late = 40
    old = _tone(30 * HOP)
    sounds = Sounds(old, np.concatenate([np.zeros(late), old])[: 30 * HOP], 0)
    join = find(sounds, Place(12 * HOP, 12 * HOP, 0, len(old), -1))
    assert join.new - join.old == pytest.approx(late, abs=1)
    before, after = sounds.around(join)
    np.testing.assert_allclose(before, after, atol=400)


def test_a_join_lies_where_it_is_quiet():
    old = _tone(40 * HOP)
    old[17 * HOP - 300 : 19 * HOP + 300] *= 0.001
    place = Place(20 * HOP, 20 * HOP, 0, len(old), -1)
    join = find(Sounds(old, old, 0), place)
    assert abs(join.old - 18 * HOP) <= HOP // 2


def test_a_join_keeps_away_from_a_burst():
    """It is quiet before and after it, and loud nowhere."""
    old = _tone(40 * HOP) * 0.02
    old[18 * HOP : 18 * HOP + 200] *= 40
    join = find(Sounds(old, old, 0), Place(20 * HOP, 20 * HOP, 0, len(old), -1))
    assert abs(join.old - 18 * HOP) > HALF


@pytest.mark.parametrize(("silent", "moved"), [(0, 0), (1, 0), (2, -600), (5, -2400), (20, -4200)])
def test_after_a_word_that_has_fallen_silent_nothing_more_is_made(silent, moved):
    old, new = _tone(60 * HOP), _tone(60 * HOP, 250)
    for wave in (old, new):
        wave[(30 - silent) * HOP :] = 0
    place = hushed(Sounds(old, new, 0), Place(30 * HOP, 30 * HOP, 0, len(old), 1, 9))
    assert (place.old - 30 * HOP, place.new - 30 * HOP) == (moved, moved)
    assert place.reach == (9 if not moved else 0)


def test_a_word_that_still_sounds_is_made_to_its_end():
    old = _tone(60 * HOP)
    place = Place(30 * HOP, 30 * HOP, 0, len(old), 1, 9)
    assert hushed(Sounds(0 * old, old, 0), place) == place


@settings(deadline=None)
@given(st.integers(0, 40 * HOP), st.integers(0, 3), st.sampled_from([-1, 1]), st.integers(0, 9))
def test_a_join_keeps_to_its_room(at, slack, outward, first):
    old = _tone(40 * HOP)
    low, high = max(0, at - slack * 700), min(len(old), at + slack * 900)
    sounds = Sounds(old, old[first * HOP :], first * HOP)
    join = find(sounds, Place(at, at, low, high, outward))
    if join.half:
        assert low <= join.old - join.half
        assert join.old + join.half <= high
    assert join.half <= HALF
    assert abs(join.old - at) <= 4 * HOP
    assert abs(join.new - join.old) <= SHIFT


def test_what_is_made_begins_as_the_old_and_ends_as_the_old():
    old, new = np.full(20 * HOP, 100.0), np.full(20 * HOP, 900.0)
    between = made(Sounds(old, new, 0), Join(5 * HOP, 5 * HOP, 600), Join(12 * HOP, 11 * HOP, 600))
    assert (between.start, between.stop) == (5 * HOP - 600, 12 * HOP + 600)
    assert len(between.wave) == 6 * HOP + 1200
    assert between.wave[0] == between.wave[-1] == 100
    assert between.wave[3 * HOP] == 900
    assert np.all(np.diff(between.wave[:1200]) >= 0)


def test_without_a_join_it_reaches_the_clauses_ends():
    old, new = np.zeros(4 * HOP), np.ones(8 * HOP)
    whole = made(Sounds(old, new, -2 * HOP), None, None)
    assert (whole.start, whole.stop, whole.first) == (0, 4 * HOP, 0)
    assert len(whole.wave) == 6 * HOP
