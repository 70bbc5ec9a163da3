"""Sound in files: FLAC, 16 bit, mono; each file is there whole or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np
import soundfile

from engine.types import Int16
from sessions.errors import TooLong

BLOCK: Final = 65_536
"""Samples that are read or written at once."""
UNFINISHED: Final = ".unfinished"
"""Ends the name of a file that is being written; one found later was never finished."""
EMPTY: Final[Int16] = np.zeros(0, dtype=np.int16)
_SAMPLE: Final = np.dtype(np.int16).itemsize


class SoundBuffer:
    """The sound of one take while it is made, int16 mono at `sample_rate`.

    In memory up to `memory` bytes, from there on in a nameless file in `folder`, which is gone with
    the process: an hour of sound takes no more memory than a minute. At most `limit` samples. Owned
    by whoever appends, until it is handed on; `close` lets go of it and may be called twice.
    """

    def __init__(self, sample_rate: int, limit: int, folder: Path, memory: int = 1_000_000) -> None:
        self.sample_rate = sample_rate
        self._limit = limit
        self._samples = 0
        self._file = tempfile.SpooledTemporaryFile(memory, dir=str(folder))  # noqa: SIM115

    def __len__(self) -> int:
        """Samples so far."""
        return self._samples

    def append(self, samples: Int16) -> None:
        """Adds to the end. Raises TooLong past the limit, and then adds nothing."""
        if self._samples + len(samples) > self._limit:
            raise TooLong(f"a take may have {self._limit} samples of sound")
        self._file.seek(self._samples * _SAMPLE)
        self._file.write(np.ascontiguousarray(samples, dtype=np.int16).tobytes())
        self._samples += len(samples)

    def read(self, start: int, end: int) -> Int16:
        """A copy of samples [start, end), cut where there are none."""
        start, end = max(0, start), min(end, self._samples)
        self._file.seek(start * _SAMPLE)
        return np.frombuffer(self._file.read(max(0, end - start) * _SAMPLE), dtype=np.int16)

    def blocks(self) -> Iterator[Int16]:
        """All of it, at most BLOCK samples at a time."""
        for start in range(0, self._samples, BLOCK):
            yield self.read(start, start + BLOCK)

    def close(self) -> None:
        self._file.close()


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A new file that is on disk under its name, whole, when the block has ended, or not at all."""
    unfinished = path.with_name(path.name + UNFINISHED)
    try:
        with unfinished.open("w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
        sync_folder(path.parent)
    finally:
        unfinished.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Brings the folder's list of names to disk, where the system has a way to."""
    if sys.platform != "win32":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_flac(file: BinaryIO, blocks: Iterable[Int16], sample_rate: int) -> int:
    """Writes FLAC to a file that can seek, from blocks of int16; returns the samples written.

    Raises soundfile.LibsndfileError.
    """
    samples = 0
    with soundfile.SoundFile(file, "w", sample_rate, 1, "PCM_16", format="FLAC") as sound:
        for block in blocks:
            sound.write(block)
            samples += len(block)
    return samples


def read_blocks(path: Path, start: int = 0, end: int | None = None) -> Iterator[Int16]:
    """Samples [start, end) of a sound file, at most BLOCK at a time.

    Raises OSError or soundfile.LibsndfileError.
    """
    with soundfile.SoundFile(path) as sound:
        left = (sound.frames if end is None else min(end, sound.frames)) - start
        sound.seek(start)
        while left > 0:
            block = sound.read(min(left, BLOCK), dtype="int16")
            if not len(block):
                raise OSError(f"{path.name} ends {left} samples early")
            yield block
            left -= len(block)


def read_flac(path: Path) -> Int16:
    """All samples of a file. Raises OSError or soundfile.LibsndfileError."""
    samples: Int16 = soundfile.read(path, dtype="int16")[0]
    return samples
