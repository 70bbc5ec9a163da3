"""Finishing in windows is finishing at once; pauses lie where it is quiet; nothing wraps."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.families.embedded import finish
from engine.families.embedded.clause import HOP, Silence
from engine.families.embedded.finish import Finish, gaps, parted, paused, to_int16
from engine.families.embedded.levers import Directed, Stretch
from engine.types import Levers

FRAMES = 40
WAVE = np.random.default_rng(1).normal(0, 0.1, FRAMES * HOP).astype(np.float32)


def _how(*parts, base=None):
    size = FRAMES // len(parts)
    stretches = tuple(Stretch(i * size, (i + 1) * size, part) for i, part in enumerate(parts))
    return Directed(base or Levers(), stretches, (), True)


MIXED = _how(Levers(), Levers(tilt=4, gain=3), Levers(tilt=-6, gain=-2), Levers(whisper=True))


@settings(deadline=None)
@given(st.sets(st.integers(1, FRAMES - 1), max_size=8))
def test_windows_finished_one_by_one_are_the_whole(cuts):
    whole = Finish(MIXED)(WAVE, 0)
    one_by_one = Finish(MIXED)
    edges = [0, *sorted(cuts), FRAMES]
    made = [one_by_one(WAVE[a * HOP : b * HOP], a) for a, b in itertools.pairwise(edges)]
    np.testing.assert_array_equal(np.concatenate(made), whole)


def test_what_is_not_directed_comes_back_bit_for_bit():
    made = Finish(MIXED)(WAVE, 0)
    np.testing.assert_array_equal(made[: 10 * HOP], WAVE[: 10 * HOP])
    assert not np.array_equal(made[10 * HOP : 20 * HOP], WAVE[10 * HOP : 20 * HOP])


def test_gain_is_in_db():
    made = Finish(_how(Levers(gain=-3)))(WAVE, 0)
    np.testing.assert_allclose(made, WAVE * 10 ** (-3 / 20), rtol=1e-5)


@pytest.mark.parametrize("db", [-6.0, -2.0, 3.0, 6.0])
def test_the_shelf_leaves_lows_and_moves_highs(db):
    response = np.abs(np.fft.rfft(finish.shelf(db), 24_000))
    level = 20 * np.log10(response)
    assert level[100] == pytest.approx(0, abs=0.15)
    assert level[1_500] == pytest.approx(db / 2, abs=0.1)
    assert level[8_000] == pytest.approx(db, abs=0.15)


def test_a_pause_is_silent_exactly_and_lies_where_it_is_quietest():
    wave = WAVE.copy()
    wave[12 * HOP + 60 : 12 * HOP + 540] *= 0.01
    faded, (cut,) = parted(wave, gaps([Silence(10, 14, 4_800)], 0, FRAMES))
    assert cut == 12 * HOP + 300
    around = slice(cut - finish.FADE, cut + finish.FADE)
    outside = np.r_[: around.start, around.stop : len(wave)]
    np.testing.assert_array_equal(faded[outside], wave[outside])
    assert np.all(np.abs(faded[around]) <= np.abs(wave[around]))
    assert faded[cut - 1] == faded[cut] == 0
    sound = to_int16(faded)
    made = paused(sound, [(cut, 4_800)])
    assert not made[cut : cut + 4_800].any()
    np.testing.assert_array_equal(np.delete(made, slice(cut, cut + 4_800)), sound)


def test_several_pauses_in_one_window_of_a_later_frame():
    places = gaps([Silence(9, 10, 1), Silence(20, 21, 100), Silence(30, 31, 50)], 20, FRAMES)
    _, cuts = parted(WAVE[20 * HOP :], places)
    assert [gap.silence for gap in places] == [100, 50]
    assert 0 < cuts[0] < HOP
    assert 10 * HOP < cuts[1] < 11 * HOP


def test_peaks_are_bent_and_never_wrap():
    wave = np.linspace(-3, 3, 1001, dtype=np.float32)
    made = to_int16(wave)
    assert made.min() >= -32767
    assert made.max() <= 32767
    assert np.all(np.diff(made.astype(int)) >= 0)
    quiet = np.abs(wave) < 0.8
    np.testing.assert_allclose(made[quiet], wave[quiet] * 32767, atol=0.51)
