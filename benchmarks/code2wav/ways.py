"""Two ways to decode a stream of frames at the real size: exactly, and in windows with context."""

from __future__ import annotations

import copy
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor
from transformers.models.qwen3_omni_moe.configuration_qwen3_omni_moe import (
    Qwen3OmniMoeCode2WavConfig,
)
from transformers.models.qwen3_omni_moe.modeling_qwen3_omni_moe import Qwen3OmniMoeCode2Wav

from engine.families.qwen3_omni.code2wav_streams import Streams
from engine.families.qwen3_omni.code2wav_weights import Code2WavShape, Code2WavWeights
from engine.families.qwen3_omni.frames import FRAME

CONTEXT: Final = 25
"""Frames that a window decodes again before its own."""
BEFORE: Final = 80
"""Frames that a stream has had before it is timed: its transformer looks back as far as it can."""
PUSHES: Final = (1, 4, 10)
STREAMS: Final = 4
"""Of the batch that is timed beside one stream alone."""


@dataclass(frozen=True, slots=True)
class Way:
    """dtype: of weights and arithmetic. exact: pushes into a stream, else windows of CONTEXT more
    frames. push: new frames a call. streams: in one call."""

    dtype: str
    exact: bool
    push: int
    streams: int = 1

    @property
    def frames(self) -> int:
        """New ones a call."""
        return self.push * self.streams

    @property
    def name(self) -> str:
        if not self.exact:
            return f"windows {CONTEXT} + {self.push}"
        return "exact" if self.streams == 1 else f"exact, {self.streams} streams"


@dataclass(frozen=True, slots=True)
class Timed:
    """Seconds of each call. cpu: of the process, which is what an undisturbed core would take."""

    way: Way
    cpu: list[float]
    wall: list[float]

    @property
    def rate(self) -> float:
        """New frames a second of one core, median."""
        return self.way.frames / statistics.median(self.cpu)


def ways(dtypes: tuple[str, ...]) -> Iterator[Way]:
    """All that are timed."""
    for dtype in dtypes:
        for push in PUSHES:
            yield Way(dtype, exact=False, push=push)
            yield Way(dtype, exact=True, push=push)
        yield Way(dtype, exact=True, push=4, streams=STREAMS)


class Models:
    """transformers' code2wav of random weights from a fixed seed, in each dtype, and ours of it."""

    def __init__(self, dtypes: tuple[str, ...]) -> None:
        torch.manual_seed(0)
        whole = Qwen3OmniMoeCode2Wav(Qwen3OmniMoeCode2WavConfig()).eval()
        self.parameters = sum(parameter.numel() for parameter in whole.parameters())
        self._theirs = {name: _in(whole, name) for name in dtypes}
        self._ours = {name: Streams(_weights(m), STREAMS) for name, m in self._theirs.items()}
        self._entries = int(whole.config.codebook_size)
        self._codebooks = int(whole.config.num_quantizers)
        self._random = np.random.default_rng(0)
        for streams in self._ours.values():
            streams.warm(self.codes(STREAMS, BEFORE), torch.arange(STREAMS))

    def codes(self, streams: int, frames: int) -> Tensor:
        """[streams, frames, codebooks], never the same."""
        size = (streams, frames, self._codebooks)
        return torch.from_numpy(self._random.integers(0, self._entries, size))

    def call(self, way: Way) -> Callable[[], Tensor]:
        """The next call of a stream under way, which gives the new frames' sound."""
        if way.exact:
            return self._push(way)
        codes = self.codes(1, CONTEXT + way.push).transpose(1, 2)
        module = self._theirs[way.dtype]
        return lambda: module(codes)[..., -FRAME * way.push :]

    def _push(self, way: Way) -> Callable[[], Tensor]:
        streams, rows = self._ours[way.dtype], torch.arange(way.streams)
        codes = self.codes(way.streams, way.push)
        return lambda: streams.push(codes, rows, first=False)

    def error(self, dtype: str) -> float:
        """Largest difference of streamed from whole sound, over its standard deviation."""
        codes = self.codes(1, 24)
        with torch.inference_mode():
            whole = self._theirs[dtype](codes.transpose(1, 2))[:, 0].float()
        parts, at = [], 0
        for push in (4, 10, 10):
            rows, part = torch.tensor([0]), codes[:, at : at + push]
            parts.append(self._ours[dtype].push(part, rows, first=at == 0))
            at += push
        return float((torch.cat(parts, 1).float() - whole).abs().max() / whole.std())


def timed(call: Callable[[], Tensor]) -> tuple[float, float]:
    """CPU and wall seconds."""
    with torch.inference_mode():
        cpu, wall = time.process_time(), time.perf_counter()
        call()
        return time.process_time() - cpu, time.perf_counter() - wall


def _in(module: Any, dtype: str) -> Any:
    if dtype == "float32":
        return module
    return copy.deepcopy(module).to(getattr(torch, dtype))


def _weights(module: Any) -> Code2WavWeights:
    state = module.state_dict()
    return Code2WavWeights.read(Code2WavShape.of(module.config), lambda name, _: state[name])
