"""All of quality from a list of texts and voices; the long tests run a shorter list."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality import joins, recognisers
from benchmarks.quality.joins import Joins
from benchmarks.quality.levels import Level, Levels, difference_db, summed
from benchmarks.quality.opinion import opinion
from benchmarks.quality.recognisers import Misheard, Recogniser, at_16k
from benchmarks.quality.streaming import Asked, Streamed, streamed
from benchmarks.quality.whole import Whole, WholeDecoder
from benchmarks.report import Goal
from benchmarks.server import serving

WER: Final = 0.015
OPINION_GAP: Final = 0.05
MIDDLE: Final = 4_500
"""Samples from a join to a place where nothing is joined, whatever the window's length."""
JOINS_OVER_P95: Final = 0.075
CLICK: Final = 1.5
"""Noise has its own sharpest places: one in some hundred, joined or not, is a little over all
others within 100 ms."""
LEVEL_DB: Final = 4.0
ALL: Final = "all"


@dataclass(frozen=True, slots=True)
class Sample:
    """One text in one voice: streamed, and decoded whole."""

    streamed: Streamed
    whole: Whole


@dataclass(frozen=True, slots=True)
class Heard:
    """Words wrong by one recogniser in one voice: of what came as Opus, and of the whole decode,
    which shows what the recogniser and the voice get wrong by themselves."""

    recogniser: str
    voice: str
    takes: int
    words: int
    wer: float
    whole_wer: float
    misheard: list[Misheard]


@dataclass(frozen=True, slots=True)
class Opinions:
    """Mean DNSMOS in one voice. gap: whole less streamed, by take: its mean, and the spread over
    takes as one standard deviation. opus_gap: PCM16 less Opus."""

    voice: str
    takes: int
    streamed: float
    whole: float
    opus: float
    gap: float
    gap_spread: float
    opus_gap: float


@dataclass(frozen=True, slots=True)
class Sharpest:
    """The join that is sharpest beside the sound around it; at_s: seconds into the take."""

    asked: Asked
    at_s: float
    of_most: float


@dataclass(frozen=True, slots=True)
class Quality:
    """All figures; rows by voice, then all together. elsewhere: the same as of joins, of places
    in the middle between them, where nothing was joined."""

    heard: list[Heard]
    opinions: list[Opinions]
    joins: Joins
    elsewhere: Joins
    sharpest: Sharpest
    levels: list[Levels]

    def goals(self) -> list[Goal]:
        """What must be reached."""
        heard = next(row for row in self.heard if row.voice == ALL)
        gap = next(row.gap for row in self.opinions if row.voice == ALL)
        worst, brief = self.joins.worst, self.levels[-1].worst[0]
        off = f"{brief.difference_db:+.1f} dB, {brief.text!r} by {brief.voice}"
        wer, name = heard.wer, heard.recogniser
        return [
            Goal(f"WER, {name}", f"≤ {100 * WER:g} %", f"{100 * wer:.2f} %", wer <= WER),
            Goal("DNSMOS, whole − streamed", f"≤ {OPINION_GAP}", f"{gap:.3f}", gap <= OPINION_GAP),
            Goal(
                "joins sharper than the 95th percentile around",
                f"≤ {100 * JOINS_OVER_P95:g} % (chance 5)",
                f"{100 * self.joins.over_p95:.1f} %",
                self.joins.over_p95 <= JOINS_OVER_P95,
            ),
            Goal(
                "sharpest join, of the sharpest place around",
                f"≤ {CLICK}",
                f"{worst:.2f} (between joins {self.elsewhere.worst:.2f})",
                worst <= CLICK,
            ),
            Goal(
                "level of a word or two, streamed over whole",
                f"± {LEVEL_DB:g} dB",
                off,
                abs(brief.difference_db) <= LEVEL_DB,
            ),
        ]


def measure(
    asked: Sequence[Asked],
    brief: Sequence[Asked],
    threads: int,
    told: Callable[[str], None] = lambda step: None,
    assignments: Sequence[str] = (),
) -> Quality:
    """Streams all of `asked` through the socket of a server of its own, and judges it.

    brief: texts of a word or two, of which only the level is judged. threads: of each model that
    judges. assignments: settings of the server, as key=value. Raises NotStarted, ModelMissing,
    ModelDamaged.
    """
    told(f"streaming {len(asked) + len(brief)} takes, twice")
    with serving(assignments) as server:
        takes = asyncio.run(streamed(server.address, [*asked, *brief]))
    told("decoding them whole")
    decoder = WholeDecoder(threads)
    made = [_sample(decoder, take) for take in takes]
    samples, short = made[: len(asked)], made[len(asked) :]
    told("recognising")
    with recognisers.recognisers(threads) as hearing:
        heard = [row for one in hearing for row in _heard(one, samples)]
    told("predicting opinions")
    levels = [_levels("plain", samples), _levels("a word or two", short)]
    return Quality(
        heard,
        _opinions(samples),
        _joins(samples),
        _joins(samples, after=MIDDLE),
        _sharpest(samples),
        levels,
    )


