"""The files that the peers want: the same weights and voices as the embedded voice's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.families.embedded import assets

STYLES = 510
"""Rows of a voice, one a token count."""


@dataclass(frozen=True, slots=True)
class Weights:
    """model: ONNX. voices: an npz of float32 [510, 1, 256] by voice. folder: has both, and room."""

    folder: Path

    @property
    def model(self) -> Path:
        return self.folder / "model.onnx"

    @property
    def voices(self) -> Path:
        return self.folder / "voices.npz"


def written(folder: Path, names: tuple[str, ...]) -> Weights:
    """Writes them into `folder`. Raises ModelMissing, ModelDamaged."""
    config = assets.EmbeddedConfig()
    weights = Weights(folder)
    weights.model.write_bytes(assets.model_bytes(config))
    files = assets.voices_folder(config)
    styles = {name: np.fromfile(files / f"{name}.bin", "<f4") for name in names}
    rows = {name: style.reshape(-1, 1, 256)[:STYLES] for name, style in styles.items()}
    np.savez(weights.voices, allow_pickle=True, **rows)
    return weights
