"""A player in real time that is given sound as it arrives: where it would have starved."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gap:
    """The player had nothing to play for `seconds` in the line of that number, `at` seconds into
    what it plays."""

    line: int
    at: float
    seconds: float


class Player:
    """Starts at its first sound and goes on in real time; silence before a line is its own to
    play. Times are in seconds of any one clock."""

    def __init__(self, sample_rate: int) -> None:
        self._rate = sample_rate
        self._line = -1
        self._ends_at: float | None = None
        self.heard_s = 0.0
        """Sound and silence that it was given so far."""
        self.gaps: list[Gap] = []
        self.least_lead_s: float | None = None
        """The least that was left to play when sound came, from the second line on."""

    def line(self, pause_s: float) -> None:
        """The next line begins, after a silence if it is not the first."""
        self._line += 1
        if self._ends_at is not None:
            self._ends_at += pause_s
            self.heard_s += pause_s

    def hear(self, samples: int, at: float) -> None:
        """Sound came at that time."""
        ends_at = at if self._ends_at is None else self._ends_at
        self._lead(ends_at - at)
        starved = max(0.0, at - ends_at)
        if starved:
            self.gaps.append(Gap(self._line, self.heard_s, starved))
        self.heard_s += samples / self._rate
        self._ends_at = ends_at + starved + samples / self._rate

    def _lead(self, left_s: float) -> None:
        if self._line > 0:
            least = left_s if self.least_lead_s is None else self.least_lead_s
            self.least_lead_s = min(least, left_s)
