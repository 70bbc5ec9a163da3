"""Code2wav of the tiny checkpoint, ours and transformers', and random frames for both."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers.models.qwen3_omni_moe.modeling_qwen3_omni_moe import Qwen3OmniMoeCode2Wav

from engine.families.qwen3_omni.checkpoint import Checkpoint
from engine.families.qwen3_omni.code2wav_streams import Streams
from engine.families.qwen3_omni.code2wav_weights import Code2WavShape, Code2WavWeights
from engine.families.qwen3_omni.frames import Codes
from engine.families.qwen3_omni.reader import Place, Reader

CPU = torch.device("cpu")


@cache
def theirs(folder: Path, dtype: torch.dtype) -> Any:
    """transformers' module."""
    checkpoint = Checkpoint.open(str(folder))
    config = checkpoint.config().code2wav_config
    with Reader(checkpoint, Place(CPU, dtype)) as reader:
        return reader.module(lambda: Qwen3OmniMoeCode2Wav(config), "code2wav.")


@cache
def weights(folder: Path, dtype: torch.dtype) -> Code2WavWeights:
    checkpoint = Checkpoint.open(str(folder))
    shape = Code2WavShape.of(checkpoint.config().code2wav_config)
    with Reader(checkpoint, Place(CPU, dtype)) as reader:
        return Code2WavWeights.read(shape, lambda name, size: reader.read(f"code2wav.{name}", size))


def streams(folder: Path, dtype: torch.dtype, slots: int = 4) -> Streams:
    return Streams(weights(folder, dtype), slots)


def frames(count: int, seed: int = 0, size: int = 64) -> Codes:
    """[count, 16]"""
    return np.random.default_rng(seed).integers(0, size, (count, 16))


def whole(folder: Path, dtype: torch.dtype, codes: Codes) -> Tensor:
    """What transformers makes of all frames at once: [samples]."""
    with torch.inference_mode():
        sound: Tensor = theirs(folder, dtype)(torch.from_numpy(codes.T[None]))
    return sound[0, 0]


def error(made: Tensor, wanted: Tensor) -> float:
    """The largest, over the standard deviation."""
    assert made.shape == wanted.shape
    return float((made - wanted).abs().max() / wanted.std())
