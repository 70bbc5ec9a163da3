"""What the store gives back: frozen values of a session and all that is in it."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from engine.types import Performance, Word
from sessions.events import Recognised
from sessions.scene import Line, Scene, Take
from sessions.states import TakeState


@dataclass(frozen=True, slots=True)
class TakeRecord:
    """A take as it is stored. `direction` is what was said to get it; `created_at` is in seconds
    since 1970. Unless `samples` is 0 there is a sound file of that many. heard: of an edit, where
    somebody listened to it.
    """

    id: str
    line_id: str
    kind: str
    voice: str
    text: str
    seed: int
    performance: Performance
    state: TakeState
    samples: int
    sample_rate: int
    created_at: float
    parent: str | None = None
    direction: str | None = None
    words: tuple[Word, ...] = ()
    heard: Recognised | None = None

    @property
    def audible(self) -> bool:
        """Whether it was finished and has sound."""
        return self.samples > 0 and self.state in (TakeState.DONE, TakeState.MADE)

    def take(self) -> Take:
        """As a session holds it."""
        return Take(
            id=self.id,
            line_id=self.line_id,
            kind=self.kind,
            voice=self.voice,
            text=self.text,
            seed=self.seed,
            performance=self.performance,
            state=self.state,
            samples=self.samples,
            parent=self.parent,
            heard=self.heard,
        )


@dataclass(frozen=True, slots=True)
class LineRecord:
    """A line with its takes in the order they began; `direction` is its standing one. dual: said at
    the same time as the line before it."""

    id: str
    text: str
    scene_id: str | None = None
    speaker: str | None = None
    direction: str | None = None
    kept: str | None = None
    takes: tuple[TakeRecord, ...] = ()
    dual: bool = False

    def line(self) -> Line:
        """As a session holds it."""
        takes = tuple(take.take() for take in self.takes)
        return Line(self.id, self.speaker, takes, self.direction, self.scene_id)

    def chosen(self) -> TakeRecord | None:
        """The kept take, else the last that was finished and has sound."""
        kept = (take for take in self.takes if take.id == self.kept)
        audible = (take for take in reversed(self.takes) if take.audible)
        return next(kept, None) or next(audible, None)


@dataclass(frozen=True, slots=True)
class Aside:
    """What stands in a script and isn't spoken: `kind` is heading, action, note and the like;
    `before_line` is the number, from 0, of the scene's line that follows it.
    """

    kind: str
    text: str
    before_line: int


@dataclass(frozen=True, slots=True)
class SceneRecord:
    """A scene but for its lines: the script as written, its format, and speakers to voices."""

    id: str
    title: str = ""
    script: str = ""
    format: str = "plain"
    cast: tuple[tuple[str, str], ...] = ()
    asides: tuple[Aside, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """All of a session. Times are in seconds since 1970; `cast` holds for lines of no scene.

    scenes, lines: in the order they were added; a line names its scene.
    """

    id: str
    opened_at: float
    touched_at: float
    cast: tuple[tuple[str, str], ...] = ()
    scenes: tuple[SceneRecord, ...] = ()
    lines: tuple[LineRecord, ...] = ()

    @property
    def takes(self) -> tuple[TakeRecord, ...]:
        return tuple(take for line in self.lines for take in line.takes)

    @property
    def kept(self) -> dict[str, str]:
        """Lines to the take that was kept of each."""
        return {line.id: line.kept for line in self.lines if line.kept is not None}

    def scene(self) -> Scene:
        """As a session holds it: every line with its takes, and the cast."""
        lines = {line.id: line.line() for line in self.lines}
        return Scene(MappingProxyType(lines), MappingProxyType(dict(self.cast)))


@dataclass(frozen=True, slots=True)
class SessionHead:
    """A session in a list: how many takes it has, and samples of sound in them."""

    id: str
    opened_at: float
    touched_at: float
    takes: int
    samples: int


@dataclass(frozen=True, slots=True)
class SceneSheet:
    """A scene with its lines, and whose it is."""

    session_id: str
    scene: SceneRecord
    lines: tuple[LineRecord, ...]


@dataclass(frozen=True, slots=True)
class TakeSheet:
    """A take with its line (all takes of it included), and whose it is."""

    session_id: str
    line: LineRecord
    take: TakeRecord
