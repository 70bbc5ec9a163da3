"""Decoder layers of the talker and its code predictor, written out over the weights of
transformers' modules: fewer and larger multiplications, caches of one fixed shape.

n: rows of a step; t: positions of a prefill; H: hidden size; d: head size.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import torch
from torch import Tensor
from torch.nn import functional

from engine.families.qwen3_omni import packing
from engine.families.qwen3_omni.packing import packed

Rotation: TypeAlias = tuple[Tensor, Tensor]
"""Cosines and sines [..., d] of the positions that are rotated."""


_SMALL: Final = 2**16
"""Weights with fewer numbers than this are multiplied by other kernels when rows are few."""


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Multiplies x [..., H] by weight [O, H]; a row comes out the same whatever rows are beside it.

    A CPU's kernels sum in another order when rows are few, and for the odd ones left over from
    their blocks, so there x is padded to whole blocks: found by trial, and held by tests, for
    plain weights and packed ones."""
    rows = x.shape[:-1].numel()
    missing = -rows % _block(weight) if x.device.type == "cpu" else 0
    if not missing:
        return packing.linear(x, weight, bias)
    flat = functional.pad(x.reshape(rows, -1), (0, 0, 0, missing))
    made = packing.linear(flat, weight, bias)[:rows]
    return made.view(*x.shape[:-1], -1)


def _block(weight: Tensor) -> int:
    if weight.numel() < _SMALL:
        return 16
    # Packed weights would do with 2, but are multiplied faster by 4 rows than by 2 or 1.
    return 2 if weight.dtype.itemsize == 2 and not weight.is_mkldnn else 4


@dataclass(frozen=True, slots=True, eq=False)
class Norm:
    """Root mean square norm over the last axis."""

    weight: Tensor
    eps: float

    @classmethod
    def of(cls, module: Any) -> Norm:
        return cls(module.weight.detach(), float(module.variance_epsilon))

    def __call__(self, x: Tensor) -> Tensor:
        return functional.rms_norm(x, self.weight.shape, self.weight, self.eps)


@dataclass(frozen=True, slots=True, eq=False)
class Rotary:
    """Rotary positions, all axes of which advance together, as they do in text and sound. The first
    half of the sines is negative, so that `rotated` is a roll and two multiplications."""

    cos: Tensor
    sin: Tensor

    @classmethod
    def of(cls, module: Any, length: int, dtype: torch.dtype) -> Rotary:
        """Tables [length, d] for a rotary module of transformers."""
        inverse = module.inv_freq.float()
        angles = torch.arange(length, device=inverse.device)[:, None].float() * inverse
        both = torch.cat((angles, angles), dim=-1)
        scale = float(module.attention_scaling)
        signs = torch.ones_like(both[0])
        signs[: inverse.shape[0]] = -1
        return cls((both.cos() * scale).to(dtype), (both.sin() * scale * signs).to(dtype))

    def at(self, positions: Tensor) -> Rotation:
        return self.cos[positions], self.sin[positions]

    def between(self, start: int, stop: int) -> Rotation:
        return self.cos[start:stop], self.sin[start:stop]


