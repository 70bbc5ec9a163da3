"""The harmonic source in windows is a slice of the whole bit for bit, however F0 comes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.families.embedded import cut, source
from tests.engine.families.embedded.driving import run, uncut


@pytest.fixture(scope="module")
def whole():
    """(F0, source of the uncut model)"""
    f0 = np.random.default_rng(3).uniform(80, 300, 400).astype(np.float32)
    f0[60:90] = 0
    parts = cut.cut(uncut().model)
    return f0, run(parts.source, {cut.F0: f0[None]})[cut.SOURCE]


@pytest.fixture(scope="module")
def mixer(prepared):
    return source.Mixer.load(prepared("int8").source)


def _decode(mixer, f0, cuts, start, stop):
    phase = source.PhaseSum()
    for piece in np.split(f0, sorted(cuts)):
        phase.extend(piece)
    return source.decode(mixer, f0, phase, start, stop)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 199), st.integers(1, 40), st.lists(st.integers(1, 400), max_size=5))
def test_a_window_is_a_slice_of_the_whole(whole, mixer, start, length, cuts):
    f0, _ = whole
    stop = min(200, start + length)
    made = _decode(mixer, f0, [], 0, 200)
    part = _decode(mixer, f0, cuts, start, stop)
    np.testing.assert_array_equal(part, made[:, :, 120 * start : 120 * stop + 1])


def test_the_source_is_the_uncut_models(whole, mixer):
    """But for the float32 sum of the uncut model, whose error grows to 2e-2 over five seconds."""
    f0, expected = whole
    made = _decode(mixer, f0, [], 0, 200)
    assert made.shape == expected.shape
    for start in range(0, 24_000, 4_000):
        part = slice(start, start + 4_000)
        size, other = made[:, :11, part], expected[:, :11, part]
        turned = np.exp(1j * made[:, 11:, part]) - np.exp(1j * expected[:, 11:, part])
        limit = 1e-3 + 2e-2 * start / 24_000
        assert np.abs(size - other).max() < limit
        assert np.abs(turned * size).max() < limit
