"""Makes what the family runs from the model as it is published: once, into the cache, checked.

A prepared folder is named by what it was made from; its manifest has the checksum, size and time of
every file and is written last, so a folder is whole or is made again.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from dataclasses import dataclass
from importlib import resources
from importlib.metadata import version
from pathlib import Path

from engine.families.embedded import arithmetic, assets
from engine.families.embedded.arithmetic import Hint, Precision
from engine.families.embedded.assets import EmbeddedConfig, Progress

#: Raised when what is made from the same model changes.
VERSION = 8
_DATA = ("statistics.npz", "calibration.txt", "voices.tsv")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A prepared folder, the voices' folder, the precision that the decoder was made for, and the
    arithmetic around it."""

    folder: Path
    voices: Path
    precision: Precision
    hint: Hint = "f32"

    @property
    def durations(self) -> Path:
        return self.folder / "durations.onnx"

    @property
    def prosody(self) -> Path:
        return self.folder / "prosody.onnx"

    @property
    def source(self) -> Path:
        return self.folder / "source.npz"

    @property
    def compiled(self) -> Path:
        """The folder of graphs that were compiled on this machine."""
        return self.folder.parent / f"{self.folder.name}-compiled"

    @property
    def low_rate(self) -> Path:
        return self._decoding("low_rate")

    @property
    def middle(self) -> Path:
        """The generator's half at 20 values a frame."""
        return self._decoding("middle")

    @property
    def high(self) -> Path:
        """The generator's half at 120 values a frame."""
        return self._decoding("high")

    @property
    def low_rate_affine(self) -> Path:
        return self.folder / "low_rate_affine.onnx"

    @property
    def low_rate_measured(self) -> Path:
        return self.folder / "low_rate_measured.onnx"

    @property
    def generator_measured(self) -> Path:
        return self.folder / "generator_measured.onnx"

    @property
    def generator_affine(self) -> Path:
        return self.folder / "generator_affine.onnx"

    def _decoding(self, part: str) -> Path:
        return self.folder / (f"{part}.xml" if self.precision == "int8" else f"{part}.onnx")


def prepare(config: EmbeddedConfig, progress: Progress) -> Prepared:
    """Everything the family needs, made or fetched if it isn't there. Raises ModelMissing,
    ModelDamaged. `progress` is told what is done and how far it is, from 0 to 1."""
    assets.fetch_voices(config, progress)
    prepared = located(config)
    progress("checking the prepared model", 0.0)
    if not _is_whole(prepared.folder):
        _make(config, prepared, progress)
    progress("ready", 1.0)
    return prepared


def located(config: EmbeddedConfig) -> Prepared:
    """Where everything is, or will be once it is made. Reads the whole model, by which its folder
    is named. Raises ModelMissing, ModelDamaged."""
    chosen = arithmetic.choose(arithmetic.Processor.here(), config.precision)
    folder = config.cache / "embedded" / _key(assets.model_bytes(config), chosen.precision)
    voices = config.voices or config.cache / "voices"
    return Prepared(folder, voices, chosen.precision, chosen.hint)


def _key(whole: bytes, precision: str) -> str:
    digest = hashlib.sha256(whole)
    digest.update(version("hibari-tts").encode())
    for name in _DATA:
        digest.update((resources.files("engine.families.embedded") / "data" / name).read_bytes())
    return f"v{VERSION}-{precision}-{digest.hexdigest()[:16]}"


def _is_whole(folder: Path) -> bool:
    manifest = folder / "manifest.json"
    if not manifest.is_file():
        return False
    expected = json.loads(manifest.read_text())
    return all(_is_as_made(folder / name, told) for name, told in expected.items())


def _is_as_made(path: Path, told: dict[str, object]) -> bool:
    """A file of the size and time that it was made with is not read; else its checksum counts."""
    if not path.is_file() or path.stat().st_size != told["size"]:
        return False
    return path.stat().st_mtime_ns == told["time"] or assets.file_sha256(path) == told["sha256"]


def _told(path: Path) -> dict[str, object]:
    seen = path.stat()
    digest = assets.file_sha256(path)
    return {"sha256": digest, "size": seen.st_size, "time": seen.st_mtime_ns}


def _make(config: EmbeddedConfig, prepared: Prepared, progress: Progress) -> None:
    # Imported here: who finds everything prepared needs none of what prepares it.
    from engine.families.embedded import making

    parent = prepared.folder.parent
    parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=parent))
    try:
        making.make(config, Prepared(scratch, prepared.voices, prepared.precision), progress)
        names = sorted(path.name for path in scratch.iterdir())
        told = {name: _told(scratch / name) for name in names}
        (scratch / "manifest.json").write_text(json.dumps(told, indent=1))
        shutil.rmtree(prepared.folder, ignore_errors=True)
        scratch.rename(prepared.folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
