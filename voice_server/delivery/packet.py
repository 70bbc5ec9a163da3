"""One encoded packet of a take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Packet:
    """An Opus packet or PCM16 block.

    timestamp: position of its first sample in what the take decodes to, `pre_skip` included.
    end: samples of the take that can be played once this packet is there, `pre_skip` taken off and
    padding left out. It never goes back, and the last packet's is the take's length.
    """

    payload: bytes
    timestamp: int
    end: int
    last: bool = False
