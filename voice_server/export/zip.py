"""A ZIP archive, written a piece at a time."""

from __future__ import annotations

import zipfile
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

STAMP: Final = (1980, 1, 1, 0, 0, 0)
"""Of every file, so that the same scene gives the same archive."""
_LEVEL: Final = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the archive. `pieces` is read once, when its turn comes; `size` is in bytes, at
    least what the pieces come to."""

    name: str
    size: int
    pieces: Iterable[bytes]


def zip_pieces(entries: Iterable[Entry]) -> Generator[bytes, None, None]:
    """The archive. Silence costs next to nothing in it, as everything is deflated."""
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
        for entry in entries:
            info = zipfile.ZipInfo(entry.name, STAMP)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            large = 1.05 * entry.size > zipfile.ZIP64_LIMIT  # deflated noise grows a little
            with archive.open(info, "w", force_zip64=large) as file:
                for piece in entry.pieces:
                    file.write(piece)
                    yield from pipe.take()
    yield from pipe.take()


class _Pipe:
    """A file that can only be written to; `take` gives what was written since."""

    def __init__(self) -> None:
        self._held = bytearray()

    def write(self, data: bytes, /) -> int:
        self._held += data
        return len(data)

    def flush(self) -> None:
        """Nothing waits: what was written can be taken."""

    def close(self) -> None:
        """Nothing is held open."""

    def take(self) -> Iterator[bytes]:
        if self._held:
            yield bytes(self._held)
            self._held.clear()
