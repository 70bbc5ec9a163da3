"""Makes what the family runs from the model as it is published: once, into the cache, checked.

A prepared folder is named by what it was made from; its manifest has the checksum of every file
and is written last, so a folder is whole or is made again.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import onnx

from engine.families.embedded import assets, cut, fold, norms, source, surgery
from engine.families.embedded.assets import EmbeddedConfig, Progress
from engine.families.embedded.dequantise import dequantise
from engine.families.embedded.statistics import Statistics

#: Raised when what is made from the same model changes.
VERSION = 3
_DATA = ("statistics.npz", "calibration.txt", "voices.tsv")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A prepared folder, the voices' folder, and the precision that the generator was made for."""

    folder: Path
    voices: Path
    precision: str

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
    def low_rate(self) -> Path:
        return self.folder / "low_rate.onnx"

    @property
    def low_rate_affine(self) -> Path:
        return self.folder / "low_rate_affine.onnx"

    @property
    def generator(self) -> Path:
        return self.folder / ("generator.xml" if self.precision == "int8" else "generator.onnx")

    @property
    def generator_affine(self) -> Path:
        return self.folder / "generator_affine.onnx"


def prepare(config: EmbeddedConfig, progress: Progress) -> Prepared:
    """Everything the family needs, made or fetched if it isn't there. Raises ModelMissing,
    ModelDamaged. `progress` is told what is done and how far it is, from 0 to 1."""
    voices = assets.fetch_voices(config, progress)
    whole = assets.model_bytes(config)
    folder = config.cache / "embedded" / _key(whole, config.precision)
    prepared = Prepared(folder, voices, config.precision)
    progress("checking the prepared model", 0.0)
    if not _is_whole(folder):
        _make(whole, prepared, progress)
    progress("ready", 1.0)
    return prepared


def _key(whole: bytes, precision: str) -> str:
    digest = hashlib.sha256(whole)
    for name in _DATA:
        digest.update((resources.files("engine.families.embedded") / "data" / name).read_bytes())
    return f"v{VERSION}-{precision}-{digest.hexdigest()[:16]}"


def _is_whole(folder: Path) -> bool:
    manifest = folder / "manifest.json"
    if not manifest.is_file():
        return False
    expected = json.loads(manifest.read_text())
    return all(
        (folder / name).is_file() and assets.file_sha256(folder / name) == digest
        for name, digest in expected.items()
    )


def _make(whole: bytes, prepared: Prepared, progress: Progress) -> None:
    parent = prepared.folder.parent
    parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=parent))
    try:
        _write(whole, Prepared(scratch, prepared.voices, prepared.precision), progress)
        names = sorted(path.name for path in scratch.iterdir())
        digests = {name: assets.file_sha256(scratch / name) for name in names}
        (scratch / "manifest.json").write_text(json.dumps(digests, indent=1))
        shutil.rmtree(prepared.folder, ignore_errors=True)
        scratch.rename(prepared.folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _write(whole: bytes, to: Prepared, progress: Progress) -> None:
    progress("reading the model", 0.05)
    model = onnx.load_from_string(whole)
    progress("cutting the model", 0.15)
    front = cut.cut(model)
    back = cut.cut(dequantise(model))
    surgery.save(front.durations, to.durations)
    surgery.save(front.prosody, to.prosody)
    source.Mixer.of(front.source).save(to.source)
    statistics = Statistics.load()
    low, generator = statistics.low_sizes, statistics.generator_sizes
    progress("folding norms", 0.35)
    _write_lean(back.low_rate, low, to.low_rate, to.low_rate_affine)
    float_generator = to.folder / "generator.onnx"
    _write_lean(back.generator, generator, float_generator, to.generator_affine)
    if to.precision == "int8":
        from engine.families.embedded import quantise

        quantise.quantise(float_generator, to, progress)
        float_generator.unlink()


def _write_lean(part: onnx.ModelProto, sizes: list[int], lean: Path, affine: Path) -> None:
    """One part with given statistics, folded, and the graph that makes its scales and shifts."""
    given = norms.given(part, sizes)
    made, folded = fold.fold(given, cut.STYLE, norms.STATISTICS)
    surgery.save(made, affine)
    surgery.save(fold.polynomial_snake(folded), lean)
