"""What a session remembers of what was said, within bounds."""

from __future__ import annotations

from engine.types import Voice
from sessions import voices
from sessions.commands import Speak
from sessions.errors import UnknownLine
from sessions.limits import SessionLimits
from sessions.live import LiveTake
from sessions.scene import Line, Scene


class Memory:
    """Owns the scene: lines, the takes of them that are over, and the cast."""

    def __init__(self, limits: SessionLimits) -> None:
        self.scene = Scene()
        self._limits = limits

    def check_line(self, line_id: str | None) -> None:
        """Raises UnknownLine for a line that is not remembered."""
        if line_id is not None and line_id not in self.scene.lines:
            raise UnknownLine(f"no line is called {line_id!r}", "line_id")

    def voice(self, command: Speak, offered: tuple[Voice, ...], default: str) -> str:
        """The voice asked for, else the one the speaker had, else the default.

        Raises UnknownVoice.
        """
        if command.voice is not None:
            return voices.find(offered, command.voice)
        if command.speaker is not None:
            return self.scene.cast.get(command.speaker, default)
        return default

    def begin(self, take: LiveTake) -> None:
        """A take of a line, perhaps a new one, is under way."""
        if take.line_id not in self.scene.lines:
            self.scene = self.scene.with_line(Line(take.line_id, take.speaker))
        if take.speaker is not None:
            self.scene = self.scene.with_voice(take.speaker, take.voice)

    def end(self, take: LiveTake, in_use: frozenset[str]) -> None:
        """The take is over. What is too old to keep goes, save lines `in_use`."""
        self.scene = self.scene.with_take(take.frozen()).trimmed(
            self._limits.remembered_takes, self._limits.remembered_chars, in_use
        )
