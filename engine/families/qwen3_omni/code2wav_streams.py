"""Code2wav of many streams, exact: what every layer looks back at is carried from push to push.

Of a stream are kept the last keys and values of each layer of the transformer, the end of the input
of each convolution, and the last input of each transposed one. A push therefore costs what its own
frames cost, and its sound is what decoding the whole would give.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

import torch
from torch import Tensor
from torch.nn import functional

from engine.families.qwen3_omni.code2wav_layers import Convolution, Layer
from engine.families.qwen3_omni.code2wav_weights import (
    TAPS,
    UNIT_DILATIONS,
    Code2WavShape,
    Code2WavWeights,
    Unit,
)

LONGEST: Final = 32
"""Frames that `push` decodes at a time; more would only need more memory."""

Before: TypeAlias = Callable[[Tensor, int], Tensor]
"""Puts what came before in front of an input [rows, time, channels], along an axis."""


class Streams:
    """The state of `slots` streams, and the arithmetic on some of them at a time.

    Slots are numbered from 0; slot `slots` is nobody's, for rows that only fill a batch up. Whoever
    owns a slot begins with `first`, which lets go of whatever was in it.
    """

    def __init__(self, weights: Code2WavWeights, slots: int) -> None:
        self.weights = weights
        self.slots = slots
        like = weights.embedding
        self._frames = torch.zeros(slots + 1, dtype=torch.int64, device=like.device)
        self._kept = [like.new_zeros((slots + 1, *size)) for size in sizes_of(weights.shape)]

    @property
    def device(self) -> torch.device:
        return self.weights.embedding.device

    @property
    def reach(self) -> int:
        """Frames before its own that a frame's sound depends on, at the most: so many `warm`."""
        shape = self.weights.shape
        return shape.layers * (shape.window - 1) + LONGEST

    @torch.inference_mode()
    def push(self, codes: Tensor, rows: Tensor, *, first: bool) -> Tensor:
        """The next frames of some streams: sound [rows, samples] within ±1.

        codes: int64 [rows, frames, codebooks]. rows: int64 [rows], the slot of each, all different.
        first: they are the first frames of all of them, which come out short of frame * frames by
        what the transposed convolutions drop; else none of them.
        """
        sound = []
        for at in range(0, codes.shape[1], LONGEST):
            part = codes[:, at : at + LONGEST]
            sound.append(self.step(part, rows, first=first and at == 0))
        return torch.cat(sound, 1) if len(sound) > 1 else sound[0]

    @torch.inference_mode()
    def step(self, codes: Tensor, rows: Tensor, *, first: bool) -> Tensor:
        """As `push`, all at once; what a CUDA graph holds."""
        kept = iter(self._kept)
        hidden = self._transformed(codes, rows, kept, first=first)
        return self._sounded(hidden, rows, kept, first=first)

    @torch.inference_mode()
    def warm(self, codes: Tensor, rows: Tensor) -> None:
        """Brings streams to where `push` of these frames, their first, would; makes no sound.

        The convolutions look back over 10 frames at most, so they see no more than the last two
        parts.
        """
        kept = iter(self._kept)
        hidden: list[Tensor] = []
        for at in range(0, codes.shape[1], LONGEST):
            kept = iter(self._kept)
            part = codes[:, at : at + LONGEST]
            hidden = [*hidden[-1:], self._transformed(part, rows, kept, first=at == 0)]
        self._sounded(torch.cat(hidden, 1), rows, kept, first=True)

    def _transformed(
        self, codes: Tensor, rows: Tensor, kept: Iterator[Tensor], *, first: bool
    ) -> Tensor:
        """Hidden states [rows, frames, hidden]."""
        weights, shape = self.weights, self.weights.shape
        offsets = torch.arange(shape.codebooks, device=self.device) * shape.codebook_size
        x = functional.embedding(codes + offsets, weights.embedding).mean(2)
        position = torch.zeros_like(rows) if first else self._frames.index_select(0, rows)
        self._frames.index_copy_(0, rows, position + codes.shape[1])
        turn = self._turn(position, x)
        mask = _mask(position, codes.shape[1], shape.window)
        for layer in weights.layers:
            before = self._carried(next(kept), rows, first=first)
            x = layer.mlp(x + self._attended(layer, x, turn, mask, before))
        return weights.norm(x)

    def _turn(self, position: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
        """Cosine and sine [rows, 1, frames, head] of the positions' angles."""
        at = position[:, None] + torch.arange(x.shape[1], device=x.device)
        angles = at[..., None].float() * self.weights.inverse_frequencies
        angles = torch.cat((angles, angles), -1)[:, None]
        return angles.cos().to(x.dtype), angles.sin().to(x.dtype)

    def _attended(
        self,
        layer: Layer,
        x: Tensor,
        turn: tuple[Tensor, Tensor],
        mask: Tensor,
        before: Before,
    ) -> Tensor:
        shape = self.weights.shape
        heads = (shape.heads, shape.kv_heads, shape.kv_heads)
        parts = layer.qkv(layer.before_attention(x)).reshape(*x.shape[:2], -1, shape.head)
        q, k, v = (part.transpose(1, 2) for part in parts.split_with_sizes(heads, 2))
        kv = before(torch.stack((_turned(k, turn), v), 1), 3)
        made = functional.scaled_dot_product_attention(
            _turned(q, turn), kv[:, 0], kv[:, 1], mask, enable_gqa=shape.heads != shape.kv_heads
        )
        return layer.out(made.transpose(1, 2).flatten(2))

    def _sounded(self, x: Tensor, rows: Tensor, kept: Iterator[Tensor], *, first: bool) -> Tensor:
        """Sound [rows, samples] of hidden states. first: the convolutions begin with them."""
        weights = self.weights

        def before(x: Tensor) -> Tensor:
            return self._carried(next(kept), rows, first=first)(x, 1)

        def convolved(convolution: Convolution, x: Tensor) -> Tensor:
            return convolution(before(x))

        for up, block in weights.upsample:
            x = up.taps(x).reshape(len(x), -1, weights.shape.hidden)
            x = block(x, before(x))
        x = convolved(weights.enter, x)
        for decoder in weights.blocks:
            x = self._overlapped(decoder.snake(x), rows, next(kept), first=first)
            x = decoder.up.taps(x)
            x = x.reshape(len(x), x.shape[1] * decoder.up.rate, -1)
            for unit in decoder.units:
                x = x + _unit(unit, x, convolved)
        return convolved(weights.leave, weights.snake(x))[..., 0].clamp(-1, 1)

    def _carried(self, kept: Tensor, rows: Tensor, *, first: bool) -> Before:
        """Nothing (zeros) comes before what is first."""

        def before(x: Tensor, axis: int) -> Tensor:
            reach = kept.shape[axis]
            size = (len(x), *kept.shape[1:])
            ahead = kept.new_zeros(size) if first else kept.index_select(0, rows)
            joined = torch.cat((ahead, x), axis)
            kept.index_copy_(0, rows, joined.narrow(axis, joined.shape[axis] - reach, reach))
            return joined

        return before

    def _overlapped(self, x: Tensor, rows: Tensor, kept: Tensor, *, first: bool) -> Tensor:
        """Nothing at all comes before what is first: its first step gives no sound of its own."""
        if not first:
            return self._carried(kept, rows, first=False)(x, 1)
        kept.index_copy_(0, rows, x[:, -1:])
        return x


def sizes_of(shape: Code2WavShape) -> list[tuple[int, ...]]:
    """What is kept of one stream: the size of each tensor, in the order in which they are used."""
    ring = (2, shape.kv_heads, shape.window - 1, shape.head)
    sizes: list[tuple[int, ...]] = [ring] * shape.layers
    sizes += [(TAPS - 1, shape.hidden)] * (len(shape.upsample) + 1)
    for number in range(1, len(shape.rates) + 1):
        channels = shape.decoder >> number
        sizes.append((1, 2 * channels))
        sizes += [((TAPS - 1) * dilation, channels) for dilation in UNIT_DILATIONS]
    return [*sizes, (TAPS - 1, shape.decoder >> len(shape.rates))]


def _unit(unit: Unit, x: Tensor, convolved: Callable[[Convolution, Tensor], Tensor]) -> Tensor:
    return unit.point(unit.second(convolved(unit.dilated, unit.first(x))))


def _turned(x: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    """Rotary position, in the halves of each head."""
    cosine, sine = turn
    one, two = x.chunk(2, -1)
    return x * cosine + torch.cat((-two, one), -1) * sine


def _mask(position: Tensor, frames: int, window: int) -> Tensor:
    """[rows, 1, frames, window - 1 + frames]: which keys, those kept first, a frame may look at:
    itself and the window - 1 before it, if there were so many."""
    past = window - 1
    key = torch.arange(past + frames, device=position.device)
    query = torch.arange(frames, device=position.device)[:, None]
    near = (key >= query) & (key <= query + past)
    return (near & (key >= past - position[:, None, None]))[:, None]
