"""Sound in: the thinker's own states of what was said, where its checkpoint has an audio tower."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.families.qwen3_omni.thinker_reading import Sound
from engine.types import Int16

Float: TypeAlias = NDArray[np.float64]
BLOCK: Final = 8192
"""Samples that are resampled at a time."""


class Ears:
    """Hearing, by the whole thinker. extractor: transformers' feature extractor. layer: the hidden
    layer that the talker accepts."""

    def __init__(self, thinker: Any, extractor: Any, layer: int) -> None:
        self._thinker = thinker
        self._extractor = extractor
        self._layer = layer
        self._window = int(thinker.config.audio_config.n_window)

    @property
    def rate(self) -> int:
        return int(self._extractor.sampling_rate)

    def positions(self, sound: Sound) -> int:
        return positions_of(int(self._features(sound)[1].sum()), self._window)

    @torch.inference_mode()
    def states(self, ids: Sequence[int], sound: Sound) -> Tensor:
        features, mask = self._features(sound)
        device, dtype = self._thinker.device, self._thinker.dtype
        made = self._thinker(
            input_ids=torch.tensor([ids], device=device),
            input_features=features.to(device, dtype),
            feature_attention_mask=mask.to(device),
            output_hidden_states=True,
            use_cache=False,
        )
        hidden: Tensor = made.hidden_states[self._layer][0]
        return hidden

    def _features(self, sound: Sound) -> tuple[Tensor, Tensor]:
        """Mel frames [1, bands, frames], and which of them are sound [1, frames]."""
        made = self._extractor(
            sound,
            sampling_rate=self.rate,
            padding=True,
            truncation=False,
            return_attention_mask=True,
            return_tensors="pt",
        )
        return made["input_features"], made["attention_mask"]


def positions_of(frames: int, window: int) -> int:
    """Positions that `frames` mel frames come to: three convolutions of stride 2 over chunks of
    twice `window` frames, 13 positions a whole chunk."""
    left = frames % (2 * window)
    for _ in range(3):
        left = (left - 1) // 2 + 1
    return left + frames // (2 * window) * 13


def resampled(samples: Int16, rate: int, wanted: int) -> Sound:
    """int16 at `rate` as float at `wanted`: a sinc of 16 zero crossings on each side under a
    squared cosine, cut at 95 % of the lower band."""
    band = 0.95 * min(1.0, wanted / rate)
    reach = int(np.ceil(16 / band))
    padded = np.pad(samples.astype(np.float64) / 32768, reach + 1)
    count, step = len(samples) * wanted // rate, np.float64(rate / wanted)
    blocks = [
        _block(padded, np.arange(at, min(count, at + BLOCK), dtype=float) * step, band, reach)
        for at in range(0, count, BLOCK)
    ]
    return np.concatenate([np.zeros(0), *blocks]).astype(np.float32)


def _block(padded: Float, times: Float, band: float, reach: int) -> Float:
    """At times in samples; `padded` begins reach + 1 samples before time 0."""
    steps = np.arange(-reach, reach + 1)
    places = np.floor(times).astype(int)[:, None] + steps
    away = times[:, None] - places
    weights = band * np.sinc(band * away) * np.cos(np.pi * away / (2 * reach + 2)) ** 2
    mixed: Float = (padded[places + reach + 1] * weights).sum(axis=1)
    return mixed
