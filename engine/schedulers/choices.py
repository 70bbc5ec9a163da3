"""What the choice of the next window is made from, and what it may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from engine.runners import Ready


@dataclass(frozen=True, slots=True)
class Standing:
    """How one take stands. order: of arrival, its name here.

    since: when there was first something to decode of it. ready: what could be decoded now.
    deadline: when its listener runs dry, None before its first window was made. wanted: whether
    there is credit for its next window. ended: nothing will follow what is ready. opens: whether
    the next window is the first of a clause. made: windows so far.
    """

    order: int
    since: float
    ready: Ready | None
    deadline: float | None = None
    wanted: bool = True
    ended: bool = False
    opens: bool = True
    made: int = 0


@dataclass(frozen=True, slots=True)
class Go:
    """Make a window of `frames`, of the take `order`; it must not be played for another `hold`
    seconds once it is made."""

    order: int
    frames: int
    hold: float = 0.0


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing is to be made before monotonic second `until`; None: before something changes."""

    until: float | None = None


Choice: TypeAlias = Go | Wait
