"""A checkpoint on disk: its config, and its tensors found without reading them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import torch
from safetensors import SafetensorError, safe_open
from transformers.models.qwen3_omni_moe.configuration_qwen3_omni_moe import Qwen3OmniMoeConfig

from engine.errors import ModelDamaged, ModelMissing

_INDEX: Final = "model.safetensors.index.json"
_WHOLE: Final = "model.safetensors"
_FILES: Final = ("*.safetensors", "*.json", "*.jinja", "*.txt")
"""What is fetched of a hub's repository."""
_AXES: Final = frozenset(("mrope_section", "interleaved", "mrope_interleaved"))


@dataclass(frozen=True, slots=True)
class Header:
    """Where a tensor is and what it looks like."""

    file: Path
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True, slots=True, eq=False)
class Checkpoint:
    """A folder with config and weights, checked to have every file that its index names.

    Only names and shapes are held, so it can be passed on to another process.
    """

    folder: Path
    tensors: Mapping[str, Header] = field(repr=False)

    @classmethod
    def open(cls, model: str) -> Checkpoint:
        """Of a folder, or of a hub id, which is fetched. Raises ModelMissing, ModelDamaged."""
        folder = Path(model) if Path(model).is_dir() else _fetched(model)
        if not (folder / "config.json").is_file():
            raise ModelMissing(f"{folder}: there is no config.json")
        found = {name: where for file in _shards(folder) for name, where in _headers(file)}
        for name, file in _indexed(folder).items():
            if name not in found or found[name].file.name != file:
                raise ModelDamaged(f"{name}: the index says it is in {file}, but it is not")
        return cls(folder, found)

    def config(self) -> Any:
        """Transformers' config of the whole model. Raises ModelDamaged."""
        try:
            data = json.loads((self.folder / "config.json").read_text("utf-8"))
            if data.get("model_type") != "qwen3_omni_moe":
                raise ValueError(f"model_type is {data.get('model_type')!r}")
            return config_of(data)
        except KeyError as error:
            # As of those that only think, or only describe what they hear.
            raise ModelDamaged(f"{self.folder / 'config.json'}: no {error.args[0]}") from None
        except (ValueError, OSError, AttributeError, TypeError) as error:
            raise ModelDamaged(
                f"{self.folder / 'config.json'}: not Qwen3-Omni's: {error}"
            ) from None

    def has(self, prefix: str) -> bool:
        """Whether there is any tensor whose name begins so."""
        return any(name.startswith(prefix) for name in self.tensors)

    def bytes_of(self, prefix: str, dtype: torch.dtype) -> int:
        """Memory of all tensors whose names begin so, once read in `dtype`."""
        sizes = (math.prod(h.shape) for name, h in self.tensors.items() if name.startswith(prefix))
        return sum(sizes) * int(dtype.itemsize)


def config_of(data: Mapping[str, Any]) -> Any:
    """Transformers' config of what a config.json says."""
    told = {**data, "talker_config": without_axes(data["talker_config"])}
    return Qwen3OmniMoeConfig.from_dict(told)


def without_axes(talker: Mapping[str, Any]) -> dict[str, Any]:
    """A talker_config that doesn't say how the axes of a position share a head. All axes of what is
    heard and said are one, so it makes no difference; and transformers' class, unlike that for the
    thinker, doesn't know these keys, which every checkpoint has, and would warn of them.
    """
    text = talker["text_config"]
    ropes = {key: text[key] for key in ("rope_parameters", "rope_scaling") if text.get(key)}
    known = {
        key: {name: value for name, value in rope.items() if name not in _AXES}
        for key, rope in ropes.items()
    }
    return {**talker, "text_config": {**text, **known}}


def _fetched(model: str) -> Path:
    """From the hub, or its cache. Raises ModelMissing."""
    hub = import_module("huggingface_hub")
    try:
        return Path(hub.snapshot_download(model, allow_patterns=list(_FILES)))
    except (OSError, ValueError, hub.errors.HfHubHTTPError) as error:
        told = str(error).strip().splitlines()[0]
        raise ModelMissing(f"{model}: no such folder, and the hub says: {told}") from error


def _indexed(folder: Path) -> dict[str, str]:
    """File of each tensor. Raises ModelDamaged."""
    index = folder / _INDEX
    if not index.is_file():
        return {}
    try:
        where = json.loads(index.read_text("utf-8"))["weight_map"]
        return {str(name): str(file) for name, file in where.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelDamaged(f"{index}: not an index of tensors: {error!r}") from None


def _shards(folder: Path) -> list[Path]:
    names = sorted(set(_indexed(folder).values())) or [_WHOLE]
    for name in names:
        if not (folder / name).is_file():
            raise ModelMissing(f"{folder}: there is no {name}")
    return [folder / name for name in names]


def _headers(file: Path) -> Iterator[tuple[str, Header]]:
    try:
        with safe_open(file, "pt") as opened:
            for name in opened.keys():  # noqa: SIM118  # no mapping
                part = opened.get_slice(name)
                yield name, Header(file, tuple(part.get_shape()), part.get_dtype())
    except (SafetensorError, OSError) as error:
        raise ModelDamaged(f"{file}: not whole: {error}") from error
