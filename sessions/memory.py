"""What a session remembers of what was said, within bounds; the store has the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine.types import Voice
from sessions import voices
from sessions.commands import Speak
from sessions.limits import SessionLimits
from sessions.live import LiveTake
from sessions.scene import NOTHING_SAID, Line, Scene
from sessions.states import OVER


class Memory:
    """Owns the scene: lines, the takes of them that are over, and the cast; and the speakers'
    standing directions."""

    def __init__(self, limits: SessionLimits, scene: Scene = NOTHING_SAID) -> None:
        self.scene = scene.trimmed(
            limits.remembered_takes, limits.remembered_chars, in_use=frozenset()
        )
        self._limits = limits
        self._standing: dict[str, str] = {}

    def line(self, known: Line | None, command: Speak, new_id: str) -> Line:
        """The line that a command speaks, as it is from now on: a new one, unless it is known."""
        if known is None:
            direction = self.standing(command.speaker, command.direction)
            return Line(new_id, command.speaker, direction=direction)
        return replace(
            known,
            speaker=command.speaker or known.speaker,
            direction=command.direction or known.direction,
        )

    def voice(self, command: Speak, line: Line, offered: tuple[Voice, ...], default: str) -> str:
        """The voice asked for, else the one the speaker has, else that of the line's last take,
        else the default.

        Raises UnknownVoice.
        """
        if command.voice is not None:
            return voices.find(offered, command.voice)
        last = line.takes[-1].voice if line.takes else default
        return last if line.speaker is None else self.scene.cast.get(line.speaker, last)

    def standing(self, speaker: str | None, direction: str | None) -> str | None:
        """A line's own direction after that which stands for all lines of its speaker."""
        both = (self._standing.get(speaker or ""), direction)
        return ", ".join(one for one in both if one) or None

    def direct(self, directions: Mapping[str, str]) -> None:
        """Directions that stand for all lines of a speaker which are new from now on."""
        self._standing.update(directions)
        while len(self._standing) > self._limits.remembered_takes:
            del self._standing[next(iter(self._standing))]

    def cast(self, speaker: str, voice: str) -> bool:
        """The speaker has this voice from now on; whether that is news."""
        known = self.scene.cast.get(speaker) == voice
        self.scene = self.scene.with_voice(speaker, voice)
        return not known

    def begin(self, line: Line) -> None:
        """A take of a line, perhaps a new one, is under way."""
        known = self.scene.lines.get(line.id)
        takes = known.takes if known is not None else line.takes
        over = tuple(take for take in takes if take.state in OVER)
        self.scene = self.scene.with_line(line.of(over))

    def end(self, take: LiveTake, in_use: frozenset[str]) -> None:
        """The take is over. What is too old to keep goes, save lines `in_use`."""
        self.scene = self.scene.with_take(take.frozen()).trimmed(
            self._limits.remembered_takes, self._limits.remembered_chars, in_use
        )
