"""Writes a take to a sound file, block by block, in the format that the file's name says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

import soundfile

from engine.types import Int16
from voice_server.client.errors import ClientError


@dataclass(frozen=True, slots=True)
class Container:
    """A file format and the encoding in it, as libsndfile calls them."""

    format: str
    encoding: str


CONTAINERS: Mapping[str, Container] = MappingProxyType(
    {
        ".wav": Container("WAV", "PCM_16"),
        ".flac": Container("FLAC", "PCM_16"),
        ".ogg": Container("OGG", "VORBIS"),
        ".opus": Container("OGG", "OPUS"),
        ".mp3": Container("MP3", "MPEG_LAYER_III"),
    }
)


class Recording(Protocol):
    """An open sound file."""

    def write(self, data: Int16) -> None:
        """Adds samples (int16, mono)."""
        ...


def container(path: Path) -> Container:
    """What is written to a file of that name. Raises ClientError, which lists the endings."""
    found = CONTAINERS.get(path.suffix.lower())
    if found is None:
        raise ClientError(f"{path}: expected a name that ends in {', '.join(CONTAINERS)}")
    return found


@contextmanager
def recording(path: Path, sample_rate: int) -> Iterator[Recording]:
    """A mono file that is in place, whole, when the block has ended, and not there if it failed.

    Raises ClientError where it can't be written.
    """
    kind = container(path)
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        with soundfile.SoundFile(
            unfinished, "w", sample_rate, 1, kind.encoding, format=kind.format
        ) as file:
            yield file
        unfinished.replace(path)
    except (OSError, soundfile.LibsndfileError) as error:
        raise ClientError(f"{path} can't be written: {error}") from error
    finally:
        unfinished.unlink(missing_ok=True)