def rotated(x: Tensor, rotation: Rotation) -> Tensor:
    """Of x [..., d] what Rotary's angles, which broadcast to it, turn it to."""
    cos, sin = rotation
    return torch.addcmul(x * cos, x.roll(x.shape[-1] // 2, dims=-1), sin)


@dataclass(frozen=True, slots=True, eq=False)
class Attention:
    """qkv: queries, keys and values in one matrix [(heads + 2 kv_heads) d, H]. norms: what queries
    and keys are multiplied by once they are normed, [heads + kv_heads, d]."""

    qkv: Tensor
    bias: Tensor | None
    out: Tensor
    out_bias: Tensor | None
    norms: Tensor
    eps: float
    heads: int
    kv_heads: int
    size: int

    @classmethod
    def of(cls, module: Any) -> Attention:
        parts = (module.q_proj, module.k_proj, module.v_proj)
        biases = [part.bias.detach() for part in parts if part.bias is not None]
        size = int(module.head_dim)
        heads = module.q_proj.weight.shape[0] // size
        kv_heads = module.k_proj.weight.shape[0] // size
        query, key = Norm.of(module.q_norm), Norm.of(module.k_norm)
        return cls(
            qkv=packed(torch.cat([part.weight.detach() for part in parts])),
            bias=torch.cat(biases) if biases else None,
            out=packed(module.o_proj.weight.detach()),
            out_bias=None if module.o_proj.bias is None else module.o_proj.bias.detach(),
            norms=torch.cat((query.weight.expand(heads, -1), key.weight.expand(kv_heads, -1))),
            eps=query.eps,
            heads=heads,
            kv_heads=kv_heads,
            size=size,
        )

    def project(self, x: Tensor, rotation: Rotation) -> tuple[Tensor, Tensor, Tensor]:
        """Of x [..., H]: queries [..., heads, d], keys and values [..., kv_heads, d]; queries and
        keys are normed and turned. rotation: [..., 1, d]."""
        heads = linear(x, self.qkv, self.bias).view(*x.shape[:-1], -1, self.size)
        both = functional.rms_norm(heads[..., : -self.kv_heads, :], (self.size,), None, self.eps)
        both = rotated(both * self.norms, rotation)
        at = self.heads
        return both[..., :at, :], both[..., at:, :], heads[..., -self.kv_heads :, :]

    def attend(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> Tensor:
        """One query a row, [n, heads, d], over keys and values [n, kv_heads, length, d].

        mask: [n, 1, 1, length], added to the scores. Returns [n, H]. Heads that share keys are one
        multiplication, so keys are never repeated, and a slice of a cache is used where it is. A
        device has one kernel for all of it where nothing is masked.
        """
        if mask is None and query.device.type != "cpu":
            laid = (keys.transpose(1, 2), values.transpose(1, 2))
            return self.attend_causal(query[:, None], *laid)[:, 0]
        grouped = query.reshape(len(query), self.kv_heads, -1, self.size) * self.size**-0.5
        scores = grouped @ keys.transpose(-1, -2)
        if mask is not None:
            scores = scores + mask
        shares = torch.softmax(scores, dim=-1, dtype=torch.promote_types(query.dtype, torch.float))
        mixed = (shares.to(values.dtype) @ values).flatten(1)
        return linear(mixed, self.out, self.out_bias)

    def attend_causal(self, query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """All queries [b, t, heads, d] over the keys and values [b, t, kv_heads, d] up to each of
        them; returns [b, t, H]."""
        mixed = functional.scaled_dot_product_attention(
            query.transpose(1, 2),
            keys.transpose(1, 2),
            values.transpose(1, 2),
            is_causal=query.shape[1] > 1,
            scale=self.size**-0.5,
            enable_gqa=self.heads != self.kv_heads,
        )
        return linear(mixed.transpose(1, 2).flatten(2), self.out, self.out_bias)


@dataclass(frozen=True, slots=True, eq=False)
class Mlp:
    """gate_up: [2 I, H]; down: [H, I]."""

    gate_up: Tensor
    down: Tensor

    @classmethod
    def of(cls, module: Any) -> Mlp:
        both = torch.cat((module.gate_proj.weight.detach(), module.up_proj.weight.detach()))
        return cls(packed(both), packed(module.down_proj.weight.detach()))

    def __call__(self, x: Tensor) -> Tensor:
        return linear(gated(linear(x, self.gate_up)), self.down)


def gated(both: Tensor) -> Tensor:
    gate, up = both.chunk(2, dim=-1)
    return functional.silu(gate) * up


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A decoder layer: norm, attention, norm, and an MLP or experts."""

    before: Norm
    attention: Attention
    between: Norm
    mlp: Callable[[Tensor], Tensor]

    @classmethod
    def of(cls, module: Any, mlp: Callable[[Tensor], Tensor]) -> Layer:
        return cls(
            Norm.of(module.input_layernorm),
            Attention.of(module.self_attn),
            Norm.of(module.post_attention_layernorm),
            mlp,
        )

    def finish(self, x: Tensor, attended: Tensor) -> Tensor:
        x = x + attended
        return x + self.mlp(self.between(x))
