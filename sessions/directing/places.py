"""Where in the line a direction applies, as said: a closed union, resolved against the line's text
by `spots`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Unit = Literal["word", "clause", "sentence"]
Edge = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Quoted:
    """Words as they stand in the line, compared folded. nth: which occurrence, counted from 1, or
    from the end if negative; None is all of them.
    """

    words: str
    nth: int | None = None


@dataclass(frozen=True, slots=True)
class Counted:
    """`count` units from the `nth` (1 is the first, -1 the last); nth None is every one."""

    unit: Unit
    nth: int | None
    count: int = 1


@dataclass(frozen=True, slots=True)
class Share:
    """The nth of so many equal shares of the words: the second half, the last third."""

    nth: int
    of: int


@dataclass(frozen=True, slots=True)
class Side:
    """The beginning, the middle or the end, without saying how much of it. then_rest: what is said
    next is of the rest ("start slow and speed up").
    """

    edge: Edge
    then_rest: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """Every place with one of these punctuation marks."""

    marks: str


@dataclass(frozen=True, slots=True)
class Asked:
    """Every sentence that ends in this mark: the questions, the exclamations."""

    mark: str


@dataclass(frozen=True, slots=True)
class Whole:
    """All of the line."""


@dataclass(frozen=True, slots=True)
class Rest:
    """All that no earlier scope of the same direction covers."""


@dataclass(frozen=True, slots=True)
class Before:
    """Up to the place; of a pause: right before it."""

    place: Place


@dataclass(frozen=True, slots=True)
class After:
    """From behind the place on; of a pause: right behind it."""

    place: Place


@dataclass(frozen=True, slots=True)
class Between:
    """From one place to another, both of them in it if `whole`; to the end without `last`."""

    first: Place
    last: Place | None
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Within:
    """A place looked for in each span of another: the last word of the first sentence."""

    inner: Place
    outer: Place


@dataclass(frozen=True, slots=True)
class Both:
    """One place and another."""

    places: tuple[Place, ...]


Place: TypeAlias = (
    Quoted
    | Counted
    | Share
    | Side
    | Mark
    | Asked
    | Whole
    | Rest
    | Before
    | After
    | Between
    | Within
    | Both
)
