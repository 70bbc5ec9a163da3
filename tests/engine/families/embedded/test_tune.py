"""Curves moved by levers: where they are voiced, by as much as asked, and nowhere else."""

import numpy as np
import pytest

from engine.families.embedded.levers import Directed, Stress, Stretch
from engine.families.embedded.tune import tuned
from engine.types import Levers

FRAMES = 100


@pytest.fixture
def curves():
    """F0 with an unvoiced middle and silence at the end, and energy."""
    at = np.arange(2 * FRAMES)
    f0 = (180 + 30 * np.sin(at / 9)).astype(np.float32)
    f0[80:100] = 3.0
    f0[170:] = 0.0
    energy = np.where(f0 > 25, 5.0, -5.0).astype(np.float32)
    return f0, energy


def _how(*parts, stresses=(), closes=True):
    size = FRAMES // len(parts)
    stretches = tuple(Stretch(i * size, (i + 1) * size, part) for i, part in enumerate(parts))
    return Directed(Levers(), stretches, stresses, closes)


def _semitones(a, b):
    return 12 * np.log2(np.where(a > 25, a, 1) / np.where(b > 25, b, 1))


def test_neutral_changes_no_bit(curves):
    for made, was in zip(tuned(_how(Levers()), *curves), curves, strict=True):
        np.testing.assert_array_equal(made, was)


def test_shift_is_as_asked_where_there_is_pitch(curves):
    f0, energy = curves
    made, louder = tuned(_how(Levers(pitch=3)), f0, energy)
    np.testing.assert_allclose(_semitones(made, f0)[f0 > 25], 3, atol=1e-4)
    np.testing.assert_array_equal(made[f0 <= 25], f0[f0 <= 25])
    np.testing.assert_array_equal(louder, energy)


@pytest.mark.parametrize("factor", [0.5, 1.8])
def test_range_is_about_the_median(curves, factor):
    f0, energy = curves
    voiced = f0 > 40
    made, _ = tuned(_how(Levers(range=factor)), f0, energy)
    before, after = np.log2(f0[voiced]), np.log2(made[voiced])
    assert np.median(after) == pytest.approx(np.median(before), abs=1e-5)
    assert np.ptp(after) / np.ptp(before) == pytest.approx(factor, rel=1e-4)


def test_an_ending_moves_the_last_voiced_sounds_alone(curves):
    f0, energy = curves
    made, _ = tuned(_how(Levers(ending=8)), f0, energy)
    moved = _semitones(made, f0)
    assert moved[169] == pytest.approx(8, abs=0.1)
    np.testing.assert_array_equal(made[:130], f0[:130])
    assert np.all(np.diff(moved[134:170]) > 0)
    unfinished, _ = tuned(_how(Levers(ending=8), closes=False), f0, energy)
    np.testing.assert_array_equal(unfinished, f0)


def test_slope_gains_from_first_to_last(curves):
    f0, energy = curves
    moved = _semitones(tuned(_how(Levers(slope=4)), f0, energy)[0], f0)
    assert moved[169] - moved[0] == pytest.approx(4, abs=1e-3)


def test_tremor_has_its_depth_and_pace(curves):
    f0, energy = curves
    moved = _semitones(tuned(_how(Levers(tremor=2, tremor_hz=5.3)), f0, energy)[0], f0)
    assert moved[:80].max() == pytest.approx(2, abs=0.05)
    assert moved[:80].min() == pytest.approx(-2, abs=0.05)
    crossings = np.count_nonzero(np.diff(np.sign(moved[1:80])))
    assert crossings == pytest.approx(2 * 5.3 * 79 * 0.0125, abs=1)


def test_a_whisper_has_no_pitch_at_all(curves):
    made, _ = tuned(_how(Levers(whisper=True)), *curves)
    assert not made.any()


def test_stress_lifts_its_word_alone(curves):
    f0, energy = curves
    how = _how(Levers(), Levers(emphasis=1), stresses=(Stress(55, 75, 1.0),))
    made, louder = tuned(how, f0, energy)
    outside = np.r_[0:110, 150 : 2 * FRAMES]
    np.testing.assert_array_equal(made[outside], f0[outside])
    np.testing.assert_array_equal(louder[outside], energy[outside])
    assert _semitones(made, f0)[110:150].max() == pytest.approx(4, abs=0.05)
    assert (louder - energy).max() == pytest.approx(2, abs=0.05)


def test_a_part_goes_over_inside_itself(curves):
    f0, energy = curves
    how = _how(Levers(), Levers(pitch=4), Levers(), Levers(whisper=True))
    made, _ = tuned(how, f0, energy)
    np.testing.assert_array_equal(made[:50], f0[:50])
    np.testing.assert_array_equal(made[100:150], f0[100:150])
    assert not made[150:].any()
    moved = _semitones(made, f0)
    np.testing.assert_allclose(moved[54:80], 4, atol=1e-4)
    assert np.all(np.diff(moved[50:54]) > 0)
