"""What is kept of a clause that was spoken, so that a part of it can be made again."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.families.embedded.compute import Float
from engine.scores import BadScore

_CURVES = ("f0", "energy", "pooled")
_COUNTS = ("durations", "edges", "pauses")


@dataclass(frozen=True, slots=True, eq=False)
class Notes:
    """phonemes: padding not counted. row: of the voice's styles. skip: acoustic frames not played.

    durations: frames of each token [n], padding counted. edges: samples [n + 1] at which tokens
    begin and end, from the clause's first one played and without its pauses. f0, energy: as they
    were decoded [2 T]. pooled: what its norm statistics were predicted from. pauses: [k, 2], the
    sample (without pauses) before which silence stands, and of how many samples.
    """

    phonemes: str
    row: int
    skip: int
    durations: NDArray[np.int32]
    edges: NDArray[np.int32]
    f0: Float
    energy: Float
    pooled: Float
    pauses: NDArray[np.int32]

    def played(self, sample: int) -> int:
        """Where a sample counted without pauses is when they are counted."""
        return sample + int(self.pauses[self.pauses[:, 0] <= sample, 1].sum())


def pack(notes: Notes) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(
        file,
        phonemes=np.array(notes.phonemes),
        place=np.array([notes.row, notes.skip]),
        durations=notes.durations,
        edges=notes.edges,
        f0=notes.f0,
        energy=notes.energy,
        pooled=notes.pooled,
        pauses=notes.pauses,
    )
    return file.getvalue()


def unpack(data: bytes) -> Notes:
    """The inverse of `pack`. Raises BadScore for what is not a score of this family."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as held:
            row, skip = (int(value) for value in held["place"])
            curves = {name: held[name].astype(np.float32) for name in _CURVES}
            counts = {name: held[name].astype(np.int32) for name in _COUNTS}
            return Notes(str(held["phonemes"]), row, skip, **curves, **counts)
    except (KeyError, ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise BadScore(f"this score was not made by this family: {error}") from error
