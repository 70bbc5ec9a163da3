"""Layers of code2wav on [rows, time, channels], without state: what came before is in their input.

A convolution is a matrix product of its taps laid side by side, with weights laid out for it once:
at these widths that is as fast as the processor multiplies, for one frame as for many.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor
from torch.nn import functional

from engine.families.qwen3_omni.packing import linear

TILE: Final = 2**20
"""Values laid side by side at a time: what stays in the cache."""
SLIM: Final = 384
"""Channels up to which laying the taps side by side costs more than adding up their products, in
dtypes in which sums lose nothing by it."""


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """weight: [out, in], packed or not. bias: [out]."""

    weight: Tensor
    bias: Tensor | None = None

    def __call__(self, x: Tensor) -> Tensor:
        return linear(x, self.weight, self.bias)


@dataclass(frozen=True, slots=True, eq=False)
class Convolution:
    """weight: [out, taps * in], the oldest tap first, packed or not. bias: [out]."""

    weight: Tensor
    bias: Tensor
    taps: int
    dilation: int

    @property
    def channels(self) -> int:
        """In."""
        return self.weight.shape[1] // self.taps

    @property
    def reach(self) -> int:
        """Steps before the first one out that it looks at."""
        return (self.taps - 1) * self.dilation

    def __call__(self, x: Tensor) -> Tensor:
        """[rows, reach + time, in] to [rows, time, out]; x is contiguous."""
        side = self._side_by_side(x)
        size = (*side.shape[:2], len(self.weight))
        if x.is_cuda or side.numel() <= TILE:
            # One matrix: of three dimensions that overlap, torch would make a product a row.
            flat = side.reshape(-1, self.weight.shape[1])
            return linear(flat, self.weight, self.bias).view(size)
        out = x.new_empty(size)
        for row in range(len(x)):
            if self.channels <= SLIM and x.dtype != torch.bfloat16:
                self._add_up(x[row], out[row])
            else:
                self._in_tiles(side[row], out[row])
        return out

    def _side_by_side(self, x: Tensor) -> Tensor:
        """A view [rows, time, taps, in]: taps overlap in it."""
        rows, steps, channels = x.shape
        shape = (rows, steps - self.reach, self.taps, channels)
        return x.as_strided(shape, (steps * channels, channels, self.dilation * channels, 1))

    def _add_up(self, x: Tensor, out: Tensor) -> None:
        out.copy_(self.bias.expand_as(out))
        for tap in range(self.taps):
            at = tap * self.dilation
            weight = self.weight[:, tap * self.channels : (tap + 1) * self.channels]
            out.addmm_(x[at : at + len(out)], weight.t())

    def _in_tiles(self, side: Tensor, out: Tensor) -> None:
        tile = max(1, TILE // self.weight.shape[1])
        for at in range(0, len(out), tile):
            part = side[at : at + tile].flatten(1)
            if self.weight.is_mkldnn:
                out[at : at + tile] = linear(part, self.weight, self.bias)
            else:
                torch.addmm(self.bias, part, self.weight.t(), out=out[at : at + tile])


@dataclass(frozen=True, slots=True, eq=False)
class Snake:
    """x + sin(alpha x)^2 / beta. alpha, inverse (of beta): [channels]."""

    alpha: Tensor
    inverse: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        wave = torch.mul(x, self.alpha).sin_()
        return torch.addcmul(x, wave.square_(), self.inverse)


@dataclass(frozen=True, slots=True, eq=False)
class Depthwise:
    """A convolution of each channel with itself. weight: [channels, 1, taps]. bias: [channels]."""

    weight: Tensor
    bias: Tensor

    @property
    def reach(self) -> int:
        return self.weight.shape[2] - 1

    @property
    def channels(self) -> int:
        return len(self.weight)

    def __call__(self, x: Tensor) -> Tensor:
        """[rows, reach + time, channels] to [rows, time, channels]."""
        taps = self.weight[:, 0].t()
        time = x.shape[1] - self.reach
        made = x[:, :time] * taps[0]
        for tap in range(1, len(taps)):
            made.addcmul_(x[:, tap : tap + time], taps[tap])
        return made.add_(self.bias)


@dataclass(frozen=True, slots=True, eq=False)
class Norm:
    """Root mean square over the channels, in float32 as transformers does it."""

    weight: Tensor
    epsilon: float

    def __call__(self, x: Tensor) -> Tensor:
        wide = x.float()
        scale = torch.rsqrt(wide.square().mean(-1, keepdim=True) + self.epsilon)
        return self.weight * (wide * scale).to(x.dtype)


@dataclass(frozen=True, slots=True, eq=False)
class ConvNeXt:
    """scale of the block is within `narrow`."""

    depthwise: Depthwise
    norm: tuple[Tensor, Tensor]
    wide: Linear
    narrow: Linear

    def __call__(self, x: Tensor, before: Tensor) -> Tensor:
        """x: [rows, time, channels]. before: the same with the depthwise convolution's reach."""
        weight, bias = self.norm
        made = functional.layer_norm(self.depthwise(before), weight.shape, weight, bias, 1e-6)
        return x + self.narrow(functional.gelu(self.wide(made)))


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """Of the transformer. qkv and gate_up are the checkpoint's matrices one below the other; the
    layer's scales are within `out` and `down`."""

    before_attention: Norm
    qkv: Linear
    out: Linear
    before_mlp: Norm
    gate_up: Linear
    down: Linear

    def mlp(self, x: Tensor) -> Tensor:
        gate, up = self.gate_up(self.before_mlp(x)).chunk(2, -1)
        return x + self.down(functional.silu(gate) * up)
