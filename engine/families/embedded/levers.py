"""From a performance to what each stretch of a clause is said with, held within safe ends.

The ends are those up to which the voice stays speech and stays itself, as measured by
benchmarks/directing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from engine.families.embedded.phonemes import Reading
from engine.types import Levers, Performance

#: Lowest and highest value of each lever that is a number.
LOWEST = Levers(
    rate=0.75,
    vowels=0.75,
    pitch=-4.0,
    range=0.5,
    ending=-4.0,
    slope=-6.0,
    tilt=-6.0,
    gain=-12.0,
    breath=0.0,
    soft=0.0,
    tremor=0.0,
    tremor_hz=3.0,
    emphasis=0.0,
)
HIGHEST = Levers(
    rate=1.3,
    vowels=1.3,
    pitch=5.0,
    range=1.8,
    ending=10.0,
    slope=6.0,
    tilt=6.0,
    gain=9.0,
    breath=0.25,
    soft=0.3,
    tremor=2.5,
    tremor_hz=9.0,
    emphasis=1.75,
)
NEUTRAL = Levers()
#: What whispering does besides taking the voice away: a factor of pace, and dB.
WHISPER_RATE, WHISPER_GAIN = 0.93, -2.0
#: Length of a word at emphasis 1, a factor.
STRESSED = 1.3
VOWELS = frozenset("aɑæɐɒəɚɛɜɪiʊuʌɔoAIOQWYᵊᵻeyːˈˌ")
#: Acoustic frames over which one stretch goes over into the next.
RAMP = 2.0


@dataclass(frozen=True, slots=True)
class Stretch:
    """Acoustic frames [start, stop) of a clause and the levers that they are said with."""

    start: int
    stop: int
    levers: Levers


@dataclass(frozen=True, slots=True)
class Stress:
    """Acoustic frames [start, stop) of an emphasised word; strength as in `Levers.emphasis`."""

    start: int
    stop: int
    strength: float


@dataclass(frozen=True, slots=True)
class Directed:
    """How a clause is to be said. base: the levers of the whole take. stretches: tile the clause;
    neighbours differ. closes: a sentence ends with the clause."""

    base: Levers
    stretches: tuple[Stretch, ...]
    stresses: tuple[Stress, ...]
    closes: bool


def safe(levers: Levers) -> Levers:
    """Plain levers, each held within its ends."""
    names = [field.name for field in fields(Levers) if field.name != "whisper"]
    held = {name: _held(name, levers) for name in names}
    return Levers(whisper=levers.whisper, **held)


def _held(name: str, levers: Levers) -> float:
    low, value, high = (float(getattr(ends, name)) for ends in (LOWEST, levers, HIGHEST))
    return min(max(value, low), high)


def base(performance: Performance) -> Levers:
    """Those of the whole take; stress is only ever a word's."""
    return replace(safe(performance), emphasis=0.0)


def of_span(performance: Performance, span: tuple[int, int]) -> Levers:
    """Those of the characters [from, to): of the last part that reaches into them."""
    for part in reversed(performance.parts):
        if part.span[0] < span[1] and span[0] < part.span[1]:
            return safe(part.levers)
    return base(performance)


@dataclass(frozen=True, slots=True)
class TokenLevers:
    """The levers of each token of a clause (padding counted), and which of them are in words."""

    base: Levers
    of: tuple[Levers, ...]
    words: tuple[tuple[int, int], ...]

    @property
    def is_neutral(self) -> bool:
        return all(levers == NEUTRAL for levers in self.of)


def of_tokens(performance: Performance, offset: int, reading: Reading) -> TokenLevers:
    """offset: of the reading's text in the take's. What stands between two words belongs to them
    if they are said alike, else to the whole take."""
    plain = base(performance)
    spans = [(offset + w.span[0], offset + w.span[1]) for w in reading.words]
    said = [of_span(performance, span) for span in spans]
    words = [(w.phonemes[0] + 1, w.phonemes[1] + 1) for w in reading.words]
    tokens = [plain] * (len(reading.phonemes) + 2)
    at, before = 0, said[0]
    for levers, (start, stop) in zip(said, words, strict=True):
        tokens[at:start] = [levers if levers == before else plain] * (start - at)
        tokens[start:stop] = [levers] * (stop - start)
        at, before = stop, levers
    tokens[at:] = [before] * (len(tokens) - at)
    return TokenLevers(plain, tuple(tokens), tuple(words))


def lengths(said: TokenLevers, phonemes: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Factors of each token's length [n]: by the levers of the whole take, by its own."""
    padded = f" {phonemes} "
    inside = np.zeros(len(padded), bool)
    for start, stop in said.words:
        inside[start:stop] = True
    plain = [_length(said.base, c, False) for c in padded]
    own = [
        _length(levers, c, stressed)
        for levers, c, stressed in zip(said.of, padded, inside, strict=True)
    ]
    return np.array(plain), np.array(own)


def _length(levers: Levers, phoneme: str, word: bool) -> float:
    rate = levers.rate * (WHISPER_RATE if levers.whisper else 1.0)
    vowels = levers.vowels if phoneme in VOWELS else 1.0
    return vowels / rate * (STRESSED**levers.emphasis if word else 1.0)


def directed(said: TokenLevers, durations: NDArray[np.float32], closes: bool) -> Directed | None:
    """On the frames of a clause; durations [n] in frames. None if all is neutral."""
    if said.is_neutral:
        return None
    edges = np.concatenate([[0], np.cumsum(durations)]).astype(int).tolist()
    stretches, at = [], 0
    for levers, group in groupby(said.of):
        count = len(list(group))
        stretches.append(Stretch(edges[at], edges[at + count], levers))
        at += count
    stresses = tuple(
        Stress(edges[start], edges[stop], said.of[start].emphasis)
        for start, stop in said.words
        if said.of[start].emphasis
    )
    return Directed(said.base, tuple(stretches), stresses, closes)


Value = Callable[[Levers], float]


def track(how: Directed, value: Value, at: NDArray[np.float64]) -> NDArray[np.float64]:
    """A lever at the moments `at` (in frames of the clause). It goes over from one stretch to the
    next within `RAMP` frames, on the side of what differs from the whole take: the rest is as it
    would be without."""
    knots, values = _knots(how.base, how.stretches, value)
    return np.interp(at, knots, values)


def _knots(
    plain: Levers, stretches: Sequence[Stretch], value: Value
) -> tuple[list[float], list[float]]:
    knots, values = [float(stretches[0].start)], [value(stretches[0].levers)]
    for a, b in pairwise(stretches):
        inward = a if b.levers == plain else b
        ramp = min(RAMP, (inward.stop - inward.start) / 2)
        edges = (b.start - ramp, b.start) if inward is a else (b.start, b.start + ramp)
        knots += edges
        values += [value(a.levers), value(b.levers)]
    return knots, values


def active(how: Directed, start: float, stop: float) -> list[Levers]:
    """The levers that some of frames [start, stop) are said with."""
    return [s.levers for s in how.stretches if s.start < stop and start < s.stop]
