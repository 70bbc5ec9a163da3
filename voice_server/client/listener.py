"""How far a take was listened to, sans-IO: what its `playback` reports say.

Whoever takes blocks from the SDK counts as a player that starts with the first and plays on without
a break: it has an underrun where it waits for sound after all that it took has ended.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sessions.commands import Playback, Underrun
from voice_server.delivery.playout import Starvation


@dataclass(slots=True)
class Listener:
    """One take's listener. All positions are samples, all times monotonic seconds.

    lead: samples that the server sends ahead. With more than that untaken, one report says that
    nothing moves, so that a listener who stands still is not sent the whole take.
    """

    take_id: str
    sample_rate: int
    lead: int
    arrived: int = 0
    played: int = 0
    _ends_at: float | None = None
    starvation: Starvation = field(default_factory=Starvation)
    _underruns: list[Underrun] = field(default_factory=list)
    _reported: int | None = None
    _told_still: bool = False

    @property
    def played_ms(self) -> float:
        return round(1000 * self.played / self.sample_rate, 3)

    def arrive(self, samples: int, now: float) -> None:
        """Sound came, of `samples`; a player that had run dry goes on from here."""
        starved = self.played == self.arrived
        if starved and samples and self._ends_at is not None and now > self._ends_at:
            gap = now - self._ends_at
            self.starvation.add(gap)
            self._underruns.append(Underrun(self.played_ms, round(1000 * gap, 3)))
            self._ends_at = now
        self.arrived += samples

    def take(self, samples: int, now: float) -> None:
        """The next `samples` are played, or as good as played."""
        started = now if self._ends_at is None else max(now, self._ends_at)
        self._ends_at = started + samples / self.sample_rate
        self.played += samples

    def report(self, over: bool) -> Playback | None:
        """The report that is due now, if one is: at the start, each quarter of the lead, once when
        the listener stands still, and, with `over`, where it ended.
        """
        if not self._is_due(over):
            return None
        self._told_still = self.played == self._reported
        self._reported = self.played
        underruns = tuple(self._underruns)
        self._underruns.clear()
        return Playback(self.take_id, self.played_ms, underruns, id=self.take_id)

    def _is_due(self, over: bool) -> bool:
        if self._reported is None:
            return self.arrived > 0
        moved = self.played - self._reported
        if over and self.played == self.arrived:
            return moved > 0
        still = moved == 0 and not self._told_still and self.arrived - self.played > self.lead
        return still or moved >= max(1, self.lead // 4)
