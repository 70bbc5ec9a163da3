"""A checkpoint is read tensor by tensor; one that is wrong is an error that names the tensor."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import Qwen3OmniMoeForConditionalGeneration
from transformers.models.qwen3_omni_moe import modeling_qwen3_omni_moe as modeling

from engine.errors import ModelDamaged, ModelMissing
from engine.families.qwen3_omni.checkpoint import Checkpoint
from engine.families.qwen3_omni.reader import Place, Reader

PLACE = Place(torch.device("cpu"), torch.float32)
INDEX = "model.safetensors.index.json"
BIAS = "code2wav.decoder.0.conv.bias"
EXPERT = "talker.model.layers.1.mlp.experts.2.up_proj.weight"


def makers(config: Any) -> dict[str, Callable[[], Any]]:
    return {
        "thinker": lambda: modeling.Qwen3OmniMoeThinkerForConditionalGeneration(
            config.thinker_config
        ),
        "talker": lambda: modeling.Qwen3OmniMoeTalkerForConditionalGeneration(config.talker_config),
        "code2wav": lambda: modeling.Qwen3OmniMoeCode2Wav(config.code2wav_config),
    }


@pytest.fixture
def copy(tiny: Path, tmp_path: Path) -> Path:
    """A checkpoint to be spoilt."""
    return Path(shutil.copytree(tiny, tmp_path / "copy"))


def change(folder: Path, name: str, to: Callable[[torch.Tensor], torch.Tensor | None]) -> None:
    """Puts another tensor in the place of one, or none."""
    index = json.loads((folder / INDEX).read_text())
    file = folder / index["weight_map"][name]
    tensors = load_file(file)
    value = to(tensors.pop(name))
    if value is None:
        del index["weight_map"][name]
    else:
        tensors[name] = value
    save_file(tensors, file)
    (folder / INDEX).write_text(json.dumps(index))


def talker(folder: Path) -> Any:
    checkpoint = Checkpoint.open(str(folder))
    with Reader(checkpoint, PLACE) as reader:
        return reader.module(makers(checkpoint.config())["talker"], "talker.")


def bias(folder: Path) -> torch.Tensor:
    with Reader(Checkpoint.open(str(folder)), PLACE) as reader:
        return reader.read(BIAS, (64,))


@pytest.mark.parametrize("part", ["thinker", "talker", "code2wav"])
def test_a_part_alone_is_as_transformers_loads_the_whole(tiny: Path, part: str) -> None:
    theirs = getattr(Qwen3OmniMoeForConditionalGeneration.from_pretrained(tiny), part)
    checkpoint = Checkpoint.open(str(tiny))
    with Reader(checkpoint, PLACE) as reader:
        ours = reader.module(makers(checkpoint.config())[part], f"{part}.")
    pairs = [(dict(m.state_dict()) | dict(m.named_buffers())) for m in (ours, theirs)]
    assert pairs[0].keys() == pairs[1].keys()
    assert all(torch.equal(pairs[0][name], pairs[1][name]) for name in pairs[0])


def test_one_file_without_an_index_will_do(tiny: Path, tmp_path: Path) -> None:
    shards = sorted(tiny.glob("model-*.safetensors"))
    save_file(
        {n: v for file in shards for n, v in load_file(file).items()},
        tmp_path / "model.safetensors",
    )
    shutil.copy(tiny / "config.json", tmp_path)
    assert torch.equal(bias(tmp_path), bias(tiny))


@pytest.mark.parametrize("name", [BIAS, "talker.model.codec_embedding.weight"])
def test_what_was_read_is_in_memory(copy: Path, name: str) -> None:
    """And no longer in the file, which is written over here."""
    checkpoint = Checkpoint.open(str(copy))
    header = checkpoint.tensors[name]
    expected = load_file(header.file)[name].clone()
    with Reader(checkpoint, PLACE) as reader:
        value = reader.read(name, header.shape)
        with header.file.open("r+b") as file:
            file.write(bytes(header.file.stat().st_size))
        assert torch.equal(value, expected)


def test_it_can_be_passed_to_another_process(tiny: Path) -> None:
    checkpoint = Checkpoint.open(str(tiny))
    again = pickle.loads(pickle.dumps(checkpoint))
    assert (again.folder, again.tensors) == (checkpoint.folder, checkpoint.tensors)
    assert checkpoint.has("code2wav.")
    assert not checkpoint.has("vocoder.")
    assert checkpoint.bytes_of(BIAS, torch.bfloat16) == 128


@pytest.mark.parametrize("name", [BIAS, EXPERT])
def test_a_missing_tensor_is_named(copy: Path, name: str) -> None:
    change(copy, name, lambda _: None)
    with pytest.raises(ModelDamaged, match=f"{name}: missing"):
        bias(copy) if name == BIAS else talker(copy)


@pytest.mark.parametrize("name", [BIAS, EXPERT])
def test_a_tensor_of_another_shape_is_named(copy: Path, name: str) -> None:
    change(copy, name, lambda value: value[:-1].contiguous())
    with pytest.raises(ModelDamaged, match=rf"{name}: shape \[\d+.*\], expected \["):
        bias(copy) if name == BIAS else talker(copy)


def test_a_tensor_of_whole_numbers_is_named(copy: Path) -> None:
    change(copy, BIAS, lambda value: value.to(torch.int64))
    with pytest.raises(ModelDamaged, match=f"{BIAS}: dtype I64"):
        bias(copy)


def test_a_tensor_that_the_index_puts_elsewhere_is_named(copy: Path) -> None:
    index = json.loads((copy / INDEX).read_text())
    files = sorted(set(index["weight_map"].values()))
    index["weight_map"][BIAS] = next(f for f in files if f != index["weight_map"][BIAS])
    (copy / INDEX).write_text(json.dumps(index))
    with pytest.raises(ModelDamaged, match=f"{BIAS}: the index says"):
        Checkpoint.open(str(copy))


def test_a_shard_that_is_not_there_is_named(copy: Path) -> None:
    file = sorted(copy.glob("model-*.safetensors"))[1]
    file.unlink()
    with pytest.raises(ModelMissing, match=file.name):
        Checkpoint.open(str(copy))


def test_a_shard_that_was_cut_off_is_named(copy: Path) -> None:
    file = sorted(copy.glob("model-*.safetensors"))[1]
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(ModelDamaged, match=file.name):
        Checkpoint.open(str(copy))


@pytest.mark.parametrize("config", ["{", '{"model_type": "llama"}', "[]"])
def test_a_config_of_something_else_is_refused(copy: Path, config: str) -> None:
    (copy / "config.json").write_text(config)
    with pytest.raises(ModelDamaged, match=r"config\.json: not Qwen3-Omni's"):
        Checkpoint.open(str(copy)).config()


def test_a_model_that_does_not_speak_is_refused(copy: Path) -> None:
    told = json.loads((copy / "config.json").read_text())
    del told["talker_config"]
    (copy / "config.json").write_text(json.dumps(told))
    with pytest.raises(ModelDamaged, match=r"config\.json: no talker_config"):
        Checkpoint.open(str(copy)).config()


def test_a_folder_without_config_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=r"no config\.json"):
        Checkpoint.open(str(tmp_path))


def test_neither_folder_nor_hub_id(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="no such folder"):
        Checkpoint.open(str(tmp_path / "nothing" / "at" / "all"))
