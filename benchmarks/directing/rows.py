"""What is kept of every take: what was asked, and all that was measured."""

from __future__ import annotations

from dataclasses import dataclass

from engine.types import Performance


@dataclass(frozen=True, slots=True)
class Told:
    """A direction said of a sentence in a voice; "" is the undirected take."""

    voice: str
    text: str
    direction: str


@dataclass(frozen=True, slots=True)
class Acoustics:
    """seconds: of the whole take. pitch_hz: median F0; range: from its 15th to its 85th percentile,
    in semitones; None where hardly anything is voiced. loudness: integrated, LUFS. tilt: dB.
    voiced: share of frames."""

    seconds: float
    pitch_hz: float | None
    range: float | None
    loudness: float
    tilt: float
    voiced: float


@dataclass(frozen=True, slots=True)
class Judgement:
    """opinion: DNSMOS. similarity: cosine of its speaker vector and the undirected take's. heard:
    by tiny.en; again: by base, asked only where tiny.en misheard. wrong: words, by whichever
    misheard fewer."""

    opinion: float
    similarity: float
    words: int
    heard: str
    again: str | None
    wrong: int


@dataclass(frozen=True, slots=True)
class Row:
    """A take and all that was measured of it. judged: None where only its sound was measured."""

    told: Told
    performance: Performance
    acoustics: Acoustics
    judged: Judgement | None
