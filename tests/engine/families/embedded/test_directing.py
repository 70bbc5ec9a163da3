"""Levers heard: their signs, the order of their degrees, and what they leave alone."""

import itertools
from dataclasses import dataclass

import numpy as np
import pytest

from engine.families.embedded.clause import HOP, Plan
from engine.types import Levers, Part, Pause, Performance
from tests.engine.families.embedded.driving import SENTENCE, sound, utterance

TEXTS = ("Sit down, please.", "Is this yours?", "My brother keeps cats.")
VOICES = ("af_heart", "am_michael")
DEGREES = (0.0, 0.25, 0.5, 1.0, 1.5)


@dataclass(frozen=True)
class Heard:
    """Means over texts and voices: samples, Hz by the model's own F0, Hz and share of voiced pieces
    by autocorrelation of the sound, level in dB."""

    length: float
    f0: float
    pitch: float
    voiced: float
    level: float


def _directed(voice, text, performance, name="af_heart"):
    said = utterance(text, name, performance)
    plans = [p for p in voice.think(said) if isinstance(p, Plan)]
    return said, plans, voice.talk(said, plans)


def _curve(frames):
    return np.concatenate([f.f0 for f in frames])


def _cases():
    return itertools.product(VOICES, TEXTS)


def _heard(voice, performance):
    rows = []
    for name, text in _cases():
        said, _, frames = _directed(voice, text, performance, name)
        wave = sound(voice.decode(said, frames)) / 32768
        f0 = _curve(frames)
        tone = np.log(f0[f0 > 40]).mean() if (f0 > 40).any() else np.nan
        level = 10 * np.log10(np.square(wave).mean())
        rows.append((len(wave), tone, *_periodicity(wave), level))
    length, tone, pitch, voiced, level = np.mean(rows, axis=0)
    return Heard(length, np.exp(tone), pitch, voiced, level)


def _periodicity(wave):
    """Log of the median pitch and the share of pieces of 80 ms that have one."""
    pieces = wave[np.arange(0, len(wave) - 1920, 480)[:, None] + np.arange(1920)]
    pieces = pieces[np.sqrt(np.square(pieces).mean(1)) > 0.01]
    pieces = pieces - pieces.mean(1, keepdims=True)
    alike = np.fft.irfft(np.abs(np.fft.rfft(pieces, 4096)) ** 2)[:, :960]
    alike = alike / alike[:, :1] * 1920 / (1920 - np.arange(960))
    lag = 60 + alike[:, 60:400].argmax(1)
    voiced = np.take_along_axis(alike, lag[:, None], 1)[:, 0] > 0.5
    pitch = np.log(np.median(24_000 / lag[voiced])) if voiced.any() else np.nan
    return pitch, voiced.mean()


def _rising(values):
    return all(a < b for a, b in itertools.pairwise(values))


def test_slower_lengthens_by_degrees(fast):
    lengths = []
    for degree in DEGREES:
        performance = Performance(rate=0.82**degree)
        plans = [p for v, t in _cases() for p in _directed(fast, t, performance, v)[1]]
        lengths.append(np.mean([p.span.samples for p in plans]))
    assert _rising(lengths)
    assert lengths[3] / lengths[0] == pytest.approx(1 / 0.82, rel=0.05)


def test_higher_raises_pitch_by_degrees(fast):
    tones = []
    for degree in DEGREES:
        performance = Performance(pitch=2 * degree)
        curves = [_curve(_directed(fast, t, performance, v)[2]) for v, t in _cases()]
        tones.append(np.mean([12 * np.log2(np.median(f0[f0 > 40])) for f0 in curves]))
    np.testing.assert_allclose(np.array(tones) - tones[0], 2 * np.array(DEGREES), atol=0.1)


@pytest.mark.long
def test_softer_lowers_loudness_by_degrees(fast):
    said = [Performance(gain=-3 * d, soft=0.15 * d) for d in DEGREES]
    levels = [_heard(fast, performance).level for performance in said]
    assert _rising(levels[::-1])
    assert -7 < levels[3] - levels[0] < -3


def test_a_whisper_loses_its_voice_and_higher_is_heard_as_higher(fast):
    plain, high, whisper = (
        _heard(fast, p) for p in (Performance(), Performance(pitch=3), Performance(whisper=True))
    )
    assert 12 / np.log(2) * (high.pitch - plain.pitch) == pytest.approx(3, abs=0.5)
    assert whisper.voiced < plain.voiced / 2
    assert whisper.level < plain.level - 2
    assert whisper.length > plain.length


def test_a_neutral_part_is_no_direction(fast):
    said = Performance(parts=(Part((4, 12), Levers()),), pauses=())
    plain, other = (sound(fast.speak(utterance(TEXTS[0], performance=p))) for p in (None, said))
    np.testing.assert_array_equal(plain, other)


