"""PCM16 blocks for one take: the samples as they are, little-endian."""

from __future__ import annotations

import numpy as np

from engine.types import Int16
from voice_server.delivery.blocks import EMPTY, Blocks
from voice_server.delivery.errors import BadPacket, DeliveryError
from voice_server.delivery.packet import Packet


class Pcm16TakeEncoder:
    """int16 mono PCM of one take in, blocks of frame_ms out; the last block is what is left.

    That one is empty where the samples fill whole blocks: an earlier one is never held back to
    carry the `last` flag, since holding it could starve a player. pre_skip is 0.
    """

    pre_skip = 0

    def __init__(self, sample_rate: int, frame_ms: int) -> None:
        self._blocks = Blocks(sample_rate * frame_ms // 1000)
        self._sent = 0
        self._closed = False

    def push(self, samples: Int16) -> list[Packet]:
        """The blocks that `samples` complete. Raises DeliveryError after `finish` or `close`."""
        if self._closed:
            raise DeliveryError("the take's encoder is closed")
        return [self._packet(block) for block in self._blocks.push(samples)]

    def finish(self) -> list[Packet]:
        """The last block; none without samples."""
        self._closed = True
        rest = self._blocks.rest()
        return [self._packet(rest, last=True)] if self._blocks.samples else []

    def close(self) -> None:
        self._closed = True

    def _packet(self, block: Int16, last: bool = False) -> Packet:
        start = self._sent
        self._sent += len(block)
        return Packet(block.astype("<i2").tobytes(), start, self._sent, last)


class Pcm16TakeDecoder:
    """Blocks of one take in, samples out: the twin of OpusTakeDecoder."""

    def __init__(self) -> None:
        self._given = 0

    def feed(self, payload: bytes, last: bool = False) -> Int16:
        """The samples of one block. Raises BadPacket for half a sample."""
        if len(payload) % 2:
            raise BadPacket(f"a PCM16 block of {len(payload)} bytes ends in half a sample")
        samples = np.frombuffer(payload, dtype="<i2").astype(np.int16)
        self._given += len(samples)
        return samples

    def finish(self, samples: int) -> Int16:
        """Nothing is ever left. Raises BadPacket unless just `samples` came."""
        if samples != self._given:
            raise BadPacket(f"the take has {samples} samples, but {self._given} came")
        return EMPTY
