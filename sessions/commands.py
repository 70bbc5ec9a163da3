"""What a person can ask of an open session: a closed union, parsed once by the wire.

`id` is the client's own mark; everything that a command causes carries it as `reply_to`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from sessions.editing import WordChange
from sessions.script import Wanted


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


@dataclass(frozen=True, slots=True)
class Direct:
    """A new take of the same words, said as `direction` asks, in the context of a take that is
    made. seed: the take's own if None, so that nothing else moves."""

    take_id: str
    direction: str
    seed: int | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """A new take that differs from a take that is made only where its words do.

    Exactly one of `text`, the line as it should read, and `changes`, which count in the take's
    words, is given.
    """

    take_id: str
    text: str | None = None
    changes: tuple[WordChange, ...] = ()
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Keep:
    """From now on the take is its line's; one that was kept before no longer is."""

    take_id: str
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Perform:
    """A scene, line by line, in order; or more of one that there is, `scene_id`.

    cast: voices by speaker; others get one that fits. directions: standing ones, by speaker.
    more: the script goes on in a later `perform`; until then a line that may go on waits.
    """

    script: str
    format: Wanted = "auto"
    cast: Mapping[str, str] = field(default_factory=dict)
    directions: Mapping[str, str] = field(default_factory=dict)
    scene_id: str | None = None
    more: bool = False
    id: str | None = None


Command: TypeAlias = Speak | Append | Finish | Cancel | Playback | Direct | Edit | Keep | Perform
