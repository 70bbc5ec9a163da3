"""The code predictor: from the talker's hidden state and a frame's first code to its other codes.

A small decoder that starts anew at every frame, so its cache has as many positions as a frame has
codes, and every call of it has the same shapes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch import Tensor
from torch.nn import functional

from engine.families.qwen3_omni.layers import Layer, Mlp, Norm, Rotary, Rotation, linear
from engine.families.qwen3_omni.packing import packed

Pick: TypeAlias = Callable[[Tensor, int], Tensor]
"""Of logits [n, codes], single precision, and the codebook they are for: a code a row, [n]."""


@dataclass(frozen=True, slots=True, eq=False)
class Predictor:
    """tables, heads: of codebooks 1 and up, [codes, H] each."""

    layers: tuple[Layer, ...]
    norm: Norm
    rotary: Rotary
    tables: tuple[Tensor, ...]
    heads: tuple[Tensor, ...]

    @classmethod
    def of(cls, module: Any) -> Predictor:
        """Of transformers' code predictor."""
        model = module.model
        dtype = model.norm.weight.dtype
        return cls(
            layers=tuple(Layer.of(layer, Mlp.of(layer.mlp)) for layer in model.layers),
            norm=Norm.of(model.norm),
            rotary=Rotary.of(model.rotary_emb, len(module.lm_head) + 1, dtype),
            tables=tuple(table.weight.detach() for table in model.codec_embedding),
            heads=tuple(packed(head.weight.detach()) for head in module.lm_head),
        )

    @property
    def codebooks(self) -> int:
        """Of a frame, the first included."""
        return len(self.heads) + 1

    def __call__(self, hidden: Tensor, first: Tensor, pick: Pick) -> tuple[Tensor, Tensor]:
        """The codes after the first, int64 [n, codebooks − 1], and the embedding of each code of
        the frame, [n, codebooks, H].

        hidden: the talker's, [n, H]; first: embedding of the first code, [n, H].
        """
        cache = self._cache(hidden)
        x = self._begin(torch.stack((hidden, first), dim=1), cache)
        codes, embedded = [], [first]
        for book in range(1, self.codebooks):
            codes.append(pick(linear(x, self.heads[book - 1]).float(), book))
            embedded.append(functional.embedding(codes[-1], self.tables[book - 1]))
            if book < len(self.heads):
                x = self._step(embedded[-1], book + 1, cache)
        return torch.stack(codes, dim=1), torch.stack(embedded, dim=1)

    def embed(self, codes: Tensor) -> Tensor:
        """Sum of the embeddings of codes [..., codebooks − 1]: [..., H]."""
        each = [functional.embedding(codes[..., at], table) for at, table in enumerate(self.tables)]
        return torch.stack(each, dim=-2).sum(dim=-2)

    def _cache(self, hidden: Tensor) -> Tensor:
        """Keys and values, [layers, 2, n, kv_heads, codebooks, d]."""
        attention = self.layers[0].attention
        shape = (len(self.layers), 2, len(hidden), attention.kv_heads, self.codebooks)
        return hidden.new_empty(*shape, attention.size)

    def _begin(self, x: Tensor, cache: Tensor) -> Tensor:
        """The first two positions, x [n, 2, H]; returns the second's output [n, H]."""
        cos, sin = self.rotary.between(0, 2)
        turn: Rotation = (cos[:, None], sin[:, None])
        for layer, (keys, values) in zip(self.layers, cache, strict=True):
            query, key, value = layer.attention.project(layer.before(x), turn)
            keys[:, :, :2], values[:, :, :2] = key.transpose(1, 2), value.transpose(1, 2)
            x = layer.finish(x, layer.attention.attend_causal(query, key, value))
        return self.norm(x[:, 1])

    def _step(self, x: Tensor, at: int, cache: Tensor) -> Tensor:
        turn = self.rotary.between(at, at + 1)
        for layer, (keys, values) in zip(self.layers, cache, strict=True):
            query, keys[:, :, at], values[:, :, at] = layer.attention.project(layer.before(x), turn)
            upto = slice(0, at + 1)
            attended = layer.attention.attend(query, keys[:, :, upto], values[:, :, upto], None)
            x = layer.finish(x, attended)
        return self.norm(x)
