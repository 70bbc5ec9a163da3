"""The binary frame: a 20-byte header, little-endian, then one Opus packet or PCM16 block."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from voice_server.wire.errors import WireError

VERSION: Final = 1
HEADER: Final = struct.Struct("<BBHIIQ")
HEADER_BYTES: Final = HEADER.size
LAST: Final = 1
"""Flag bit 0: the last packet of the take."""


class FrameKind(IntEnum):
    """What a binary frame carries."""

    AUDIO = 1


@dataclass(frozen=True, slots=True)
class AudioFrame:
    """One packet of a take.

    stream: the take's number in the session (u32, from 1). seq: counts the stream's packets from 0
    (u32). timestamp: position of the packet's first sample in what the take decodes to, before
    `pre_skip` is taken off (u64, so packet 0 is at 0). Flag bits other than `LAST` are kept as they
    came, so that later versions can use them.
    """

    stream: int
    seq: int
    timestamp: int
    payload: bytes
    flags: int = 0
    kind: FrameKind = FrameKind.AUDIO

    @property
    def last(self) -> bool:
        return bool(self.flags & LAST)

    def pack(self) -> bytes:
        """The bytes of the frame. Raises WireError `bad_frame` for a number that does not fit."""
        try:
            header = HEADER.pack(
                VERSION, self.kind, self.flags, self.stream, self.seq, self.timestamp
            )
        except struct.error as error:
            raise WireError("bad_frame", f"a header field does not fit: {error}") from error
        return header + self.payload

    @classmethod
    def unpack(cls, data: bytes) -> AudioFrame:
        """Reads one whole frame. Raises WireError `bad_frame`, naming the field."""
        if len(data) < HEADER_BYTES:
            raise WireError(
                "bad_frame", f"expected at least {HEADER_BYTES} bytes, got {len(data)}", "header"
            )
        version, kind, flags, stream, seq, timestamp = HEADER.unpack_from(data)
        if version != VERSION:
            raise WireError("bad_frame", f"expected version {VERSION}, got {version}", "version")
        return cls(stream, seq, timestamp, bytes(data[HEADER_BYTES:]), flags, _kind(kind))


def _kind(value: int) -> FrameKind:
    try:
        return FrameKind(value)
    except ValueError as error:
        known = ", ".join(str(int(kind)) for kind in FrameKind)
        raise WireError("bad_frame", f"expected kind {known}, got {value}", "kind") from error