def _sample(decoder: WholeDecoder, take: Streamed) -> Sample:
    whole = decoder.decode(take.asked.text, take.asked.voice, take.windows)
    lengths = {len(whole.sound), len(take.pcm16), len(take.opus)}
    assert len(lengths) == 1, f"not the same take: {take.asked} has {lengths} samples"
    return Sample(take, whole)


def _heard(recogniser: Recogniser, samples: Sequence[Sample]) -> list[Heard]:
    rate = samples[0].streamed.sample_rate
    coded = [recogniser.hear(at_16k(sample.streamed.opus, rate)) for sample in samples]
    whole = [recogniser.hear(at_16k(sample.whole.sound, rate)) for sample in samples]
    return [
        _heard_in(name, at, recogniser.name, samples, coded, whole) for name, at in _by(samples)
    ]


def _heard_in(
    voice: str,
    at: Sequence[int],
    recogniser: str,
    samples: Sequence[Sample],
    coded: Sequence[str],
    whole: Sequence[str],
) -> Heard:
    said = [samples[i].streamed.asked.text for i in at]
    got, reference = [coded[i] for i in at], [whole[i] for i in at]
    return Heard(
        recogniser=recogniser,
        voice=voice,
        takes=len(at),
        words=sum(len(recognisers.normalised(text).split()) for text in said),
        wer=recognisers.wer(said, got),
        whole_wer=recognisers.wer(said, reference),
        misheard=recognisers.misheard(said, got),
    )


def _opinions(samples: Sequence[Sample]) -> list[Opinions]:
    rate = samples[0].streamed.sample_rate
    plain = _each([sample.streamed.pcm16 for sample in samples], rate)
    coded = _each([sample.streamed.opus for sample in samples], rate)
    whole = _each([sample.whole.sound for sample in samples], rate)
    rows = []
    for voice, at in _by(samples):
        gaps = whole[at] - plain[at]
        streamed, opus = float(plain[at].mean()), float(coded[at].mean())
        row = Opinions(
            voice=voice,
            takes=len(at),
            streamed=streamed,
            whole=float(whole[at].mean()),
            opus=opus,
            gap=float(gaps.mean()),
            gap_spread=float(gaps.std()),
            opus_gap=streamed - opus,
        )
        rows.append(row)
    return rows


def _each(sounds: Sequence[NDArray[np.int16]], rate: int) -> NDArray[np.float64]:
    return np.array([opinion(at_16k(sound, rate)) for sound in sounds])


def _joins(samples: Sequence[Sample], after: int = 0) -> Joins:
    """after: samples from each join on to the place that is looked at instead."""
    found = [
        join
        for sample in samples
        for join in joins.measured(sample.streamed.pcm16, [j + after for j in sample.whole.joins])
    ]
    return joins.summed(found)


def _sharpest(samples: Sequence[Sample]) -> Sharpest:
    return max(
        (
            Sharpest(sample.streamed.asked, join.at / sample.streamed.sample_rate, join.of_most)
            for sample in samples
            for join in joins.measured(sample.streamed.pcm16, sample.whole.joins)
        ),
        key=lambda sharpest: sharpest.of_most,
    )


def _levels(kind: str, samples: Sequence[Sample]) -> Levels:
    differences = (
        Level(
            sample.streamed.asked.text,
            sample.streamed.asked.voice,
            difference_db(sample.streamed.pcm16, sample.whole.sound),
        )
        for sample in samples
    )
    return summed(kind, list(differences))


def _by(samples: Sequence[Sample]) -> list[tuple[str, list[int]]]:
    """Which samples are of each voice, and all of them last."""
    spoken = [sample.streamed.asked.voice for sample in samples]
    rows = [(voice, [i for i, v in enumerate(spoken) if v == voice]) for voice in _once(spoken)]
    return [*rows, (ALL, list(range(len(samples))))]


def _once(names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(names))
