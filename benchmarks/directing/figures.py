"""What the rows come to: by direction, by degree, and against what had to be reached."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Final, TypeAlias, assert_never

from benchmarks.directing.asked import (
    DEGREES,
    LADDERS,
    WHISPER,
    Ladder,
    Measured,
    by_degree,
)
from benchmarks.directing.rows import Row, Told
from benchmarks.report import Goal

FEWEST: Final = 30
OPINION: Final = -0.15
SIMILARITY: Final = 0.85
WER: Final = 0.02


@dataclass(frozen=True, slots=True)
class Effect:
    """Means of a direction over its takes, each beside the undirected take of the same sentence in
    the same voice. length: ratio. pitch, range: semitones, None where nothing is voiced. loudness,
    tilt: dB. voiced: share of frames. opinion: change of DNSMOS; spread: its standard deviation
    over takes. similarity: of speaker vectors; least: of any take. plain_wer: undirected."""

    direction: str
    takes: int
    length: float
    pitch: float | None
    range: float | None
    loudness: float
    tilt: float
    voiced: float
    wer: float
    plain_wer: float
    opinion: float
    spread: float
    similarity: float
    least: float


@dataclass(frozen=True, slots=True)
class Rung:
    """Mean change at one degree: of length in per cent, of the others as in `Effect`."""

    degree: str
    change: float


@dataclass(frozen=True, slots=True)
class Climb:
    """A direction by degrees. rises: each degree moves further, the right way, than the
    one before."""

    ladder: Ladder
    rungs: tuple[Rung, ...]

    @property
    def rises(self) -> bool:
        moves = [0.0, *(self.ladder.sign * rung.change for rung in self.rungs)]
        return all(a < b for a, b in pairwise(moves))


def effects(rows: Iterable[Row], directions: Sequence[str]) -> list[Effect]:
    """One of each direction that has a judged take."""
    pairs = _pairs(rows)
    found = (
        (d, [p for p in pairs if p[1].told.direction == d and p[1].judged]) for d in directions
    )
    return [_effect(direction, those) for direction, those in found if those]


def climbs(rows: Iterable[Row], laddered: Sequence[str]) -> list[Climb]:
    """One of each ladder that has takes of all degrees."""
    pairs = _pairs(rows)
    made = [_climb(ladder, pairs) for ladder in LADDERS if ladder.direction in laddered]
    return [climb for climb in made if len(climb.rungs) == len(DEGREES)]


Pair: TypeAlias = tuple[Row, Row]


def _pairs(rows: Iterable[Row]) -> list[Pair]:
    """Each directed take with its undirected one, which comes first."""
    known = {row.told: row for row in rows}
    plain = (Told(told.voice, told.text, "") for told in known)
    return [(known[p], row) for p, row in zip(plain, known.values(), strict=True) if row.told != p]


def _effect(direction: str, pairs: Sequence[Pair]) -> Effect:
    judged = [(a.judged, b.judged) for a, b in pairs if a.judged and b.judged]
    words = sum(plain.words for plain, _ in judged)
    opinions = [made.opinion - plain.opinion for plain, made in judged]
    similar = [made.similarity for _, made in judged]
    return Effect(
        direction=direction,
        takes=len(judged),
        length=fmean(b.acoustics.seconds / a.acoustics.seconds for a, b in pairs),
        pitch=_mean(pitch(a, b) for a, b in pairs),
        range=_mean(span(a, b) for a, b in pairs),
        loudness=fmean(b.acoustics.loudness - a.acoustics.loudness for a, b in pairs),
        tilt=fmean(b.acoustics.tilt - a.acoustics.tilt for a, b in pairs),
        voiced=fmean(b.acoustics.voiced for _, b in pairs),
        wer=sum(made.wrong for _, made in judged) / words,
        plain_wer=sum(plain.wrong for plain, _ in judged) / words,
        opinion=fmean(opinions),
        spread=math.sqrt(fmean((value - fmean(opinions)) ** 2 for value in opinions)),
        similarity=fmean(similar),
        least=min(similar),
    )


def pitch(plain: Row, made: Row) -> float | None:
    """Semitones between the medians."""
    a, b = plain.acoustics.pitch_hz, made.acoustics.pitch_hz
    return None if a is None or b is None else 12 * math.log2(b / a)


def span(plain: Row, made: Row) -> float | None:
    """Semitones that the range has gained."""
    a, b = plain.acoustics.range, made.acoustics.range
    return None if a is None or b is None else b - a


def _mean(values: Iterable[float | None]) -> float | None:
    """Of those that there are, if they are most of all."""
    each = list(values)
    known = [value for value in each if value is not None]
    return fmean(known) if 2 * len(known) > len(each) else None


def _climb(ladder: Ladder, pairs: Sequence[Pair]) -> Climb:
    rungs = []
    for degree in DEGREES:
        told = by_degree(ladder.direction, degree)
        those = [pair for pair in pairs if pair[1].told.direction == told]
        mean = _mean(change(ladder.measured, *pair) for pair in those)
        if mean is not None:
            rungs.append(Rung(degree or "plain", mean))
    return Climb(ladder, tuple(rungs))


def change(measured: Measured, plain: Row, made: Row) -> float | None:
    """Of length in per cent, of loudness in dB, of the others in semitones."""
    a, b = plain.acoustics, made.acoustics
    match measured:
        case "length":
            return 100 * (b.seconds / a.seconds - 1)
        case "loudness":
            return b.loudness - a.loudness
        case "pitch":
            return pitch(plain, made)
        case "range":
            return span(plain, made)
    assert_never(measured)


def goals(made: Sequence[Effect], degrees: Sequence[Climb]) -> list[Goal]:
    """What had to be reached. Needs one effect."""
    held = [effect for effect in made if effect.direction != WHISPER] or list(made)
    reached = [
        Goal("directions", f"≥ {FEWEST}", str(len(made)), len(made) >= FEWEST),
        _worst("DNSMOS, but of whisper", held, f"≥ {OPINION}", _opinion, OPINION),
        _worst("speaker similarity, but of whisper", held, f"≥ {SIMILARITY}", _alike, SIMILARITY),
        _worst("WER (negative), of each", made, f"≥ {-WER}", lambda e: -e.wer, -WER),
    ]
    fallen = [climb.ladder.direction for climb in degrees if not climb.rises]
    told = f"{len(degrees) - len(fallen)} of {len(degrees)}" + (f"; not {fallen}" if fallen else "")
    order = Goal("a touch < a little < plain < much", "all", told, not fallen if degrees else None)
    return [*reached, order]


def _opinion(effect: Effect) -> float:
    return effect.opinion


def _alike(effect: Effect) -> float:
    return effect.similarity


def _worst(
    what: str, made: Sequence[Effect], told: str, value: Callable[[Effect], float], bound: float
) -> Goal:
    worst = min(made, key=value)
    under = [effect.direction for effect in made if value(effect) < bound]
    measured = f"{value(worst):.3f}, {worst.direction!r}"
    if len(under) > 1:
        measured += f"; under it: {', '.join(under)}"
    return Goal(what, told, measured, not under)
