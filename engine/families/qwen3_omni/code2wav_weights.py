"""Code2wav's weights, laid out for streaming, from tensors under transformers' names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch import Tensor

from engine.errors import ModelDamaged
from engine.families.qwen3_omni.code2wav_layers import (
    ConvNeXt,
    Convolution,
    Depthwise,
    Layer,
    Linear,
    Norm,
    Snake,
)
from engine.families.qwen3_omni.packing import packed

Read: TypeAlias = Callable[[str, tuple[int, ...]], Tensor]
"""A tensor by its name within code2wav, which must have the shape given."""

UNIT_DILATIONS = (1, 3, 9)
TAPS = 7
_TINY = 1e-9
"""Added to beta, as transformers does."""


@dataclass(frozen=True, slots=True)
class Code2WavShape:
    """What of the checkpoint's `code2wav_config` the arithmetic depends on."""

    codebooks: int
    codebook_size: int
    hidden: int
    mlp: int
    layers: int
    heads: int
    kv_heads: int
    attention_bias: bool
    window: int
    epsilon: float
    rope_theta: float
    decoder: int
    upsample: tuple[int, ...]
    rates: tuple[int, ...]

    @classmethod
    def of(cls, config: Any) -> Code2WavShape:
        """Of transformers' config. Raises ModelDamaged for one that is computed otherwise."""
        rope = config.rope_parameters
        if config.hidden_act != "silu" or rope["rope_type"] != "default":
            told = f"{config.hidden_act} and {rope['rope_type']}"
            raise ModelDamaged(f"code2wav_config: hidden_act and rope_type are {told}")
        return cls(
            codebooks=config.num_quantizers,
            codebook_size=config.codebook_size,
            hidden=config.hidden_size,
            mlp=config.intermediate_size,
            layers=config.num_hidden_layers,
            heads=config.num_attention_heads,
            kv_heads=config.num_key_value_heads,
            attention_bias=config.attention_bias,
            window=config.sliding_window,
            epsilon=config.rms_norm_eps,
            rope_theta=float(rope["rope_theta"]),
            decoder=config.decoder_dim,
            upsample=tuple(config.upsampling_ratios),
            rates=tuple(config.upsample_rates),
        )

    @property
    def head(self) -> int:
        return self.hidden // self.heads


