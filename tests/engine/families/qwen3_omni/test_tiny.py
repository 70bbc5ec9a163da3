"""The tiny checkpoint is one that transformers takes whole, and always the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from transformers import AutoTokenizer, Qwen3OmniMoeForConditionalGeneration

from scripts.tiny_qwen3_omni import ROLES, write


def test_the_same_seed_writes_the_same_files(tiny: Path, tmp_path: Path) -> None:
    again = write(tmp_path / "again")
    other = write(tmp_path / "other", seed=1)
    files = sorted(file.name for file in tiny.iterdir())
    assert sorted(file.name for file in again.iterdir()) == files
    assert all((tiny / name).read_bytes() == (again / name).read_bytes() for name in files)
    weights = [name for name in files if name.endswith(".safetensors")]
    assert all((tiny / name).read_bytes() != (other / name).read_bytes() for name in weights)
    assert sum(file.stat().st_size for file in tiny.iterdir()) < 6_000_000


def test_transformers_finds_every_tensor(tiny: Path) -> None:
    _, found = Qwen3OmniMoeForConditionalGeneration.from_pretrained(tiny, output_loading_info=True)
    assert not any(found[key] for key in ("missing_keys", "unexpected_keys", "mismatched_keys"))


@pytest.mark.parametrize("role", ROLES)
def test_roles_are_one_token_each(tiny: Path, role: str) -> None:
    tokenizer = AutoTokenizer.from_pretrained(tiny)
    assert len(tokenizer.encode(role)) == 1
    assert tokenizer.decode(tokenizer.encode(f"the {role} says été")) == f"the {role} says été"
