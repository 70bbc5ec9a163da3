"""What is made of a take's arrivals. The definitions are in docs/measuring.md."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Arrival:
    """Sound that came. at: seconds since the request. until: samples of the take that can be
    played by then."""

    at: float
    until: int


@dataclass(frozen=True, slots=True)
class Told:
    """What our server told of a take, in seconds from the command read.

    frames_s: until its first window began to be decoded. windows: codec frames of its first ones.
    held_s: from its first packet made to the first written. None: it was not told.
    """

    first_audio_s: float
    queued_s: float
    frames_s: float | None
    windows: tuple[int, ...]
    held_s: float | None


@dataclass(frozen=True, slots=True)
class Heard:
    """A take as its listener got it. arrivals: at least one. size: bytes on the wire.

    queued: the server said that it would wait its turn. told: by our server, of how it was made.
    """

    arrivals: tuple[Arrival, ...] = field(repr=False)
    sample_rate: int
    size: int
    queued: bool = False
    told: Told | None = None

    @property
    def duration_s(self) -> float:
        return self.arrivals[-1].until / self.sample_rate

    @property
    def first_audio_s(self) -> float:
        return self.arrivals[0].at

    @property
    def rtf(self) -> float:
        """From the request to the last packet, over the duration of the sound."""
        return self.arrivals[-1].at / self.duration_s

    @property
    def underrun_s(self) -> float | None:
        """The longest gap of a player that starts at the first packet; None for one packet."""
        return None if len(self.arrivals) == 1 else max(self.underruns_s, default=0.0)

    @property
    def underruns_s(self) -> tuple[float, ...]:
        """All gaps of such a player, in order."""
        ends_at, had, gaps = self.arrivals[0].at, 0, []
        for arrival in self.arrivals:
            starved = max(0.0, arrival.at - ends_at)
            gaps.append(starved)
            ends_at += starved + (arrival.until - had) / self.sample_rate
            had = arrival.until
        return tuple(gap for gap in gaps if gap > 0)


@dataclass(frozen=True, slots=True)
class Refused:
    """A take that was not made."""

    reason: str


Outcome: TypeAlias = Heard | Refused


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that `share` (0 to 1) of the values do not exceed. Needs one value."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def median(values: Sequence[float]) -> float:
    """The middle value, or the mean of the two in the middle. Needs one value."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def continuity(takes: Iterable[Heard], bound_s: float) -> float | None:
    """The share of scored takes whose longest underrun is at most `bound_s`; None if none is."""
    scored = [take.underrun_s for take in takes if take.underrun_s is not None]
    return sum(gap <= bound_s for gap in scored) / len(scored) if scored else None
