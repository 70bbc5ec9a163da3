"""The cut graphs, run whole with their own statistics, are the uncut model sample for sample."""

import numpy as np
import pytest

from engine.errors import ModelDamaged
from engine.families.embedded import cut, fold, norms
from engine.families.embedded.dequantise import dequantise
from tests.engine.families.embedded.driving import SENTENCE, run, uncut, utterance


@pytest.fixture(scope="module")
def models():
    whole = uncut().model
    return {"int8": whole, "float": dequantise(whole)}


@pytest.fixture(scope="module")
def feeds(exact):
    plan = exact.think(utterance(SENTENCE))[0]
    return uncut().feeds(plan)


def _through(parts, have):
    for part in (parts.durations, parts.prosody, parts.low_rate, parts.source, parts.generator):
        have = have | run(part, have)
    return have


@pytest.mark.parametrize("precision", ["int8", "float"])
def test_parts_equal_the_whole(models, feeds, precision):
    whole = run(models[precision], feeds)[cut.AUDIO]
    parts = _through(cut.cut(models[precision]), feeds)[cut.AUDIO]
    assert whole.size > 24_000
    np.testing.assert_array_equal(parts.ravel(), whole.ravel())


def test_given_its_own_statistics_a_part_is_unchanged(models, feeds):
    parts = cut.cut(models["float"])
    have = _through(parts, feeds)
    for part, count in ((parts.low_rate, 10), (parts.generator, 44)):
        out = part.graph.output[0].name
        told = run(norms.measured(part), have)
        np.testing.assert_array_equal(told[out], have[out])
        sizes = _sizes(told[norms.STATISTICS], part, have)
        assert len(sizes) == count
        given = norms.given(part, sizes)
        again = run(given, have | {norms.STATISTICS: told[norms.STATISTICS]})
        np.testing.assert_array_equal(again[out], have[out])
        _folded_is_close(given, have | {norms.STATISTICS: told[norms.STATISTICS]}, have[out])


def _sizes(statistics, part, have):
    probe = norms.surgery.copy_model(part)
    names = [norm.mean.output[0] for norm in norms.find(part)]
    norms.surgery.declare(probe, dict.fromkeys(names))
    infos = [i for i in probe.graph.value_info if i.name in names]
    probe.graph.output.extend(infos)
    made = run(probe, have)
    sizes = [made[name].shape[1] for name in names]
    assert 2 * sum(sizes) == statistics.size
    return sizes


def _folded_is_close(given, have, whole):
    affine, lean = fold.fold(given, cut.STYLE, norms.STATISTICS)
    have = have | run(affine, have)
    out = given.graph.output[0].name
    assert norms.STATISTICS not in [i.name for i in lean.graph.input]
    folded = run(lean, have)[out]
    assert np.abs(folded - whole).max() < 1e-4 * whole.std()
    polynomial = run(fold.polynomial_snake(lean), have)[out]
    assert np.abs(polynomial - whole).max() < 1e-2 * whole.std()


def test_the_sine_polynomial_is_close_everywhere():
    y = np.linspace(-0.5, 0.5, 10_001)
    terms = [c * y ** (2 * k + 2) for k, c in enumerate(fold.sine_squared(4))]
    assert np.abs(sum(terms) - np.sin(np.pi * y) ** 2).max() < 3e-5


def test_a_model_with_other_norms_is_refused(models):
    parts = cut.cut(models["float"])
    with pytest.raises(ModelDamaged, match="expected 3 instance norms, found 10"):
        norms.given(parts.low_rate, [1, 2, 3])


def test_moments_average_to_the_moments_of_the_whole():
    values = np.random.default_rng(0).normal(2, 3, (6, 100)).astype(np.float32)
    halves = [values[:, :50], values[:, 50:]]
    told = [np.concatenate([h.mean(1), h.var(1)]) for h in halves]
    mean = np.mean([norms.moments(t, [6]) for t in told], axis=0)
    expected = np.concatenate([values.mean(1), values.var(1)])
    np.testing.assert_allclose(norms.from_moments(mean, [6]), expected, rtol=1e-5)
