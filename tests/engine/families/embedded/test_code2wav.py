"""Windows against the whole: the same samples whatever the windows and whatever runs beside."""

import copy
import random
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest

from engine.families.embedded import cut, norms, windows
from engine.families.embedded.clause import HOP, Plan
from engine.families.embedded.dequantise import dequantise
from engine.families.embedded.finish import to_int16
from engine.types import Levers, Part, Pause, Performance
from tests.engine.families.embedded.driving import (
    PLAN,
    SENTENCE,
    Decoding,
    decoder,
    run,
    snr,
    sound,
    uncut,
    utterance,
)

#: Of 95 acoustic frames: longer than the longest call of each part, and quick to decode.
SHORTER = "We had dinner near the old harbour."
#: Windows as few as there can be.
FEW = (1000,)


def _front(voice, said):
    plans = [p for p in voice.think(said) if isinstance(p, Plan)]
    return plans, voice.talk(said, plans)


@pytest.fixture(scope="module")
def whole(exact):
    """(plan, frames, sound of the uncut float model, statistics of its norms)"""
    said = utterance(SENTENCE)
    (plan,), (frames,) = _front(exact, said)
    have = uncut().feeds(plan) | plan.hidden | {cut.DURATIONS: plan.durations}
    parts = cut.cut(dequantise(uncut().model))
    told = []
    have[cut.FEATURES] = frames.features[None]
    have[cut.F0], have[cut.ENERGY] = frames.f0[None], frames.energy[None]
    measured = [norms.measured(parts.low_rate), parts.source, norms.measured(parts.generator)]
    for part in measured:
        have |= run(part, have)
        if norms.STATISTICS in have:
            told.append(have.pop(norms.STATISTICS))
    return plan, frames, have[cut.AUDIO].ravel(), told


class _Told:
    """Statistics that are known rather than predicted."""

    def __init__(self, told):
        self.told = tuple(told)

    def predict(self, voice, pooled):
        return self.told


def _with(code2wav, statistics):
    changed = copy.copy(code2wav)
    changed._renderer = copy.copy(code2wav._renderer)
    changed._renderer.statistics = statistics
    return changed


def _fresh(code2wav, frames):
    """A clause of which nothing is decoded, nor known."""
    clause = code2wav._renderer.clause(frames)
    clause.wave = None
    return clause


def _at_once(code2wav, frames):
    """Samples of the whole clause, each part called once, from its first frame to its last."""
    clause = _fresh(code2wav, frames)
    total = (frames.span.frames,)
    with mock.patch.multiple(windows, LOW_LENGTHS=total, MIDDLE_LENGTHS=total, HIGH_LENGTHS=total):
        return code2wav.wave(clause, 0, total[0])


def _fewest(code2wav, frames):
    """Samples of the whole clause, in as few calls as the lengths compiled for allow."""
    return code2wav.wave(_fresh(code2wav, frames), 0, frames.span.frames)


def _in_pieces(code2wav, frames, draw, most):
    """Samples of the whole clause, asked for in pieces of 1 to `most` frames."""
    clause, pieces, at = _fresh(code2wav, frames), [], 0
    while at < frames.span.frames:
        stop = min(frames.span.frames, at + draw.randint(1, most))
        pieces.append(code2wav.wave(clause, at, stop))
        at = stop
    return np.concatenate(pieces)


def _begun(frames, total):
    """The first `total` acoustic frames of a clause, as a clause of their own."""
    return replace(
        frames,
        span=replace(frames.span, skip=min(frames.span.skip, total - 1), frames=total),
        features=frames.features[:, :total],
        f0=frames.f0[: 2 * total],
        energy=frames.energy[: 2 * total],
        sheet=replace(frames.sheet, durations=np.array([total], np.float32)),
    )


@pytest.fixture(scope="module")
def two_threads(prepared):
    return decoder(prepared("int8"), threads=2)


@pytest.fixture(scope="module")
def neutral(fast):
    """(frames, their samples in as few calls as can be)"""
    _, (frames,) = _front(fast, utterance(SHORTER))
    return frames, _fewest(fast.code2wav, frames)


