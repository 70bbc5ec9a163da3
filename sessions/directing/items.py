"""What the words of a direction can be: a closed union, made by the vocabulary and the reader."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal, TypeAlias

from sessions.directing.places import Place


class Role(Enum):
    """Small words that change what the others mean; their words are in the vocabulary."""

    MORE = "more"
    LESS = "less"
    PARTLY = "partly"
    BAR = "bar"
    TOO = "too"
    LACKING = "lacking"
    HEARD = "heard"
    ENOUGH = "enough"
    HOLD = "hold"
    NORMAL = "normal"
    UP = "up"
    DOWN = "down"
    THAN = "than"
    AS = "as"


class Joint(Enum):
    """What stands between two clauses."""

    AND = "and"
    OR = "or"
    HARD = "hard"


Which = Literal["neutral", "first", "previous", "this"]
Unit = Literal["percent", "times", "semitones", "decibels", "seconds", "bare"]


@dataclass(frozen=True, slots=True)
class Modifier:
    """A small word that changes what others mean."""

    role: Role


@dataclass(frozen=True, slots=True)
class Degree:
    """How much: 1 is plain."""

    strength: float


@dataclass(frozen=True, slots=True)
class Amount:
    """How much, in numbers."""

    value: float
    unit: Unit


@dataclass(frozen=True, slots=True)
class Said:
    """A concept by name. scale: a noun of its scale, such as "volume". compared: "sadder"."""

    concept: str
    scale: bool = False
    compared: bool = False


@dataclass(frozen=True, slots=True)
class Beyond:
    """Something that the voice can't do, by its name in the vocabulary."""

    name: str


@dataclass(frozen=True, slots=True)
class Pausing:
    """A pause is spoken of; with `placed`, only if its place is given too ("hold before 'but'")."""

    placed: bool = False


@dataclass(frozen=True, slots=True)
class Size:
    """A longer (1) or a shorter (-1) pause."""

    sign: int
    compared: bool


@dataclass(frozen=True, slots=True)
class Return:
    """An earlier take. number: counted from 1, oldest first; back: how many takes ago."""

    which: Which | None = None
    number: int = 0
    back: int = 0


@dataclass(frozen=True, slots=True)
class Scope:
    """Words of the line. led: a preposition stands before it ("on the last word")."""

    place: Place
    led: bool = False


@dataclass(frozen=True, slots=True)
class Break:
    """The end of a clause."""

    joint: Joint


@dataclass(frozen=True, slots=True)
class Filler:
    """Says nothing about the performance. likens: what follows is a likeness ("like a lion").
    leads: it belongs to what follows ("of the world")."""

    likens: bool = False
    leads: bool = False


@dataclass(frozen=True, slots=True)
class Unknown:
    """Not understood."""


Item: TypeAlias = (
    Modifier
    | Degree
    | Amount
    | Said
    | Beyond
    | Pausing
    | Size
    | Return
    | Scope
    | Break
    | Filler
    | Unknown
)


@dataclass(frozen=True, slots=True)
class Placed:
    """An item and the characters [from, to) of the direction that it was read from."""

    item: Item
    span: tuple[int, int]
