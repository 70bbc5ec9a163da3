"""Windows against the whole: the same sound, the same samples whatever runs beside."""

import random

import numpy as np
import pytest

from engine.families.embedded import cut, norms
from engine.families.embedded.clause import HOP, Plan
from engine.families.embedded.code2wav import Code2Wav
from engine.families.embedded.dequantise import dequantise
from engine.families.embedded.finish import to_int16
from engine.families.embedded.windows import Window
from tests.engine.families.embedded.driving import (
    SENTENCE,
    Decoding,
    run,
    snr,
    sound,
    uncut,
    utterance,
)


def _front(voice, said):
    plans = [p for p in voice.think(said) if isinstance(p, Plan)]
    return plans, voice.talk(said, plans)


@pytest.fixture(scope="module")
def whole(exact):
    """(plan, frames, sound of the uncut float model, statistics of its norms)"""
    said = utterance(SENTENCE)
    (plan,), frames = _front(exact, said)
    have = uncut().feeds(plan) | plan.hidden | {cut.DURATIONS: plan.durations}
    parts = cut.cut(dequantise(uncut().model))
    told = []
    have[cut.FEATURES] = np.concatenate([f.features for f in frames], axis=1)[None]
    have[cut.F0] = np.concatenate([f.f0 for f in frames])[None]
    have[cut.ENERGY] = np.concatenate([f.energy for f in frames])[None]
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


def _with(code2wav: Code2Wav, statistics):
    changed = Code2Wav.__new__(Code2Wav)
    changed.__dict__ = code2wav.__dict__ | {"_statistics": statistics}
    return changed


def _in_one_window(voice, frames, statistics):
    """The whole clause decoded at once, from its first frame to its last."""
    code2wav = _with(voice.code2wav, statistics)
    state = code2wav.open(utterance(SENTENCE))
    for item in frames:
        code2wav.push(state, item)
    total = frames[0].span.frames
    return code2wav._decode(state.units[0], Window(0, total, 0, total, 0, total))


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


def test_our_whole_is_the_uncut_model(exact, whole):
    """Samples differ where the source's angles are arbitrary, the spectrum hardly: the uncut
    graph's highest bin has an imaginary part of rounding noise, so its angle jumps between +-pi at
    random; ours has none, as a real transform should.
    """
    _, frames, wave, told = whole
    ours = _in_one_window(exact, frames, _Told(told))
    assert len(ours) == len(wave)
    assert snr(wave, ours) > 15
    assert distance(wave, ours) < 0.5


def test_with_exact_statistics_windows_are_the_whole(exact, whole):
    plan, frames, _, told = whole
    expected = to_int16(_in_one_window(exact, frames, _Told(told))[plan.span.skip * HOP :])
    windowed = _with(exact.code2wav, _Told(told))
    made = sound(list(Decoding(windowed, utterance(SENTENCE), frames)))
    assert len(made) == len(expected) == plan.span.samples
    assert snr(expected, made) > 45


def test_predicted_statistics_are_better_than_the_voices_own(exact, whole):
    plan, frames, wave, _ = whole
    expected = to_int16(wave[plan.span.skip * HOP :])
    predicted = sound(exact.decode(utterance(SENTENCE), frames))
    own = exact.code2wav._statistics
    mean = own.predict("af_heart", own.voices["af_heart"].pooled)
    frozen = sound(list(Decoding(_with(exact.code2wav, _Told(mean)), utterance(SENTENCE), frames)))
    assert distance(expected, predicted) < 0.8 * distance(expected, frozen)


def test_windows_follow_one_another_and_words_come_with_their_clause(fast):
    said = utterance("Come in. " + SENTENCE)
    made = fast.speak(said)
    assert made[0].frames == 4
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
