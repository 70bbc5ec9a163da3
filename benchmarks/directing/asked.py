"""What is said, and what is asked of it: sentences, voices, directions and their degrees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

VOICES: Final = ("af_heart", "bf_emma", "am_michael")
"""The default one, an American woman; a British woman, whose norms are the hardest to predict; and
an American man, an octave lower."""

SENTENCES: Final = (
    "The teacher asked a simple question, but nobody answered.",
    "I left my umbrella on the bus this morning.",
    "We can walk to the market in ten minutes.",
    "Where did you find such a quiet place to work?",
    "Please take your coat, it looks like rain outside.",
)
"""Statements, a question and a request, of nine or ten plain words."""

DIRECTIONS: Final = (
    "slower",
    "faster",
    "louder",
    "softer",
    "higher",
    "lower",
    "brighter",
    "darker",
    "warmer",
    "breathier",
    "flatter",
    "more expressive",
    "gentler",
    "sadder",
    "happier",
    "excited",
    "angrier",
    "scared",
    "calmer",
    "more serious",
    "tired",
    "proud",
    "nervous",
    "close to tears",
    "surprised",
    "more playful",
    "colder",
    "more dramatic",
    "mysterious",
    "more intimate",
    "urgent",
    "clearer",
    "like a question",
    "with a trembling voice",
    "shout",
    "whisper",
)
"""As a person would say them. `--words` takes any others."""

WHISPER: Final = "whisper"
"""Neither DNSMOS nor the speaker encoder has heard whispering, so it is held to words alone."""

Measured: TypeAlias = Literal["length", "pitch", "loudness", "range"]


@dataclass(frozen=True, slots=True)
class Ladder:
    """A direction said by degrees: what it moves, and whether up (1) or down (-1)."""

    direction: str
    measured: Measured
    sign: Literal[-1, 1]


DEGREES: Final = ("a touch", "a little", "", "much")
"""Of growing strength; plain is no word."""

LADDERS: Final = (
    Ladder("slower", "length", 1),
    Ladder("faster", "length", -1),
    Ladder("higher", "pitch", 1),
    Ladder("lower", "pitch", -1),
    Ladder("louder", "loudness", 1),
    Ladder("softer", "loudness", -1),
    Ladder("more expressive", "range", 1),
    Ladder("sadder", "length", 1),
)


def by_degree(direction: str, degree: str) -> str:
    """The direction said to a degree: "more expressive", "much more expressive"."""
    return f"{degree} {direction}".strip()
