"""What happens to a session, as the store is told of it: a closed union."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from engine.types import Word
from sessions.scene import Take
from sessions.sound import SoundBuffer
from sessions.store.records import Aside


@dataclass(frozen=True, slots=True)
class SessionOpened:
    """A session began, or somebody came back to it. `secret` is a digest of the token that lets
    them come back the next time; None leaves the one that is stored.
    """

    session_id: str
    secret: bytes | None = None


@dataclass(frozen=True, slots=True)
class SessionDeleted:
    """A session ended for good: all of it goes, sound too."""

    session_id: str


@dataclass(frozen=True, slots=True)
class SceneAdded:
    """A scene began. Told again of the same scene, it replaces script, title and asides."""

    session_id: str
    scene_id: str
    title: str = ""
    script: str = ""
    format: str = "plain"
    asides: tuple[Aside, ...] = ()


@dataclass(frozen=True, slots=True)
class VoiceCast:
    """The speaker has this voice from now on, in a scene or (None) in the session."""

    session_id: str
    speaker: str
    voice: str
    scene_id: str | None = None


@dataclass(frozen=True, slots=True)
class LineAdded:
    """A line came after those before it; dual: to be said at the same time as the one before. Told
    again of the same line, it has a new text, speaker and standing direction and stays in its
    place, dual or not.
    """

    session_id: str
    line_id: str
    text: str
    speaker: str | None = None
    direction: str | None = None
    scene_id: str | None = None
    dual: bool = False


@dataclass(frozen=True, slots=True)
class TakeBegun:
    """A take of a stored line is under way. `direction` is what was said to get it."""

    session_id: str
    take: Take
    sample_rate: int
    direction: str | None = None


@dataclass(frozen=True, slots=True)
class TakeEnded:
    """A take that had begun is made, done, cancelled or failed, with the text it has now.

    The store owns `sound` from here and closes it, whatever happens. Without sound only the state
    and the text change, so a take can be told of as made, with sound, and as done later. `score` is
    what the engine needs to edit it.
    """

    take: Take
    words: tuple[Word, ...] = ()
    sound: SoundBuffer | None = None
    score: bytes | None = None


@dataclass(frozen=True, slots=True)
class TakeKept:
    """The line has this take now, instead of any other; with None, no take is kept of it."""

    line_id: str
    take_id: str | None


@dataclass(frozen=True, slots=True)
class Together:
    """Changes that are written in their order, all or none."""

    changes: tuple[SceneAdded | VoiceCast | LineAdded, ...]


Change: TypeAlias = (
    SessionOpened
    | SessionDeleted
    | SceneAdded
    | VoiceCast
    | LineAdded
    | TakeBegun
    | TakeEnded
    | TakeKept
    | Together
)
