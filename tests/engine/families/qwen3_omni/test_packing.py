"""Packed weights multiply as plain ones do, take as much memory, and are held once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from engine.families.qwen3_omni import packing
from engine.families.qwen3_omni.code2wav_layers import TILE, Convolution, Linear
from engine.families.qwen3_omni.code2wav_streams import Streams
from engine.families.qwen3_omni.code2wav_weights import Code2WavWeights
from engine.families.qwen3_omni.layers import linear
from tests.engine.families.qwen3_omni import vocoder

NEAR = 2**-7
"""A step of bfloat16, of the largest value."""
kernels = pytest.mark.skipif(not packing._kernels(), reason="no oneDNN kernels for bfloat16 here")


def random(*size: int, dtype: torch.dtype = torch.bfloat16) -> Tensor:
    return torch.randn(size, generator=torch.Generator().manual_seed(sum(size))).to(dtype)


def near(made: Tensor, wanted: Tensor) -> bool:
    return float((made.float() - wanted).abs().max() / wanted.abs().max()) < NEAR


@kernels
@pytest.mark.parametrize("rows", [1, 2, 3, 17, 160])
@pytest.mark.parametrize("size", [(384, 384), (288, 384), (192, 1344), (1920, 1536)])
@pytest.mark.parametrize("biased", [False, True])
def test_products_are_the_same(rows: int, size: tuple[int, int], biased: bool) -> None:
    x, weight, bias = random(2, rows, size[1]), random(*size), random(size[0]) if biased else None
    wide = functional.linear(x.float(), weight.float(), None if bias is None else bias.float())
    made = packing.packed(weight)
    assert made.is_mkldnn
    assert near(packing.linear(x, made, bias), wide)
    assert near(packing.linear(x, weight, bias), wide)


@kernels
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("size", [(4096, 1024), (1024, 3072), (288, 384), (100, 700)])
def test_a_row_comes_out_the_same_whatever_rows_are_beside_it(
    size: tuple[int, int], biased: bool
) -> None:
    weight, bias = packing.packed(random(*size)), random(size[0]) if biased else None
    for x in random(3, 67, size[1]):
        whole = linear(x, weight, bias)
        for rows in range(1, 67):
            assert torch.equal(linear(x[:rows], weight, bias), whole[:rows])


@kernels
@pytest.mark.parametrize("size", [(384, 384), (288, 384), (192, 1344), (1920, 1536)])
def test_it_takes_as_much_memory_and_is_packed_once(size: tuple[int, int]) -> None:
    weight = random(*size)
    made = packing.packed(weight)
    blocks = -(-size[0] // 64)
    assert torch.ops.mkldnn._nbytes(made) <= 64 * blocks * weight[0].nbytes
    assert packing.packed(made) is made


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16], ids=str)
def test_other_numbers_stay_as_they_are(dtype: torch.dtype) -> None:
    weight = random(384, 384, dtype=dtype)
    assert packing.packed(weight) is weight


def test_small_weights_and_those_of_a_device_stay_as_they_are() -> None:
    small, elsewhere = random(96, 96), random(384, 384).to("meta")
    assert packing.packed(small) is small
    assert packing.packed(elsewhere) is elsewhere


@kernels
@pytest.mark.parametrize("dilation", [1, 9])
@pytest.mark.parametrize("steps", [40, TILE // (7 * 192) + 100], ids=["one product", "tiles"])
def test_a_convolution_may_be_packed(steps: int, dilation: int) -> None:
    plain, bias = random(192, 7 * 192), random(192)
    x = random(1, steps + 6 * dilation, 192)
    wide = Convolution(plain.float(), bias.float(), 7, dilation)(x.float())
    assert near(Convolution(packing.packed(plain), bias, 7, dilation)(x), wide)


@kernels
def test_streams_of_packed_weights(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every matrix of the transformer and the convolutions, and the sound is as near as ever."""
    monkeypatch.setattr(packing, "LARGE", 2**9)
    weights = vocoder.weights.__wrapped__(tiny, torch.bfloat16)
    assert all(weight.is_mkldnn for weight in matrices(weights) if weight.numel() >= 2**9)
    made, codes = Streams(weights, 1), torch.from_numpy(vocoder.frames(14)[None])
    parts = [
        made.push(codes[:, a:b], torch.tensor([0]), first=a == 0) for a, b in pairwise((0, 4, 14))
    ]
    wanted = vocoder.whole(tiny, torch.float32, vocoder.frames(14))
    noise = torch.cat(parts, 1)[0].float() - wanted
    assert float(noise.square().mean() / wanted.square().mean()) < 0.01


def matrices(weights: Code2WavWeights) -> Iterator[Tensor]:
    parts: list[Linear | Convolution] = [weights.enter, weights.leave]
    for layer in weights.layers:
        parts += [layer.qkv, layer.out, layer.gate_up, layer.down]
    for up, block in weights.upsample:
        parts += [up.taps, block.wide, block.narrow]
    for block in weights.blocks:
        parts += [
            block.up.taps,
            *(part for unit in block.units for part in (unit.dilated, unit.point)),
        ]
    return (part.weight for part in parts)
