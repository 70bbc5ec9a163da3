"""When each packet of a take is due: never more than the lead ahead of what the listener heard.

Sans-IO: all times are monotonic seconds, passed in; all sound is counted in samples.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from engine.types import Credit
from sessions.commands import Playback
from voice_server.delivery.errors import DeliveryError
from voice_server.delivery.packet import Packet
from voice_server.delivery.playout import ReportingPlayer, SimulatedPlayer, summary
from voice_server.wire.server_messages import Underruns

MIN_MAKE_AHEAD_MS: Final = 240
"""Four of the longest packets. So whenever nothing waits to be sent, more sound is wanted than was
made, though an encoder holds back up to a packet and credit is told in steps of a quarter: the
engine never waits for credit while delivery waits for sound."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How far ahead things may run, in samples at `sample_rate`.

    lead: what is sent, of what the listener has played. make_ahead: what is made, of that.
    """

    sample_rate: int
    lead: int
    make_ahead: int

    @classmethod
    def of_ms(cls, sample_rate: int, lead_ms: float, make_ahead_ms: float) -> Pace:
        """From milliseconds. make_ahead is at least MIN_MAKE_AHEAD_MS."""
        ahead_ms = max(make_ahead_ms, MIN_MAKE_AHEAD_MS)
        return cls(
            sample_rate,
            int(lead_ms * sample_rate / 1000),
            int(ahead_ms * sample_rate / 1000),
        )

    @property
    def credit_step(self) -> int:
        """How much credit has to grow before it is worth telling."""
        return self.make_ahead // 4


Turn: TypeAlias = Callable[[float], float]
"""When the turn of a take comes that follows another, going by what is known at the time given."""


@dataclass(frozen=True, slots=True)
class Written:
    """A packet that was taken to be written.

    lateness: seconds after it was due. starved: seconds for which the simulated player had nothing
    to play before it.
    """

    packet: Packet
    lateness: float
    starved: float


@dataclass(frozen=True, slots=True)
class _Waiting:
    """since: when it may go as far as whoever made it is concerned."""

    packet: Packet
    since: float


class TakePacer:
    """Holds one take's packets until they are due.

    `offer` packets as they are made; when `due_at` says so, `take` the next and write it; pass on
    the listener's reports by `report`; and hand `credit` to whoever makes the sound. What waits
    here is bounded by that credit and one window.

    lateness is counted from the time that the packet was both made and within the lead: a packet
    that was made too late is an underrun, not late.
    """

    def __init__(self, pace: Pace, turn: Turn | None = None) -> None:
        """turn: when the take's turn to be heard comes, for one that follows another; asked until
        the first packet is written."""
        self._pace = pace
        self._turn = turn
        self._waiting: deque[_Waiting] = deque()
        self._simulated = SimulatedPlayer(pace.sample_rate)
        self._listener = ReportingPlayer(pace.sample_rate)
        self._first_at: float | None = None
        self._sent = 0
        self._over = False
        self._written = 0

    @property
    def sent(self) -> int:
        """Samples of the take that the listener can play."""
        return self._sent

    @property
    def first_at(self) -> float | None:
        """When the first packet was written."""
        return self._first_at

    @property
    def waiting(self) -> int:
        """Packets that are held."""
        return len(self._waiting)

    @property
    def waiting_samples(self) -> int:
        """Sound that is held."""
        return self._waiting[-1].packet.end - self._sent if self._waiting else 0

    @property
    def reported(self) -> bool:
        """Whether the listener's own player has reported."""
        return self._listener.reported

    def offer(self, packets: Iterable[Packet], now: float, hold: float = 0.0) -> None:
        """Takes packets that were made, in order. hold: seconds before which none of them is due.

        Raises DeliveryError after `cancel`.
        """
        if self._over:
            raise DeliveryError("the take is cancelled")
        self._waiting.extend(_Waiting(packet, now + hold) for packet in packets)

    def due_at(self, now: float) -> float | None:
        """When the next packet is to be written; at or before `now` means now.

        None while there is none, or while a player that stands still has all that it may have: then
        only its next report can change that.
        """
        if not self._waiting:
            return None
        head = self._waiting[0]
        if self._turn is not None:
            early = self._pace.lead / self._pace.sample_rate
            return max(head.since, self._turn(now) - early)
        if head.since > now:
            return head.since
        needed = self._needed(head.packet)
        if needed <= self.played(now):
            return min(now, max(head.since, self._reached_at(needed, head.since)))
        if self._listener.reported and needed > self._listener.reach(self._sent):
            return None
        return max(now, self._reached_at(needed, now))

    def take(self, now: float) -> Written:
        """The next packet, which is written now. Raises DeliveryError unless one is due."""
        due = self.due_at(now)
        if due is None or due > now:
            raise DeliveryError("no packet is due")
        packet = self._waiting.popleft().packet
        if self._first_at is None:
            self._first_at = now
        self._written += 1
        turn, self._turn = self._turn(now) if self._turn is not None else None, None
        starved = self._simulated.wrote(packet.end, now, turn)
        self._sent = max(self._sent, packet.end)
        return Written(packet, now - due, starved)

    def report(self, report: Playback, now: float) -> tuple[float, ...]:
        """What the listener's own player says; before anything was sent there is nothing to say.

        Gives the seconds of each underrun that was taken from it.
        """
        if self._first_at is None:
            return ()
        return self._listener.report(report, self._sent, self._first_at, now)

    def played(self, now: float) -> int:
        """Samples that the listener has heard, as far as known; never past what was sent.

        A report may show that our clock was ahead, and then it is put back; what the listener said
        it had heard never is.
        """
        if self._listener.reported:
            return self._listener.played(self._sent, now)
        return self._simulated.played(now)

    def credit(self, now: float) -> Credit:
        """How far sound is wanted, and when sample 0 plays: for the engine."""
        until = self.played(now) + self._pace.lead + self._pace.make_ahead
        return Credit(until, self._plays_at() if self._turn is None else self._turn(now))

    def ends_at(self, samples: int, now: float) -> float:
        """When a take of so many samples will have been heard out, going by what is known now: its
        player may be paused."""
        rate = self._pace.sample_rate
        plays_at = self._plays_at() if self._turn is None else self._turn(now)
        ends = (now if plays_at is None else plays_at) + samples / rate
        held_at = self._listener.held_at
        if held_at is not None:
            return now + (samples - held_at) / rate
        left = samples - self.played(now)
        return ends if left <= 0 or ends > now else now + left / rate

    def cancel(self) -> int:
        """Drops what waits; nothing comes out any more. Gives the samples that were sent."""
        self._waiting.clear()
        self._over = True
        return self._sent

    def underruns(self) -> Underruns:
        """By the listener's own player if it has reported, else by the server's clock."""
        return summary(self._player.starvation, by_player=self._listener.reported)

    def longest_server_underrun(self) -> float | None:
        """The take's score by the server's clock, in seconds; None for fewer than two packets."""
        return self._simulated.starvation.longest_s if self._written > 1 else None

    @property
    def _player(self) -> SimulatedPlayer | ReportingPlayer:
        return self._listener if self._listener.reported else self._simulated

    def _needed(self, packet: Packet) -> int:
        """The sample that has to be played before `packet` may go; all that was sent is enough."""
        return min(packet.end - self._pace.lead, self._sent)

    def _plays_at(self) -> float | None:
        return self._player.plays_at

    def _reached_at(self, sample: int, otherwise: float) -> float:
        """When the listener's clock reaches the sample; `otherwise` before it runs."""
        plays_at = self._plays_at()
        if sample <= 0 or plays_at is None:
            return otherwise
        return plays_at + sample / self._pace.sample_rate
