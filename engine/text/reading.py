"""What a reader of one kind of word says of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from engine.text.tables import word_set
from engine.text.tokens import Spot


@dataclass(frozen=True, slots=True)
class Reading:
    """spoken: words to say. dot: the period after the word is part of it.

    letters: capitals that stand alone in `spoken` are names of letters.
    """

    spoken: str
    dot: bool = False
    letters: bool = True


Reader: TypeAlias = Callable[[Spot], Reading | None]

_NOT_NOUNS = word_set(
    """of and or to in on at by for from with is are was were be been as than that this but not if
    when while each per into up down over under after before now later ago away more less"""
)


def attributive(spot: Spot, back: int = 0) -> bool:
    """Whether a measure stands before its noun, as in "a 60 Hz screen".

    back: how many words before this one the measure begins.
    """
    article = spot.near(-back - 1).core in {"a", "an", "A", "An"}
    noun = spot.after
    return article and not spot.tail and noun.islower() and noun not in _NOT_NOUNS