@pytest.fixture(scope="module")
def directed(fast):
    """(what is said, frames): breath, softness, tilt and gain in parts, and pauses between."""
    at = SHORTER.index("near the"), SHORTER.index("near the") + len("near the")
    said = utterance(
        SHORTER,
        performance=Performance(
            tilt=-2,
            parts=(Part(at, Levers(soft=0.2, breath=0.2, tilt=3, gain=-2)),),
            pauses=(Pause(SHORTER.index("near"), 0.3), Pause(SHORTER.index("old"), 0.1)),
        ),
    )
    _, (frames,) = _front(fast, said)
    assert len(frames.span.pauses) == 2
    return said, frames


def log_mel(wave):
    """[bands, frames] in dB, by a plain mel filter bank."""
    spectrum = np.abs(np.fft.rfft(_pieces(wave.astype(float)) * np.hanning(1024), axis=1)) ** 2
    edges = 700 * (10 ** (np.linspace(0, 2595 * np.log10(1 + 12_000 / 700), 82) / 2595) - 1)
    bins = np.fft.rfftfreq(1024, 1 / 24_000)
    rise = (bins - edges[:-2, None]) / np.diff(edges)[:-1, None]
    fall = (edges[2:, None] - bins) / np.diff(edges)[1:, None]
    bank = np.maximum(0, np.minimum(rise, fall))
    return 10 * np.log10(bank @ spectrum.T + 1e-3 * spectrum.mean())


def _pieces(wave):
    starts = np.arange(0, len(wave) - 1024, 256)
    return wave[starts[:, None] + np.arange(1024)]


def distance(a, b):
    """Mean difference of log mel spectra in dB."""
    return float(np.abs(log_mel(a) - log_mel(b)).mean())


@pytest.mark.parametrize(("seed", "most"), [(1, 4), (2, 12), (3, 40), (4, 75)])
def test_any_pieces_are_the_whole_to_the_bit(fast, neutral, seed, most):
    frames, expected = neutral
    assert frames.span.frames > windows.LOW_LENGTHS[-1]
    made = _in_pieces(fast.code2wav, frames, random.Random(seed), most)
    np.testing.assert_array_equal(made, expected)


def test_so_are_a_single_call_and_two_threads(fast, two_threads, neutral):
    """All of a clause seen at once by each part needs no context at all."""
    frames, expected = neutral
    np.testing.assert_array_equal(_at_once(fast.code2wav, frames), expected)
    made = _in_pieces(two_threads, frames, random.Random(5), 30)
    np.testing.assert_array_equal(made, expected)


def test_pieces_may_be_asked_for_in_any_order(fast, neutral):
    """As an edit does: it decodes around its splices, forwards and backwards."""
    frames, expected = neutral
    clause, draw = _fresh(fast.code2wav, frames), random.Random(6)
    first = [(80, 95), (0, 7), (70, 71), (3, 30)]
    more = [sorted(draw.sample(range(96), 2)) for _ in range(4)]
    for low, high in [*first, *more]:
        made = fast.code2wav.wave(clause, low, high)
        np.testing.assert_array_equal(made, expected[HOP * low : HOP * high])
        region = fast.code2wav._region(clause, low, high)
        np.testing.assert_array_equal(region, to_int16(expected[HOP * low : HOP * high]))


@pytest.mark.parametrize("total", [1, 9, 19, 41])
def test_a_clause_shorter_than_any_length_compiled_for_is_the_same_in_pieces(fast, neutral, total):
    assert total < windows.LOW_LENGTHS[0]
    frames = _begun(neutral[0], total)
    expected = _fewest(fast.code2wav, frames)
    assert len(expected) == HOP * total
    made = _in_pieces(fast.code2wav, frames, random.Random(total), 6)
    np.testing.assert_array_equal(made, expected)


@pytest.mark.parametrize("plan", [(2,), (4, 10), (3, 7, 1, 20)])
def test_any_plan_of_a_directed_clause_gives_the_same_samples(fast, two_threads, directed, plan):
    """Where breath, softness and tilt begin and end, and around pauses, as anywhere else."""
    said, frames = directed
    expected = sound(fast.decode(said, [frames], FEW))
    assert len(expected) == frames.span.samples
    made = list(Decoding(two_threads if plan == (4, 10) else fast.code2wav, said, [frames], plan))
    assert len(made) > 2
    np.testing.assert_array_equal(sound(made), expected)


