"""When a take was asked for, and how it came to be made."""

from __future__ import annotations

from typing import Final

from engine.types import Pcm
from sessions.events import Making

WINDOWS: Final = 64
"""Windows that are told of a take; a take of a minute has more, and all of those are alike."""


class MakingRecord:
    """Is told what happens to one take. All times are monotonic seconds, by one clock.

    asked_at: when the command was read that brought the first of its text. A line of a scene that
    is begun because its turn has come is asked for at that moment.
    """

    def __init__(self, asked_at: float) -> None:
        self._asked_at = asked_at
        self._admitted_at: float | None = None
        self._began_at: float | None = None
        self._windows: list[int] = []

    def asked(self, at: float) -> None:
        """The first of its text has come only now."""
        self._asked_at = at

    def admitted(self, at: float) -> None:
        """It had to wait in the queue, and the engine has it now."""
        self._admitted_at = at

    def window(self, pcm: Pcm) -> None:
        """The next of its windows is made."""
        if not self._windows:
            self._began_at = pcm.began
        if len(self._windows) < WINDOWS:
            self._windows.append(pcm.frames)

    def told(self) -> Making:
        """All of it so far."""
        waited = self._asked_at if self._admitted_at is None else self._admitted_at
        return Making(
            asked_at=self._asked_at,
            queued_s=max(0.0, waited - self._asked_at),
            began_at=self._began_at,
            windows=tuple(self._windows),
        )
