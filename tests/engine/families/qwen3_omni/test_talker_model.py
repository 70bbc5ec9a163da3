from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest
import torch

from engine.families.qwen3_omni.cache import Pool, Rows, Shape
from engine.families.qwen3_omni.experts import Experts
from engine.families.qwen3_omni.sampling import GREEDY
from engine.families.qwen3_omni.talker_model import TalkerModel
from tests.engine.families.qwen3_omni.reference import loaded, talker_model

META = torch.device("meta")


def moved(value: Any) -> Any:
    """With all tensors on a device that computes shapes only, and can't be waited for."""
    if isinstance(value, torch.Tensor):
        return value.to(META)
    if isinstance(value, tuple):
        return tuple(map(moved, value))
    if is_dataclass(value) and not isinstance(value, type):
        return replace(
            value, **{each.name: moved(getattr(value, each.name)) for each in fields(value)}
        )
    return value


def grouping(model: TalkerModel, groups: bool) -> TalkerModel:
    """With experts multiplied at once, or each by itself."""
    mlps = [layer.mlp for layer in model.layers if isinstance(layer.mlp, Experts)]
    made = [replace(mlp, groups=groups) for mlp in mlps]
    pairs = zip(model.layers, made, strict=True)
    return replace(model, layers=tuple(replace(layer, mlp=mlp) for layer, mlp in pairs))


GROUPED = pytest.param(
    torch.bfloat16,
    True,
    marks=pytest.mark.skipif(torch.__version__ < "2.10", reason="torch has no such call"),
)


@pytest.mark.parametrize(
    ("dtype", "groups"), [GROUPED, (torch.bfloat16, False), (torch.float32, False)]
)
def test_a_step_on_a_device_never_waits_for_what_was_computed(
    dtype: torch.dtype, groups: bool
) -> None:
    """So it can be captured: reading any number of a tensor on this device raises."""
    with torch.inference_mode():
        model: TalkerModel = grouping(moved(talker_model(dtype)), groups)
        rows = Rows.empty(model.shape(4), dtype, META)
        for count, length in ((1, 16), (3, 96), (4, 96)):
            model.step(rows, count, length, rows.hidden[0])
    with pytest.raises(RuntimeError):
        rows.made.tolist()


def test_rows_that_are_not_active_keep_all_that_counts() -> None:
    model = talker_model()
    with torch.inference_mode():
        rows = Rows.empty(model.shape(3), model.dtype, model.device)
        seeded = torch.Generator().manual_seed(3)  # of some prompts the first code is the end
        prompts = [torch.randn(9, 64, dtype=model.dtype, generator=seeded) for _ in range(3)]
        for row in range(3):
            rows.begin(row, GREEDY, row, 0)
        model.prefill(rows, torch.arange(3), prompts)
        before = [held[1].clone() for held in rows._of_rows()]
        cached = rows.keys[:, 1, :, :9].clone()
        rows.active.copy_(torch.tensor([True, False, True]))
        model.step(rows, 3, 32, rows.hidden[0])
    assert rows.made.tolist() == [True, False, True]
    assert all(torch.equal(a, held[1]) for a, held in zip(before, rows._of_rows(), strict=True))
    assert torch.equal(cached, rows.keys[:, 1, :, :9])
    assert rows.position.tolist() == [10, 9, 10]


def test_what_is_no_sound_is_banned_but_for_the_end() -> None:
    config = loaded()[0].config.talker_config
    allowed = (~talker_model().banned).nonzero()[:, 0].tolist()
    sound = config.text_config.vocab_size - 1024
    assert allowed == [*range(sound), config.codec_eos_token_id]


def test_rows_are_taken_from_the_low_end_and_given_back_once() -> None:
    pool = Pool(3)
    assert [pool.take(), pool.take(), pool.take()] == [0, 1, 2]
    with pytest.raises(ValueError, match="all 3 rows are taken"):
        pool.take()
    pool.give(1)
    assert (pool.free(), pool.reach()) == (1, 3)
    assert pool.take() == 1
    pool.give(2)
    assert pool.reach() == 2
    with pytest.raises(KeyError):
        pool.give(2)


def test_a_shape_knows_the_bytes_of_its_rows() -> None:
    shape = Shape(rows=2, length=8, layers=3, kv_heads=2, head=4, hidden=16, codes=9, codebooks=4)
    rows = Rows.empty(shape, torch.bfloat16, torch.device("cpu"))
    held = (rows.keys, rows.values, rows.text)
    assert shape.bytes(torch.bfloat16) == sum(each.nbytes for each in held)
