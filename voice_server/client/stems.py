"""A scene as sound files of equal length: all of it, and what each character says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import numpy as np

from engine.types import Int16
from voice_server.client.recording import Recording, recording
from voice_server.export.bundle import safe_name

SCENE: Final = "scene.wav"
_BLOCK: Final = 65_536
"""Samples of silence that are written at a time."""


class _Track:
    """One file, filled up with silence where nothing was written."""

    def __init__(self, file: Recording) -> None:
        self._file = file
        self._samples = 0

    def write(self, start: int, block: Int16) -> None:
        """Writes samples whose first is the scene's `start`th."""
        self.extend(start)
        self._file.write(block)
        self._samples += len(block)

    def extend(self, samples: int) -> None:
        """Silence, until the file is so long."""
        while self._samples < samples:
            count = min(_BLOCK, samples - self._samples)
            self._file.write(np.zeros(count, np.int16))
            self._samples += count


class Stems:
    """Sound goes in as the scene goes on. `samples` is how long it is so far; names are of files in
    the folder, with `/`.
    """

    def __init__(self, folder: Path, sample_rate: int, files: ExitStack) -> None:
        self.samples = 0
        self.names: dict[str, str] = {}
        self._folder = folder
        self._sample_rate = sample_rate
        self._files = files
        self._scene = self._open(SCENE)
        self._stems: dict[str, _Track] = {}

    def pause(self, samples: int) -> None:
        """Nobody speaks for so long."""
        self.samples += samples

    def write(self, speaker: str, block: Int16) -> None:
        """The next samples of the scene, in which `speaker` is heard."""
        for track in (self._scene, self._stem(speaker)):
            track.write(self.samples, block)
        self.samples += len(block)

    def write_together(self, said: Sequence[tuple[str, Int16]]) -> None:
        """What speakers say at the same time, from here on; the scene has the sum of it."""
        by_speaker: dict[str, list[Int16]] = {}
        for speaker, samples in said:
            by_speaker.setdefault(speaker, []).append(samples)
        for speaker, sounds in by_speaker.items():
            self._stem(speaker).write(self.samples, _sum(sounds))
        whole = _sum([samples for _, samples in said])
        self._scene.write(self.samples, whole)
        self.samples += len(whole)

    def finish(self) -> None:
        """The scene is over: now all files are as long."""
        for track in (self._scene, *self._stems.values()):
            track.extend(self.samples)

    def _stem(self, speaker: str) -> _Track:
        """Numbered in the order they first speak, so that no two names are alike."""
        if speaker not in self._stems:
            name = f"stems/{len(self._stems) + 1:02} {safe_name(speaker)}.wav"
            self._stems[speaker] = self._open(name)
            self.names[speaker] = name
        return self._stems[speaker]

    def _open(self, name: str) -> _Track:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return _Track(self._files.enter_context(recording(path, self._sample_rate)))


def _sum(sounds: Sequence[Int16]) -> Int16:
    """All of them from their first sample on, held within int16."""
    total = np.zeros(max(map(len, sounds)), np.int32)
    for samples in sounds:
        total[: len(samples)] += samples
    return np.clip(total, -32768, 32767).astype(np.int16)


@contextmanager
def stems(folder: Path, sample_rate: int) -> Iterator[Stems]:
    """`scene.wav` and `stems/`, whole once the block has ended. Raises ClientError where they can't
    be written.
    """
    with ExitStack() as files:
        written = Stems(folder, sample_rate, files)
        yield written
        written.finish()
