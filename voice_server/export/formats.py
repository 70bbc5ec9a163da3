"""The formats of sound, and a track in each of them."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Final

from sessions.sound import write_flac
from voice_server.export.errors import ExportError
from voice_server.export.track import Track
from voice_server.export.wav import wav_pieces


class Format(Enum):
    """By the ending of a file's name."""

    WAV = "wav"
    FLAC = "flac"
    OPUS = "opus"
    JSON = "json"
    VTT = "vtt"
    SRT = "srt"
    ZIP = "zip"

    @property
    def media_type(self) -> str:
        return _MEDIA_TYPES[self]


_MEDIA_TYPES: Final = {
    Format.WAV: "audio/wav",
    Format.FLAC: "audio/flac",
    Format.OPUS: "audio/ogg; codecs=opus",
    Format.JSON: "application/json",
    Format.VTT: "text/vtt; charset=utf-8",
    Format.SRT: "application/x-subrip; charset=utf-8",
    Format.ZIP: "application/zip",
}


def write_wav(track: Track, path: Path) -> None:
    """Raises ExportError, OSError or soundfile.LibsndfileError."""
    with path.open("wb") as file:
        for piece in wav_pieces(track):
            file.write(piece)


def write_flac_file(track: Track, path: Path) -> None:
    """Its header says the length and the checksum of the samples. Raises as `write_wav` does."""
    if not track.samples:
        raise ExportError("FLAC has no way to say that there is no sound: ask for WAV")
    with path.open("w+b") as file:
        write_flac(file, track.blocks(), track.sample_rate)