@dataclass(frozen=True, slots=True, eq=False)
class Upsampling:
    """Each step in becomes `rate` steps out. A transposed convolution of twice that length adds
    what the step before leaves over, so it looks back by one tap."""

    taps: Convolution
    rate: int


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """A residual unit of the decoder."""

    first: Snake
    dilated: Convolution
    second: Snake
    point: Linear


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A block of the decoder: half as many channels, `up.rate` times as many steps."""

    snake: Snake
    up: Upsampling
    units: tuple[Unit, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Code2WavWeights:
    """embedding: [codebooks * entries, hidden]. inverse_frequencies: float32 [head / 2]."""

    shape: Code2WavShape
    embedding: Tensor
    inverse_frequencies: Tensor
    layers: tuple[Layer, ...]
    norm: Norm
    upsample: tuple[tuple[Upsampling, ConvNeXt], ...]
    enter: Convolution
    blocks: tuple[Block, ...]
    snake: Snake
    leave: Convolution

    @classmethod
    def read(cls, shape: Code2WavShape, read: Read) -> Code2WavWeights:
        """Raises whatever `read` does."""
        rates, last = shape.rates, len(shape.rates) + 1
        channels = shape.decoder >> len(rates)
        entries = shape.codebooks * shape.codebook_size
        embedding = read("code_embedding.weight", (entries, shape.hidden))
        return cls(
            shape=shape,
            embedding=embedding,
            inverse_frequencies=_inverse_frequencies(shape, embedding.device),
            layers=tuple(_layer(shape, read, at) for at in range(shape.layers)),
            norm=_norm(shape, read, "pre_transformer.norm"),
            upsample=tuple(
                (_upsampling(read, f"upsample.{at}.0", shape.hidden, shape.hidden, rate, rate),
                 _convnext(read, f"upsample.{at}.1", shape.hidden))
                for at, rate in enumerate(shape.upsample)
            ),
            enter=_convolution(read, "decoder.0", shape.hidden, shape.decoder),
            blocks=tuple(
                _block(read, f"decoder.{at}.block", shape.decoder >> (at - 1), rate)
                for at, rate in enumerate(rates, 1)
            ),
            snake=_snake(read, f"decoder.{last}", channels),
            leave=_convolution(read, f"decoder.{last + 1}", channels, 1),
        )  # fmt: skip


def _inverse_frequencies(shape: Code2WavShape, device: torch.device) -> Tensor:
    even = torch.arange(0, shape.head, 2, dtype=torch.float32, device=device)
    return 1.0 / (shape.rope_theta ** (even / shape.head))


def _linear(read: Read, name: str, size: tuple[int, int], *, bias: bool) -> Linear:
    weight = read(f"{name}.weight", size)
    return Linear(weight, read(f"{name}.bias", size[:1]) if bias else None)


def _norm(shape: Code2WavShape, read: Read, name: str) -> Norm:
    return Norm(read(f"{name}.weight", (shape.hidden,)), shape.epsilon)


def _layer(shape: Code2WavShape, read: Read, at: int) -> Layer:
    name, hidden, bias = f"pre_transformer.layers.{at}", shape.hidden, shape.attention_bias
    queries, keys = shape.heads * shape.head, shape.kv_heads * shape.head
    attention = f"{name}.self_attn"
    sizes = {"q_proj": queries, "k_proj": keys, "v_proj": keys}
    qkv = [
        _linear(read, f"{attention}.{part}", (size, hidden), bias=bias)
        for part, size in sizes.items()
    ]
    halves = [
        _linear(read, f"{name}.mlp.{part}", (shape.mlp, hidden), bias=False)
        for part in ("gate_proj", "up_proj")
    ]
    out = _linear(read, f"{attention}.o_proj", (hidden, queries), bias=bias)
    down = _linear(read, f"{name}.mlp.down_proj", (hidden, shape.mlp), bias=False)
    return Layer(
        before_attention=_norm(shape, read, f"{name}.input_layernorm"),
        qkv=_stacked(qkv),
        out=_scaled(out, read(f"{name}.self_attn_layer_scale.scale", (hidden,))),
        before_mlp=_norm(shape, read, f"{name}.post_attention_layernorm"),
        gate_up=_stacked(halves),
        down=_scaled(down, read(f"{name}.mlp_layer_scale.scale", (hidden,))),
    )


def _stacked(parts: list[Linear]) -> Linear:
    biases = [part.bias for part in parts if part.bias is not None]
    weight = torch.cat([part.weight for part in parts])
    return Linear(packed(weight), torch.cat(biases) if biases else None)


def _scaled(linear: Linear, scale: Tensor) -> Linear:
    bias = None if linear.bias is None else linear.bias * scale
    return Linear(packed(linear.weight * scale[:, None]), bias)


def _convolution(read: Read, name: str, channels: int, out: int, dilation: int = 1) -> Convolution:
    weight = read(f"{name}.conv.weight", (out, channels, TAPS))
    laid = weight.transpose(1, 2).reshape(out, TAPS * channels)
    bias = read(f"{name}.conv.bias", (out,))
    return Convolution(packed(laid.contiguous()), bias, TAPS, dilation)


def _upsampling(
    read: Read, name: str, channels: int, out: int, rate: int, length: int
) -> Upsampling:
    """Of a transposed convolution: [channels, out, length] to [rate * out, taps * channels], the
    tap of the step before first."""
    weight = read(f"{name}.conv.weight", (channels, out, length))
    taps = length // rate
    laid = weight.reshape(channels, out, taps, rate).permute(3, 1, 2, 0).flip(2)
    bias = read(f"{name}.conv.bias", (out,)).repeat(rate)
    laid = laid.reshape(rate * out, taps * channels).contiguous()
    return Upsampling(Convolution(packed(laid), bias, taps, 1), rate)


def _convnext(read: Read, name: str, channels: int) -> ConvNeXt:
    wide = _linear(read, f"{name}.pwconv1", (4 * channels, channels), bias=True)
    narrow = _linear(read, f"{name}.pwconv2", (channels, 4 * channels), bias=True)
    weight = read(f"{name}.dwconv.conv.weight", (channels, 1, TAPS))
    bias = read(f"{name}.dwconv.conv.bias", (channels,))
    norm = read(f"{name}.norm.weight", (channels,)), read(f"{name}.norm.bias", (channels,))
    scale = read(f"{name}.gamma", (channels,))
    return ConvNeXt(Depthwise(weight, bias), norm, _stacked([wide]), _scaled(narrow, scale))


def _snake(read: Read, name: str, channels: int) -> Snake:
    alpha, beta = read(f"{name}.alpha", (channels,)), read(f"{name}.beta", (channels,))
    return Snake(torch.exp(alpha), 1.0 / (torch.exp(beta) + _TINY))


def _block(read: Read, name: str, channels: int, rate: int) -> Block:
    half = channels // 2
    return Block(
        snake=_snake(read, f"{name}.0", channels),
        up=_upsampling(read, f"{name}.1", channels, half, rate, 2 * rate),
        units=tuple(
            _unit(read, f"{name}.{at}", half, dilation)
            for at, dilation in enumerate(UNIT_DILATIONS, 2)
        ),
    )


def _unit(read: Read, name: str, channels: int, dilation: int) -> Unit:
    point = read(f"{name}.conv2.conv.weight", (channels, channels, 1))[:, :, 0].contiguous()
    return Unit(
        first=_snake(read, f"{name}.act1", channels),
        dilated=_convolution(read, f"{name}.conv1", channels, channels, dilation),
        second=_snake(read, f"{name}.act2", channels),
        point=Linear(packed(point), read(f"{name}.conv2.conv.bias", (channels,))),
    )
