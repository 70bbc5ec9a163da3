"""Opus for one take, sample-exact at both ends.

libopus comes inside the `opuslib-next-bundled` wheel (Linux, macOS, Windows), because a fresh
machine has no libopus and `opuslib-next` alone needs the system's.

The encoder is held to CELT (application "restricted low delay"): on speech at 24 kHz its decoded
sound lies on the source at lag 0, where the hybrid mode that libopus would choose lies up to three
samples off, and it costs a third of the CPU (3 to 6 ms a second of sound against 17 ms at full
complexity) and 2.5 ms of delay instead of 6.5. Sound over a reliable socket needs none of SILK's
loss concealment. There is no DTX: every packet decodes to its whole length.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import opuslib_next
from opuslib_next.exceptions import OpusError

from engine.types import Int16
from voice_server.delivery.blocks import EMPTY, Blocks
from voice_server.delivery.errors import BadPacket, DeliveryError
from voice_server.delivery.packet import Packet

COMPLEXITY: Final = 10
SAMPLE_RATES: Final = (8_000, 12_000, 16_000, 24_000, 48_000)
_MAX_PACKET_MS: Final = 120


class OpusTakeEncoder:
    """int16 mono PCM of one take in, raw Opus packets of frame_ms (20, 40 or 60) out.

    pre_skip is the encoder's lookahead, in samples at `sample_rate` (one of SAMPLE_RATES). Decoding
    all packets, dropping pre_skip and cutting at the take's length gives exactly its samples.
    """

    def __init__(self, sample_rate: int, frame_ms: int, bitrate: int = 96_000) -> None:
        if sample_rate not in SAMPLE_RATES:
            raise DeliveryError(f"Opus takes {SAMPLE_RATES} Hz, not {sample_rate}")
        self._frame = sample_rate * frame_ms // 1000
        self._blocks = Blocks(self._frame)
        self._made = 0
        encoder = opuslib_next.Encoder(sample_rate, 1, opuslib_next.APPLICATION_RESTRICTED_LOWDELAY)
        encoder.bitrate = bitrate
        encoder.complexity = COMPLEXITY
        encoder.dtx = 0
        self.pre_skip: int = encoder.lookahead
        # The wrapper frees the C state when its last reference goes, which is the one here.
        self._encoder: opuslib_next.Encoder | None = encoder

    def push(self, samples: Int16) -> list[Packet]:
        """The packets that `samples` complete. Raises DeliveryError after `finish` or `close`."""
        return [self._packet(block, self._decodable()) for block in self._blocks.push(samples)]

    def finish(self) -> list[Packet]:
        """The packets that bring out the last sample, padded with silence; none without samples.

        There is always at least one, since a whole frame of source ends pre_skip samples later.
        """
        total = self._blocks.samples
        packets = []
        if total:
            wanted = -(-(total + self.pre_skip) // self._frame) - self._made
            tail = np.zeros(wanted * self._frame, dtype=np.int16)
            rest = self._blocks.rest()
            tail[: len(rest)] = rest
            blocks = np.split(tail, wanted)
            packets = [self._packet(block, total) for block in blocks[:-1]]
            packets.append(self._packet(blocks[-1], total, last=True))
        self.close()
        return packets

    def close(self) -> None:
        self._encoder = None

    def _decodable(self) -> int:
        """Samples of the take that can be played once one more packet is there."""
        return (self._made + 1) * self._frame - self.pre_skip

    def _packet(self, block: Int16, end: int, last: bool = False) -> Packet:
        if self._encoder is None:
            raise DeliveryError("the take's encoder is closed")
        payload: bytes = self._encoder.encode(block.tobytes(), self._frame)
        packet = Packet(payload, self._made * self._frame, min(end, self._decodable()), last)
        self._made += 1
        return packet


class OpusTakeDecoder:
    """Raw Opus packets of one take in, its int16 mono samples out; for the SDK and for tests.

    Packets come in order and none is left out. Not safe to share between threads.
    """

    def __init__(self, sample_rate: int, pre_skip: int) -> None:
        self._decoder = opuslib_next.Decoder(sample_rate, 1)
        self._most = sample_rate * _MAX_PACKET_MS // 1000
        self._skip = pre_skip
        self._given = 0
        self._held = EMPTY

    def feed(self, payload: bytes, last: bool = False) -> Int16:
        """The samples of one packet. Those of the last are held: `finish` says where they end.

        Raises BadPacket for bytes that are not Opus.
        """
        try:
            decoded = np.frombuffer(self._decoder.decode(payload, self._most), dtype=np.int16)
        except OpusError as error:
            raise BadPacket(f"not an Opus packet: {error}") from error
        skipped = min(self._skip, len(decoded))
        self._skip -= skipped
        samples = decoded[skipped:]
        if last:
            self._held = samples
            return EMPTY
        self._given += len(samples)
        return samples

    def finish(self, samples: int) -> Int16:
        """The rest, where `take.done` says that the take has `samples`.

        Raises BadPacket if more had come out already, or fewer than that are there.
        """
        left = samples - self._given
        if not 0 <= left <= len(self._held):
            there = self._given + len(self._held)
            raise BadPacket(f"the take has {samples} samples, but {there} were decoded")
        self._given = samples
        rest, self._held = self._held[:left], EMPTY
        return rest
