"""What every encoder of a take gives and takes, and the one place that chooses between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, assert_never

from engine.types import Int16
from voice_server.delivery.opus import OpusTakeEncoder
from voice_server.delivery.packet import Packet
from voice_server.delivery.pcm16 import Pcm16TakeEncoder
from voice_server.wire.client_messages import Encoding


class TakeEncoder(Protocol):
    """Turns one take's PCM into packets. Any chunking of the same samples gives the same packets.

    Not safe to share between threads; one take's calls come from one thread at a time.
    """

    @property
    def pre_skip(self) -> int:
        """Samples that come off the front of what the take decodes to."""
        ...

    def push(self, samples: Int16) -> list[Packet]:
        """The packets that `samples` (int16, mono, any length) complete."""
        ...

    def finish(self) -> list[Packet]:
        """The last packets, none for a take without samples. Frees what the encoder held."""
        ...

    def close(self) -> None:
        """Frees what the encoder held, once; without effect after that or after `finish`."""
        ...


@dataclass(frozen=True, slots=True)
class EncoderSettings:
    """How a session's takes are encoded. frame_ms: 20, 40 or 60. bitrate: bits/s, for Opus."""

    format: Encoding
    sample_rate: int
    frame_ms: int
    bitrate: int = 96_000

    def encoder(self) -> TakeEncoder:
        """A fresh encoder, for one take. Whoever asked calls `finish` or `close` on it."""
        match self.format:
            case "opus":
                return OpusTakeEncoder(self.sample_rate, self.frame_ms, self.bitrate)
            case "pcm16":
                return Pcm16TakeEncoder(self.sample_rate, self.frame_ms)
            case _:
                assert_never(self.format)

    def pre_skip(self) -> int:
        """What `session.opened` tells: samples at `sample_rate`."""
        encoder = self.encoder()
        try:
            return encoder.pre_skip
        finally:
            encoder.close()
