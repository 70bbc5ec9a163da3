"""Packed weights multiply as plain ones do, take as much memory, and are held once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
kernels = pytest.mark.skipif(not packing.works(), reason="no oneDNN kernels for bfloat16 here")


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


def nbytes(weight: Tensor) -> int:
    """Of a packed one, which only this operator tells."""
    return int(torch.ops.mkldnn._nbytes(weight))


@kernels
@pytest.mark.parametrize("size", [(384, 384), (288, 384), (192, 1344), (1920, 1536)])
def test_it_takes_as_much_memory_and_is_packed_once(size: tuple[int, int]) -> None:
    weight = random(*size)
    made = packing.packed(weight)
    blocks = -(-size[0] // 64)
    assert nbytes(made) <= 64 * blocks * weight[0].nbytes
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


def lacking(*arguments: object) -> Tensor:
    raise AttributeError("no such operator")


def refusing(*arguments: object) -> Tensor:
    raise RuntimeError("no such arguments")


def wrong(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    return functional.linear(x, weight.to_dense(), bias) * 2


@pytest.fixture
def tried_again() -> Iterator[None]:
    """Whether packing works is found out in the test, and again after it."""
    packing.works.cache_clear()
    yield
    packing.works.cache_clear()


@pytest.mark.usefixtures("tried_again")
@pytest.mark.parametrize(
    ("name", "broken"),
    [("_reordered", lacking), ("_multiplied", lacking), ("_multiplied", refusing),
     ("_multiplied", wrong)],
)  # fmt: skip
def test_a_torch_without_the_operators_or_with_others_keeps_weights_plain(
    name: str, broken: Callable[..., Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, name, broken)
    weight, x = random(384, 384), random(3, 384)
    assert packing.packed(weight) is weight
    assert torch.equal(packing.linear(x, weight), functional.linear(x, weight))


@kernels
@pytest.mark.usefixtures("tried_again")
@pytest.mark.parametrize("works", [True, False], ids=["packed", "plain"])
def test_streams_of_packed_weights(
    tiny: Path, works: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every matrix of the transformer and the convolutions, and the sound is as near as ever, as it
    is where they can't be packed."""
    monkeypatch.setattr(packing, "LARGE", 2**9)
    if not works:
        monkeypatch.setattr(packing, "_multiplied", lacking)
    weights = vocoder.weights.__wrapped__(tiny, torch.bfloat16)
    large = [weight for weight in matrices(weights) if weight.numel() >= 2**9]
    assert {weight.is_mkldnn for weight in large} == {works}
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
