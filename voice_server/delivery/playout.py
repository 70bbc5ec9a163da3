"""What the listener has heard: the server's own clock, and what the listener's player says.

All positions are samples of the take; all times are monotonic seconds, passed in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sessions.commands import Playback
from voice_server.wire.server_messages import Underruns

HELD_S: Final = 2.0
"""How far past its last progress a player that reports none is still assumed to play: two of its
reports. Longer than any jitter buffer waits, so that a player that waits for more always gets it;
short, so that a paused one is not sent the whole take."""
_INSTANT: Final = 1e-6
"""Less than a microsecond late is the rounding of a clock, not an underrun."""
_EPSILON: Final = 1e-3
"""A thousandth of a sample, so that a time computed from a sample counts as having reached it."""


@dataclass(slots=True)
class Starvation:
    """Counts times in which a player had nothing to play."""

    count: int = 0
    total_s: float = 0.0
    longest_s: float = 0.0

    def add(self, seconds: float) -> None:
        self.count += 1
        self.total_s += seconds
        self.longest_s = max(self.longest_s, seconds)


class SimulatedPlayer:
    """The player of MEASURE: it starts at the first packet and plays on; a packet that is written
    after the sound before it has ended adds the difference as an underrun. Where a take is heard
    after another, it starts when its turn comes, and a first packet after that is an underrun too.
    """

    def __init__(self, sample_rate: int) -> None:
        self._rate = sample_rate
        self._sent = 0
        self._zero: float | None = None
        self.starvation = Starvation()

    @property
    def plays_at(self) -> float | None:
        """When sample 0 plays if all later sound is counted from now on; None before it starts."""
        return self._zero

    def wrote(self, end: int, now: float, turn: float | None = None) -> float:
        """A packet was written; sound is there up to sample `end`. Gives the seconds starved.

        turn: when the take's turn to be heard comes, for the first packet.
        """
        starved = 0.0
        if self._zero is None:
            self._zero = now if turn is None else turn
        if end > self._sent:
            starved = max(0.0, now - (self._zero + self._sent / self._rate))
        if starved > _INSTANT:
            self.starvation.add(starved)
            self._zero += starved
        self._sent = max(self._sent, end)
        return starved if starved > _INSTANT else 0.0

    def played(self, now: float) -> int:
        """Samples played by `now`, never past what was written."""
        if self._zero is None:
            return 0
        return max(0, min(self._sent, int((now - self._zero) * self._rate + _EPSILON)))


class ReportingPlayer:
    """The listener's own player, by its `playback` reports, each clamped to what was sent."""

    def __init__(self, sample_rate: int) -> None:
        self._rate = sample_rate
        self._played = 0
        self._moved_at = 0.0
        self._stuck = False
        self.reported = False
        self.starvation = Starvation()

    def report(self, report: Playback, sent: int, started: float, now: float) -> tuple[float, ...]:
        """Takes one report; `sent` samples were, from the time `started` on.

        What it says was played is clamped to what was sent and never goes back; its underruns all
        together are clamped to the time since the start. Gives the seconds of each that counted.
        """
        played = min(sent, int(report.played_ms * self._rate / 1000))
        if not self.reported or played > self._played:
            self._played, self._moved_at, self._stuck = played, now, False
        else:
            self._stuck = self._played < sent
        self.reported = True
        return tuple(self._counted(report, now - started))

    def _counted(self, report: Playback, elapsed: float) -> Iterator[float]:
        for underrun in report.underruns:
            seconds = min(underrun.ms / 1000, elapsed - self.starvation.total_s)
            if seconds > 0:
                self.starvation.add(seconds)
                yield seconds

    @property
    def held_at(self) -> int | None:
        """The sample where it stands still, by its reports; None while it plays."""
        return self._played if self._stuck else None

    @property
    def plays_at(self) -> float | None:
        """When sample 0 would have played, going by the last report that moved on."""
        return self._moved_at - self._played / self._rate

    def reach(self, sent: int) -> int:
        """The furthest sample that it may be assumed to play before it reports again."""
        return min(sent, self._played + int(HELD_S * self._rate)) if self._stuck else sent

    def played(self, sent: int, now: float) -> int:
        """Samples played by `now`, going on from the last report; never past what was sent."""
        on = int(max(0.0, now - self._moved_at) * self._rate + _EPSILON)
        return min(self.reach(sent), self._played + on)


def summary(starvation: Starvation, by_player: bool) -> Underruns:
    """As `take.done` tells it."""
    return Underruns(
        starvation.count,
        round(1000 * starvation.total_s, 3),
        round(1000 * starvation.longest_s, 3),
        "player" if by_player else "server",
    )
