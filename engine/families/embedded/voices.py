"""The English voices of the embedded family: their table and their style vectors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelDamaged, ModelMissing, UnknownVoice
from engine.types import Voice

#: Floats of one style row; the first half drives the decoder, the second prosody.
STYLE = 256


@dataclass(frozen=True, slots=True)
class VoiceEntry:
    """A row of data/voices.tsv. The grade is the author's own judgement; sha256 is of the file."""

    voice: Voice
    sha256: str


@cache
def table() -> dict[str, VoiceEntry]:
    """All English voices by id, the best graded one first."""
    text = (resources.files("engine.families.embedded") / "data" / "voices.tsv").read_text("utf-8")
    rows = [line.split("\t") for line in text.splitlines()[1:]]
    entries = [
        VoiceEntry(Voice(key, name, language, gender, (f"grade {grade}",)), digest)
        for key, name, language, gender, grade, digest in rows
    ]
    entries.sort(key=lambda entry: entry.voice.id != DEFAULT)
    return {entry.voice.id: entry for entry in entries}


DEFAULT = "af_heart"


def embeddings() -> dict[str, tuple[float, ...]]:
    """Speaker embeddings by voice, as scripts/voice_distances.py measured them; none before."""
    path = resources.files("engine.families.embedded") / "data" / "speakers.npz"
    if not path.is_file():
        return {}
    with path.open("rb") as file, np.load(file) as data:
        rows = zip(data["ids"], data["embeddings"].astype(np.float64), strict=True)
        return {str(voice): tuple(row.tolist()) for voice, row in rows}


class Voices:
    """Style vectors, each read once from `<folder>/<id>.bin`: float32 rows of 256."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._loaded: dict[str, NDArray[np.float32]] = {}

    def style(self, voice: str, tokens: int) -> NDArray[np.float32]:
        """The style row [1, 256] for a clause of `tokens` phonemes (padding not counted).

        Raises UnknownVoice, ModelMissing, ModelDamaged.
        """
        rows = self._loaded.get(voice)
        if rows is None:
            rows = self._loaded[voice] = self._read(voice)
        row: NDArray[np.float32] = rows[min(max(tokens, 1), len(rows)) - 1]
        return row[None]

    def _read(self, voice: str) -> NDArray[np.float32]:
        if voice not in table():
            raise UnknownVoice(f"no voice named {voice}")
        path = self._folder / f"{voice}.bin"
        if not path.is_file():
            raise ModelMissing(f"{path} is missing; `voice-server models get` fetches the voices")
        values = np.fromfile(path, dtype="<f4")
        if values.size == 0 or values.size % STYLE:
            raise ModelDamaged(f"{path} does not hold rows of {STYLE} numbers")
        return values.reshape(-1, STYLE)


def is_british(voice: str) -> bool:
    """Whether the voice speaks British English, which has a lexicon of its own."""
    return table()[voice].voice.language == "en-GB"
