"""What delivery counts, over all sessions; /metrics reads a frozen snapshot."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Final

LATENESS_S: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
FIRST_AUDIO_S: Final = (0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1.0, 2.0, 5.0)
QUEUED_S: Final = (0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
RTF: Final = (0.1, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9, 1.0, 1.5, 2.0)
LONGEST_UNDERRUN_S: Final = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)


@dataclass(frozen=True, slots=True)
class HistogramSnapshot:
    """counts[i] values were at or under bounds[i] and over the bound before it.

    The last count, one more than there are bounds, is of those over all bounds.
    """

    bounds: tuple[float, ...]
    counts: tuple[int, ...]
    sum: float


class Histogram:
    """Counts values by fixed bounds."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def observe(self, value: float) -> None:
        self._counts[bisect_left(self._bounds, value)] += 1
        self._sum += value

    def snapshot(self) -> HistogramSnapshot:
        return HistogramSnapshot(self._bounds, tuple(self._counts), self._sum)


@dataclass(frozen=True, slots=True)
class DeliveryStats:
    """Totals since the start. Seconds throughout.

    underruns by the server's clock, and by the players of those listeners that report. lateness:
    of each packet. first_audio, rtf: of each take with sound that was done, from the command read.
    queued: what of that each take waited its turn, 0 for most. longest_underrun: the score of each
    take of two packets or more, by the server's clock.
    """

    takes_started: int
    takes_done: int
    takes_cancelled: int
    takes_failed: int
    packets: int
    audio_bytes: int
    server_underruns: int
    server_underrun_s: float
    player_underruns: int
    player_underrun_s: float
    lateness: HistogramSnapshot
    first_audio: HistogramSnapshot
    queued: HistogramSnapshot
    rtf: HistogramSnapshot
    longest_underrun: HistogramSnapshot


@dataclass(slots=True)
class DeliveryCounters:
    """Shared by all sessions of one event loop; written by their takes only."""

    takes_started: int = 0
    takes_done: int = 0
    takes_cancelled: int = 0
    takes_failed: int = 0
    packets: int = 0
    audio_bytes: int = 0
    server_underruns: int = 0
    server_underrun_s: float = 0.0
    player_underruns: int = 0
    player_underrun_s: float = 0.0
    lateness: Histogram = field(default_factory=lambda: Histogram(LATENESS_S))
    first_audio: Histogram = field(default_factory=lambda: Histogram(FIRST_AUDIO_S))
    queued: Histogram = field(default_factory=lambda: Histogram(QUEUED_S))
    rtf: Histogram = field(default_factory=lambda: Histogram(RTF))
    longest_underrun: Histogram = field(default_factory=lambda: Histogram(LONGEST_UNDERRUN_S))

    def wrote(self, payload_bytes: int, lateness: float, starved: float) -> None:
        """A packet was handed out."""
        self.packets += 1
        self.audio_bytes += payload_bytes
        self.lateness.observe(lateness)
        if starved > 0:
            self.server_underruns += 1
            self.server_underrun_s += starved

    def starved(self, seconds: tuple[float, ...]) -> None:
        """A listener's player reported these underruns."""
        self.player_underruns += len(seconds)
        self.player_underrun_s += sum(seconds)

    def snapshot(self) -> DeliveryStats:
        return DeliveryStats(
            takes_started=self.takes_started,
            takes_done=self.takes_done,
            takes_cancelled=self.takes_cancelled,
            takes_failed=self.takes_failed,
            packets=self.packets,
            audio_bytes=self.audio_bytes,
            server_underruns=self.server_underruns,
            server_underrun_s=self.server_underrun_s,
            player_underruns=self.player_underruns,
            player_underrun_s=self.player_underrun_s,
            lateness=self.lateness.snapshot(),
            first_audio=self.first_audio.snapshot(),
            queued=self.queued.snapshot(),
            rtf=self.rtf.snapshot(),
            longest_underrun=self.longest_underrun.snapshot(),
        )