def test_a_part_leaves_the_curves_around_it(fast):
    at = SENTENCE.index("heavy"), SENTENCE.index("heavy") + len("heavy fog")
    _, (plain,), before = _directed(fast, SENTENCE, Performance())
    part = Part(at, Levers(pitch=4, range=1.5, whisper=False, gain=2, soft=0.2))
    _, (plan,), after = _directed(fast, SENTENCE, Performance(parts=(part,)))
    np.testing.assert_array_equal(plan.durations, plain.durations)
    first, last = (next(w for w in plan.words if w.text == t) for t in ("heavy", "fog"))
    inside = slice(*(2 * (plan.span.skip + s // HOP) for s in (first.start, last.end)))
    outside = np.ones(2 * plan.span.frames, bool)
    outside[inside] = False
    was, is_ = _curve(before), _curve(after)
    np.testing.assert_array_equal(was[outside], is_[outside])
    assert np.median(is_[inside][was[inside] > 40]) > 1.1 * np.median(was[inside][was[inside] > 40])


def test_a_slower_part_keeps_how_long_the_rest_lasts(fast):
    at = SENTENCE.index("heavy"), SENTENCE.index("heavy") + len("heavy fog")
    _, (plain,), _ = _directed(fast, SENTENCE, Performance(rate=0.9))
    slower = Performance(rate=0.9, parts=(Part(at, Levers(rate=0.75)),))
    _, (plan,), _ = _directed(fast, SENTENCE, slower)
    for a, b in zip(plain.words, plan.words, strict=True):
        if b.text in ("heavy", "fog"):
            assert b.end - b.start > a.end - a.start
        else:
            assert b.end - b.start == a.end - a.start


def test_softness_and_breath_are_heard_in_their_part_alone(fast):
    plain = sound(fast.speak(utterance(SENTENCE)))
    at = SENTENCE.index("heavy"), SENTENCE.index("heavy") + len("heavy fog")
    part = Part(at, Levers(soft=0.3, breath=0.25, tilt=-6, gain=-4))
    said, (plan,), frames = _directed(fast, SENTENCE, Performance(parts=(part,)))
    made = sound(fast.decode(said, frames))
    first, last = (next(w for w in plan.words if w.text == t) for t in ("heavy", "fog"))
    edges = np.flatnonzero(plain != made)
    assert first.start <= edges[0] < first.start + 2 * HOP
    assert last.end - 2 * HOP < edges[-1] <= last.end


def test_a_pause_is_silence_that_word_times_account_for(fast):
    pauses = (Pause(0, 0.25), Pause(SENTENCE.index("so we"), 0.5), Pause(60, 0.125))
    plain = fast.speak(utterance(SENTENCE))
    made = fast.speak(utterance(SENTENCE, performance=Performance(pauses=pauses)))
    was, is_ = (np.abs(sound(w).astype(int)) for w in (plain, made))
    assert len(is_) - len(was) == 24_000 * 0.875
    before, after = ([w for win in windows for w in win.words] for windows in (plain, made))
    gaps = np.diff([0] + [b.start - a.start for a, b in zip(before, after, strict=True)])
    assert list(gaps[gaps > 0]) == [6_000, 12_000, 3_000]
    for i in np.flatnonzero(gaps):
        quiet_from = after[i - 1].end if i else 0
        quiet = is_[quiet_from : after[i].start] == 0
        longest = max(len(list(g)) for zero, g in itertools.groupby(quiet) if zero)
        assert gaps[i] <= longest <= gaps[i] + 480
    starts = np.cumsum([0] + [len(w.samples) for w in made])
    assert [w.start for w in made] == list(starts[:-1])


def test_a_pause_of_nothing_takes_away_the_voices_own(fast):
    at = SENTENCE.index("so we")
    plain, made = (
        fast.speak(utterance(SENTENCE, performance=Performance(pauses=pauses)))
        for pauses in ((), (Pause(at, 0.0),))
    )
    before, after = ([w for win in windows for w in win.words] for windows in (plain, made))
    gaps = [[b.start - a.end for a, b in itertools.pairwise(words)] for words in (before, after)]
    here = next(i for i, word in enumerate(before[1:]) if word.span[0] == at)
    assert gaps[0][here] > 6 * HOP
    assert gaps[1][here] <= 2 * HOP
    assert gaps[0][:here] == gaps[1][:here]
    assert gaps[0][here + 1 :] == gaps[1][here + 1 :]
    assert len(sound(plain)) - len(sound(made)) == gaps[0][here] - gaps[1][here]


def test_text_in_pieces_is_performed_the_same(fast):
    said = utterance(
        "Come in. Sit down there.",
        performance=Performance(
            pitch=1,
            parts=(Part((9, 12), Levers(emphasis=1)), Part((18, 23), Levers(whisper=True))),
            pauses=(Pause(18, 0.2),),
        ),
    )
    whole, pieces = fast.think(said), fast.think(said, list(said.text))
    for a, b in zip(whole, pieces, strict=True):
        assert (a.span, a.words, a.directed) == (b.span, b.words, b.directed)
    assert whole[1].directed.stresses
