"""What directing takes and gives: frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from engine.types import Performance

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Context:
    """What a direction is said of.

    text: the take's whole text. words: its spoken words and their characters [from, to) in it; if
    empty, they are found in the text. earlier: performances of the line's takes before the one
    that is directed, oldest first.
    """

    text: str
    words: tuple[tuple[str, Span], ...] = ()
    earlier: tuple[Performance, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """One lever, or "pause" in seconds, before and after."""

    lever: str
    before: float | bool
    after: float | bool


@dataclass(frozen=True, slots=True)
class Moved:
    """Which words of the direction moved what.

    phrase: as written. span: its characters [from, to) in the direction. changes: empty where all
    was as asked already. scope: the words of the line it is said of, None for all of it.
    """

    phrase: str
    span: Span
    changes: tuple[Change, ...]
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class Impossible:
    """Understood, but not within the voice; `instead` are directions that come nearest."""

    phrase: str
    instead: tuple[str, ...]

    @property
    def message(self) -> str:
        return f"this voice can't do “{self.phrase}”; nearest are: {', '.join(self.instead)}"


@dataclass(frozen=True, slots=True)
class Directed:
    """A direction as it was understood.

    ignored: phrases that weren't, as written. scopes: characters of the text that are said
    otherwise than before, in order; None if all of it is, () if nothing is.
    """

    performance: Performance
    moved: tuple[Moved, ...] = ()
    ignored: tuple[str, ...] = ()
    impossible: tuple[Impossible, ...] = ()
    scopes: tuple[Span, ...] | None = ()


@dataclass(frozen=True, slots=True)
class Near:
    """A concept of the vocabulary, and how near a phrase is to it, up to 1."""

    concept: str
    similarity: float


class Meaning(Protocol):
    """Finds the concept that a phrase outside the vocabulary comes nearest to."""

    def nearest(self, phrase: str) -> Near | None:
        """None if no concept is near enough to act on."""
        ...
