"""What a session says back: a closed union. Delivery turns TakeAudio and TakeFinished into packets
and `take.done`; the wire writes the rest as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from engine.types import Int16, Performance, Word


@dataclass(frozen=True, slots=True)
class Moved:
    """Which words of a direction moved what: `levers` before and after, "pause" in seconds.

    scope: the words of the line it is said of, None for all of it. Without levers, all was as
    asked already.
    """

    words: str
    levers: Mapping[str, tuple[float | bool, float | bool]]
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class TakeStarted:
    """`stream` numbers the take's audio frames within the session, from 1.

    kind: spoken, directed or edited. direction: what was said to get it, `moved` what that came to.
    follows: the take of a scene that it is to be heard after, `pause_ms` the silence between.
    """

    take_id: str
    line_id: str
    stream: int
    kind: str
    voice: str
    text: str
    performance: Performance
    speaker: str | None = None
    scene_id: str | None = None
    parent: str | None = None
    reply_to: str | None = None
    direction: str | None = None
    moved: tuple[Moved, ...] = ()
    follows: str | None = None
    pause_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class TakeAudio:
    """A window of sound; `start` is its first sample within the take. hold: seconds, from now,
    before which it must not be played."""

    take_id: str
    stream: int
    start: int
    samples: Int16
    frames: int
    hold: float = 0.0


@dataclass(frozen=True, slots=True)
class TakeWords:
    """Words whose times have become known."""

    take_id: str
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a recogniser made of an edit. right: whether the changed words and those beside them
    were heard as they read. words: heard in the changed words' place. tries: how often the edit was
    made, of which the take is the first that was right, or else the first.
    """

    right: bool
    words: str
    tries: int


@dataclass(frozen=True, slots=True)
class Making:
    """How a take came to be made; times are monotonic seconds.

    asked_at: when the command was read from the socket that brought the first of its text. A line
    of a scene that is begun because its turn has come is asked for at that moment. queued_s: from
    then until the engine had it; 0 if it did not wait its turn. began_at: when its first window
    began to be decoded; None where nobody noted it. windows: codec frames of the first windows.
    """

    asked_at: float
    queued_s: float = 0.0
    began_at: float | None = None
    windows: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TakeFinished:
    """All sound of the take is made. Delivery adds what it measured and sends `take.done`.

    changed: samples [from, to) that are not the parent's; None for a take that is wholly new.
    heard: of an edit, where somebody could listen to it.
    """

    take_id: str
    stream: int
    samples: int
    performance: Performance
    making: Making
    reply_to: str | None = None
    changed: tuple[tuple[int, int], ...] | None = None
    heard: Recognised | None = None


@dataclass(frozen=True, slots=True)
class TakeCancelled:
    """Stopped at the user's word. Delivery knows how much was sent and heard.

    text: all of the take's text, what was appended too; None if it is that of its TakeStarted.
    """

    take_id: str
    stream: int
    played_ms: float | None
    reply_to: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class TakeFailed:
    """The take ended in an error; all it held is free again."""

    take_id: str
    stream: int
    code: str
    message: str
    reply_to: str | None = None


@dataclass(frozen=True, slots=True)
class TakeKept:
    """The take is its line's now."""

    take_id: str
    line_id: str
    reply_to: str | None = None


@dataclass(frozen=True, slots=True)
class SceneLine:
    """A line of a scene, and who says it with which voice. dual: written to be said at the same
    time as the line before it."""

    line_id: str
    speaker: str
    voice: str
    text: str
    dual: bool = False


@dataclass(frozen=True, slots=True)
class SceneStarted:
    """Lines of a scene, in order, before any of them is spoken; the first is its `first`th from 0.

    Told again, with `first` over 0, when script is added to the scene.
    """

    scene_id: str
    lines: tuple[SceneLine, ...]
    first: int = 0
    reply_to: str | None = None


@dataclass(frozen=True, slots=True)
class SceneDone:
    """Nothing more of the scene is spoken by itself: all its lines were sent, or it was stopped.

    lines: how many of its lines were spoken to their end.
    """

    scene_id: str
    lines: int
    cancelled: bool = False
    reply_to: str | None = None


@dataclass(frozen=True, slots=True)
class Warned:
    """Something to know that stops nothing. seconds: of a take that is queued, about how long it
    will wait, where that is known."""

    code: str
    message: str
    take_id: str | None = None
    reply_to: str | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """A command that could not be done; `field` names what was wrong in it."""

    code: str
    message: str
    field: str | None = None
    reply_to: str | None = None


Event: TypeAlias = (
    TakeStarted
    | TakeAudio
    | TakeWords
    | TakeFinished
    | TakeCancelled
    | TakeFailed
    | TakeKept
    | SceneStarted
    | SceneDone
    | Warned
    | Refused
)
