"""What was said: frozen values. A change gives a new value; the old one stays as it was."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from engine.types import Performance
from sessions.events import Recognised
from sessions.states import TakeState


@dataclass(frozen=True, slots=True)
class Take:
    """One rendering of a line that is over. `samples` is what was made of it; `state` is how it
    ended: DONE, CANCELLED or FAILED. heard: of an edit, where somebody listened to it.
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
    parent: str | None = None
    heard: Recognised | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """What one speaker says, and the takes of it in the order they ended; `direction` is its
    standing one."""

    id: str
    speaker: str | None
    takes: tuple[Take, ...] = ()
    direction: str | None = None
    scene_id: str | None = None

    def of(self, takes: tuple[Take, ...]) -> Line:
        """The line with these takes."""
        return replace(self, takes=takes)


@dataclass(frozen=True, slots=True)
class Scene:
    """Lines in the order they were first spoken, and which voice each speaker has."""

    lines: Mapping[str, Line] = field(default_factory=lambda: MappingProxyType({}))
    cast: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def take(self, take_id: str) -> Take | None:
        return next((take for take in self.takes() if take.id == take_id), None)

    def takes(self) -> tuple[Take, ...]:
        return tuple(take for line in self.lines.values() for take in line.takes)

    def before(self, line_id: str) -> tuple[str, ...]:
        """What the lines before this one say, each as its newest take has it."""
        ids = list(self.lines)
        earlier = ids[: ids.index(line_id)] if line_id in self.lines else ids
        takes = (self.lines[each].takes for each in earlier)
        return tuple(took[-1].text for took in takes if took)

    def with_line(self, line: Line) -> Scene:
        return replace(self, lines=MappingProxyType({**self.lines, line.id: line}))

    def with_voice(self, speaker: str, voice: str) -> Scene:
        """The speaker has this voice from now on."""
        others = {name: had for name, had in self.cast.items() if name != speaker}
        return replace(self, cast=MappingProxyType({**others, speaker: voice}))

    def with_take(self, take: Take) -> Scene:
        line = self.lines[take.line_id]
        return self.with_line(line.of((*line.takes, take)))

    def trimmed(self, takes: int, chars: int, in_use: frozenset[str]) -> Scene:
        """Without the oldest takes, until at most so many of them and of their characters are
        left, nor lines that have none left, unless `in_use`.
        """
        count = sum(len(line.takes) for line in self.lines.values())
        total = sum(len(take.text) for take in self.takes())
        left: dict[str, Line] = {}
        for line in self.lines.values():
            kept = deque(line.takes)
            while kept and (count > takes or total > chars):
                count, total = count - 1, total - len(kept.popleft().text)
            if kept or line.id in in_use:
                left[line.id] = line if len(kept) == len(line.takes) else line.of(tuple(kept))
        cast = dict(list(self.cast.items())[-takes:])
        return replace(self, lines=MappingProxyType(left), cast=MappingProxyType(cast))


NOTHING_SAID: Final = Scene()
