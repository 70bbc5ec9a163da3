"""WAV, a piece at a time: the length is known before, so nothing is mended at the end."""

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from voice_server.export.errors import ExportError
from voice_server.export.track import Track

HEADER_BYTES: Final = 44
_MOST_BYTES: Final = 2**32 - 1 - HEADER_BYTES


def wav_bytes(track: Track) -> int:
    """How long the file is. Raises ExportError past what the format's 32 bits can say."""
    sound = 2 * track.samples
    if sound > _MOST_BYTES:
        raise ExportError("a WAV file holds 4 GiB at most: ask for FLAC")
    return HEADER_BYTES + sound


def wav_pieces(track: Track) -> Generator[bytes, None, None]:
    """The file: RIFF header, then 16-bit little-endian samples. Raises ExportError if too long."""
    sound = wav_bytes(track) - HEADER_BYTES
    yield struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        *(b"RIFF", HEADER_BYTES - 8 + sound, b"WAVE"),
        *(b"fmt ", 16, 1, 1, track.sample_rate, 2 * track.sample_rate, 2, 16),
        *(b"data", sound),
    )
    for block in track.blocks():
        yield block.astype("<i2", copy=False).tobytes()
