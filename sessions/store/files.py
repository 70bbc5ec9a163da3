"""The files beside the database: a folder a session, in it the sound and the score of each take."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sessions.sound import SoundBuffer, sync_folder, whole_file, write_flac
from sessions.store.errors import StoreError

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def check_name(name: str) -> str:
    """The name, if it can be a file's. Raises StoreError: archives bring names from outside."""
    if not _NAME.fullmatch(name):
        raise StoreError(f"{name!r} can't be the name of a session, scene, line or take")
    return name


@dataclass(frozen=True, slots=True)
class TakeFiles:
    """Where the files of one take are, or would be."""

    sound: Path
    score: Path

    def delete(self) -> None:
        self.sound.unlink(missing_ok=True)
        self.score.unlink(missing_ok=True)


class Shelf:
    """Owns the files. What the database does not know of is deleted by `clean` alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "sound"
        self.scratch = folder / "scratch"

    def open(self) -> None:
        """Makes the folders; what an earlier process left in the scratch folder goes."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        for folder in (self._folder, self.scratch):
            folder.mkdir(parents=True, exist_ok=True)

    def files(self, session_id: str, take_id: str) -> TakeFiles:
        stem = self._folder / check_name(session_id) / check_name(take_id)
        return TakeFiles(stem.with_suffix(".flac"), stem.with_suffix(".score"))

    def write_sound(self, files: TakeFiles, sound: SoundBuffer) -> None:
        """Raises OSError or soundfile.LibsndfileError; then there is no file."""
        self._make_folder(files)
        with whole_file(files.sound) as file:
            write_flac(file, sound.blocks(), sound.sample_rate)

    def write_bytes(self, files: TakeFiles, path: Path, data: bytes) -> None:
        """`path` is one of `files`. Raises OSError; then there is no file."""
        self._make_folder(files)
        with whole_file(path) as file:
            file.write(data)

    def delete_session(self, session_id: str) -> None:
        shutil.rmtree(self._folder / check_name(session_id), ignore_errors=True)

    def clean(self, known: frozenset[Path]) -> int:
        """Deletes every file that is not known, and folders with nothing in them."""
        strange = [path for path in self.paths() if path not in known]
        for path in strange:
            path.unlink()
        for folder in self._folder.iterdir():
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()
        return len(strange)

    def paths(self) -> Iterator[Path]:
        return (path for path in self._folder.glob("*/*") if path.is_file())

    def _make_folder(self, files: TakeFiles) -> None:
        folder = files.sound.parent
        if not folder.is_dir():
            folder.mkdir()
            sync_folder(self._folder)
