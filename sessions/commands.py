"""What a person can ask of an open session: a closed union, parsed once by the wire.

`id` is the client's own mark; everything that a command causes carries it as `reply_to`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Speak:
    """A first take of a new line, or a fresh take of `line_id`. None means: the default."""

    text: str
    voice: str | None = None
    direction: str | None = None
    speaker: str | None = None
    line_id: str | None = None
    seed: int | None = None
    more: bool = False
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Append:
    """More text for a take that was opened with `more`."""

    take_id: str
    text: str
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Finish:
    """No more text will come for the take."""

    take_id: str
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Cancel:
    """Stops one take, or all that are under way; played_ms says what was heard."""

    take_id: str | None = None
    played_ms: float | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Underrun:
    """The listener's player had nothing to play at `at_ms` of the take, for `ms`."""

    at_ms: float
    ms: float


@dataclass(frozen=True, slots=True)
class Playback:
    """The listener's own player reports; `underruns` are those since its last report."""

    take_id: str
    played_ms: float
    underruns: tuple[Underrun, ...] = ()
    id: str | None = None


Command: TypeAlias = Speak | Append | Finish | Cancel | Playback
