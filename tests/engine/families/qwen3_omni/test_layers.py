from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.torch_version import TorchVersion

from engine.families.qwen3_omni.experts import Experts, multiplies_groups
from engine.families.qwen3_omni.layers import Attention, Rotary, linear, rotated
from tests.engine.families.qwen3_omni.reference import loaded

DTYPES = (torch.float64, torch.float32, torch.bfloat16)


def noise(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def first_layer(dtype: torch.dtype = torch.float64) -> Any:
    return loaded(dtype)[0].talker.model.layers[0]


@pytest.mark.parametrize("dtype", DTYPES)
@given(
    rows=st.integers(1, 40),
    sizes=st.sampled_from([(64, 192), (64, 5), (32, 64), (384, 1024), (2048, 256)]),
    seed=st.integers(0, 99),
)
def test_a_row_comes_out_the_same_whatever_rows_are_beside_it(
    dtype: torch.dtype, rows: int, sizes: tuple[int, int], seed: int
) -> None:
    x, weight = noise(64, sizes[0], seed=seed, dtype=dtype), noise(sizes[1], sizes[0], dtype=dtype)
    assert torch.equal(linear(x[:rows], weight), linear(x, weight)[:rows])


@torch.no_grad()
def test_experts_are_those_of_transformers_whichever_way_they_are_called() -> None:
    module, x = first_layer(torch.float32).mlp, noise(23, 64, dtype=torch.float32)
    experts = Experts.of(module)
    torch.testing.assert_close(experts(x), module(x[None])[0], rtol=1e-5, atol=1e-5)
    hits = torch.tensor([7, 0, 15, 1])
    alone = experts.one_by_one(x, hits)
    torch.testing.assert_close(experts.gathered(x, hits), alone, rtol=1e-5, atol=1e-5)
    if torch.__version__ >= "2.10":  # before, no device multiplies groups for us either
        torch.testing.assert_close(experts.in_groups(x, hits), alone, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("torch_is", "capability", "grouped"),
    [
        ("2.6.0", (9, 0), False),
        ("2.9.1", (9, 0), False),
        ("2.10.0+cu128", (9, 0), True),
        ("2.12.1", (10, 0), False),
        ("2.13.0", (10, 3), True),
        ("2.15.0", (8, 0), False),
        ("2.15.0", (12, 0), False),
    ],
)
def test_groups_are_multiplied_at_once_where_torch_has_kernels_for_that(
    torch_is: str, capability: tuple[int, int], grouped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch, "__version__", TorchVersion(torch_is))
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    assert multiplies_groups(torch.device("cuda:0"), torch.bfloat16) is grouped
    assert not multiplies_groups(torch.device("cuda:0"), torch.float32)
    assert not multiplies_groups(torch.device("cpu"), torch.bfloat16)


@torch.no_grad()
def test_one_query_attends_as_the_last_of_many() -> None:
    attention = Attention.of(first_layer().self_attn)
    query, keys = noise(3, 6, 4, 16), noise(3, 6, 2, 16, seed=1)
    values = noise(3, 6, 2, 16, seed=2)
    laid = (keys.transpose(1, 2), values.transpose(1, 2))
    last = attention.attend_causal(query, keys, values)[:, -1]
    torch.testing.assert_close(attention.attend(query[:, -1], *laid, None), last)
    only = attention.attend_causal(query[:, -1:], keys, values)[:, 0]
    torch.testing.assert_close(only, last)


def test_what_is_masked_counts_for_nothing() -> None:
    attention = Attention.of(first_layer().self_attn)
    query, keys, values = noise(2, 4, 16), noise(2, 2, 9, 16, seed=1), noise(2, 2, 9, 16, seed=2)
    mask = torch.zeros(2, 1, 1, 9, dtype=torch.float64)
    mask[..., 5:] = -torch.inf
    made = attention.attend(query, keys, values, mask)
    torch.testing.assert_close(
        made, attention.attend(query, keys[:, :, :5], values[:, :, :5], None)
    )


@torch.no_grad()
def test_positions_turn_queries_and_keys_as_in_transformers() -> None:
    from transformers.models.qwen3_omni_moe.modeling_qwen3_omni_moe import apply_rotary_pos_emb

    model = loaded()[0].talker.model
    x = noise(1, 4, 7, 16)
    cos, sin = model.rotary_emb(x, torch.arange(7).expand(3, 1, 7))
    expected, _ = apply_rotary_pos_emb(x, x, cos, sin)
    turn = Rotary.of(model.rotary_emb, 32, torch.float64).between(0, 7)
    torch.testing.assert_close(rotated(x, turn), expected, rtol=1e-6, atol=1e-6)
