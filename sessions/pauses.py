"""How long it is quiet between the lines of a scene."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pauses:
    """Seconds of silence before a line, by what comes before it.

    same_speaker: the line before is by the same speaker. new_speaker: by another one.
    heading: a new setting begins between the two, whoever speaks.
    """

    same_speaker: float = 0.35
    new_speaker: float = 0.6
    heading: float = 1.2

    def before(self, speaker: str | None, previous: str | None, heading: bool = False) -> float:
        """The silence before a line that is not the first."""
        if heading:
            return self.heading
        return self.same_speaker if speaker == previous else self.new_speaker


NATURAL = Pauses()