def test_in_float_pieces_are_the_whole_but_for_rounding(exact, neutral):
    """Sums of floats depend on the length of a call, so no plan is promised to be another's
    equal."""
    assert not exact.code2wav.exact
    frames, _ = neutral
    expected = _fewest(exact.code2wav, frames)
    made = _in_pieces(exact.code2wav, frames, random.Random(7), 40)
    assert np.abs(made - expected).max() < 1e-5
    a, b = (to_int16(wave).astype(int) for wave in (made, expected))
    assert np.abs(a - b).max() <= 1
    assert np.mean(a != b) < 0.05


def test_our_whole_is_the_uncut_model(exact, whole):
    """Samples differ where the source's angles are arbitrary, the spectrum hardly: the uncut
    graph's highest bin has an imaginary part of rounding noise, so its angle jumps between +-pi at
    random; ours has none, as a real transform should.
    """
    _, frames, wave, told = whole
    ours = _at_once(_with(exact.code2wav, _Told(told)), frames)
    assert len(ours) == len(wave)
    assert snr(wave, ours) > 15
    assert distance(wave, ours) < 0.5


def test_with_exact_statistics_windows_are_the_whole(exact, whole):
    """Nothing is left of what context lacked: only our own rounding."""
    plan, frames, _, told = whole
    known = _with(exact.code2wav, _Told(told))
    expected = to_int16(_at_once(known, frames)[plan.span.skip * HOP :])
    made = sound(list(Decoding(known, utterance(SENTENCE), [frames], PLAN)))
    assert len(made) == len(expected) == plan.span.samples
    assert snr(expected, made) > 80
    assert np.abs(made.astype(int) - expected).max() <= 1


def test_predicted_statistics_are_better_than_the_voices_own(exact, whole):
    plan, frames, wave, _ = whole
    expected = to_int16(wave[plan.span.skip * HOP :])
    predicted = sound(exact.decode(utterance(SENTENCE), [frames]))
    own = exact.code2wav._renderer.statistics
    mean = own.predict("af_heart", own.voices["af_heart"].pooled)
    known = _with(exact.code2wav, _Told(mean))
    frozen = sound(list(Decoding(known, utterance(SENTENCE), [frames])))
    assert distance(expected, predicted) < 0.8 * distance(expected, frozen)


def test_windows_follow_one_another_and_words_come_with_their_clause(fast):
    said = utterance("Come in. " + SENTENCE)
    made = fast.speak(said)
    assert [w.frames for w in made[:2]] == [PLAN[0], PLAN[1]]
    assert made[0].start == 0
    ends = np.cumsum([len(w.samples) for w in made])
    assert [w.start for w in made] == [0, *ends[:-1]]
    for window in made:
        assert all(word.start >= window.start for word in window.words)
    spoken = [w.text for win in made for w in win.words]
    assert spoken == [w.strip(".,") for w in said.text.split()]


def test_joins_are_no_sharper_than_the_sound_around(fast):
    made = fast.speak(utterance(SENTENCE))
    wave = sound(made).astype(float)
    bend = np.abs(np.diff(wave, 2))
    joins = np.cumsum([len(w.samples) for w in made])[:-1]
    ratios = [bend[j - 3 : j + 3].max() / bend[j - 2400 : j + 2400].max() for j in joins]
    assert max(ratios) <= 1.0


def test_the_same_words_give_the_same_samples_beside_others(fast):
    texts = [SENTENCE, "No.", "Is this seat taken? I hope not, since my feet hurt."]
    alone = [sound(fast.speak(utterance(text, "bm_george"))) for text in texts]
    fronts = [_front(fast, utterance(text, "bm_george"))[1] for text in texts]
    saids = [utterance(text, "bm_george") for text in texts]
    streams = [Decoding(fast.code2wav, *pair) for pair in zip(saids, fronts, strict=True)]
    together = [[] for _ in streams]
    order, left = random.Random(5), set(range(len(streams)))
    while left:
        i = order.choice(sorted(left))
        window = next(streams[i], None)
        if window is None:
            left.discard(i)
        else:
            together[i].append(window)
    for one, many in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one, sound(many))
