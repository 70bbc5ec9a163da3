"""Checkpoints of random weights, from a fixed seed, which the server loads as it loads any.

python -m benchmarks.serving.checkpoint real|tiny FOLDER

real: talker and code2wav at their published sizes, and of the thinker its table of embeddings,
which is all that is read of it where nothing is listened to: 7.7 GB of bfloat16. Its tokenizer has
a token for each byte, and a take ends where its text does, so that one of 150 characters is one of
150 frames, 12 s. tiny: scripts/tiny_qwen3_omni.py, whose takes end by chance.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, assert_never

import torch
from safetensors.torch import save_file
from torch import Tensor
from torch.nn import functional
from transformers.models.qwen3_omni_moe.configuration_qwen3_omni_moe import (
    Qwen3OmniMoeCode2WavConfig,
    Qwen3OmniMoeTalkerConfig,
)
from transformers.models.qwen3_omni_moe.modeling_qwen3_omni_moe import (
    Qwen3OmniMoeCode2Wav,
    Qwen3OmniMoeTalkerForConditionalGeneration,
)

from benchmarks.talker import real
from engine.families.qwen3_omni.checkpoint import without_axes
from scripts import tiny_qwen3_omni

Size: TypeAlias = Literal["real", "tiny"]
Named: TypeAlias = tuple[str, Tensor]

WEIGHTS: Final[dict[Size, str]] = {
    "real": "random weights at the published size",
    "tiny": "random weights, tiny",
}
"""In words."""
WORDS: Final = (152_064, 2048)
"""Tokens that the published thinker knows, and its width."""
TABLE: Final = "thinker.model.embed_tokens.weight"
HEAD: Final = "talker.codec_head.weight"
SHARD: Final = 2**30
"""Bytes after which a file is full."""
FAR: Final = 1e5
"""Length of the embedding of the end of the text. It outweighs whatever the layers add to it, so
that the state of the frame that is fed with it points where the head looks for the end of speech.
"""
HEED: Final = 0.5
"""Length of the head's row for the end of speech; others have 1. It gives 16 at that frame, where
the best of the others get 4, and with any other frame hardly ever one of the best 50."""


def write(size: Size, folder: Path, seed: int = 0) -> Path:
    """Writes the checkpoint and returns its folder."""
    match size:
        case "tiny":
            return tiny_qwen3_omni.write(folder, seed)
        case "real":
            return _write_real(folder, seed)
        case _:
            assert_never(size)


def _write_real(folder: Path, seed: int) -> Path:
    """Around the weights, all is as in the tiny one."""
    tiny_qwen3_omni.write(folder, seed, shards=1)
    for file in folder.glob("model*.safetensors*"):
        file.unlink()
    config = _enlarged(json.loads((folder / "config.json").read_text()))
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    talker = TalkerWeights(config, seed)
    _save(folder, chain(talker.table(), talker, _code2wav(config["code2wav_config"], seed)))
    return folder


def _enlarged(config: dict[str, Any]) -> dict[str, Any]:
    thinker = config["thinker_config"]
    vocabulary, width = WORDS
    text = {**thinker["text_config"], "vocab_size": vocabulary, "hidden_size": width}
    return {
        **config,
        "dtype": "bfloat16",
        "thinker_config": {**thinker, "text_config": text},
        "talker_config": {**config["talker_config"], **real.settings()},
        "code2wav_config": Qwen3OmniMoeCode2WavConfig().to_dict(),
    }


class TalkerWeights:
    """The talker's tensors one by one, and the thinker's table."""

    def __init__(self, config: dict[str, Any], seed: int) -> None:
        self._tile = real.tile(torch.Generator().manual_seed(seed))
        self._end_of_text = int(config["tts_eos_token_id"])
        self._end_of_speech = int(config["talker_config"]["codec_eos_token_id"])
        own = Qwen3OmniMoeTalkerConfig(**without_axes(real.settings()))
        with torch.device("meta"):
            module = Qwen3OmniMoeTalkerForConditionalGeneration(own)
        shapes = {f"talker.{name}": value.shape for name, value in module.state_dict().items()}
        self._shapes = {TABLE: torch.Size(WORDS), **shapes}
        self._numbers = {name: at for at, name in enumerate(self._shapes)}

    def table(self) -> Iterator[Named]:
        yield TABLE, self._ending()

    def __iter__(self) -> Iterator[Named]:
        for name in self._shapes:
            if name != TABLE:
                yield name, self._listening() if name == HEAD else self._made(name)

    def _made(self, name: str) -> Tensor:
        weight = torch.empty(self._shapes[name], dtype=torch.bfloat16)
        real.fill(weight, self._tile, self._numbers[name])
        return weight

    def _ending(self) -> Tensor:
        """The table, with the end of the text far from all else."""
        table = self._made(TABLE)
        table[self._end_of_text] *= FAR
        return table

    def _listening(self) -> Tensor:
        """The head, which hears the end of the text as the end of speech."""
        x = self._ending()[self._end_of_text].float()
        x = self._projected(functional.silu(self._projected(x, "linear_fc1")), "linear_fc2")
        head = self._made(HEAD)
        head[self._end_of_speech] = HEED * functional.normalize(x, dim=0)
        return head

    def _projected(self, x: Tensor, part: str) -> Tensor:
        layer = f"talker.text_projection.{part}"
        weight, bias = self._made(f"{layer}.weight"), self._made(f"{layer}.bias")
        return functional.linear(x, weight.float(), bias.float())


def _code2wav(config: dict[str, Any], seed: int) -> Iterator[Named]:
    """As transformers begins one."""
    torch.manual_seed(seed)
    module = Qwen3OmniMoeCode2Wav(Qwen3OmniMoeCode2WavConfig(**config))
    for name, value in module.state_dict().items():
        yield f"code2wav.{name}", value.to(torch.bfloat16)


def _save(folder: Path, weights: Iterable[Named]) -> None:
    """In files of about SHARD bytes, with an index."""
    where: dict[str, str] = {}
    for number, part in enumerate(_parts(weights), 1):
        file = f"model-{number:05}.safetensors"
        save_file(part, folder / file)
        where.update(dict.fromkeys(part, file))
    index = {"metadata": {}, "weight_map": where}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=1) + "\n")


def _parts(weights: Iterable[Named]) -> Iterator[dict[str, Tensor]]:
    part, size = dict[str, Tensor](), 0
    for name, value in weights:
        part[name] = value.contiguous()
        size += value.numel() * value.element_size()
        if size >= SHARD:
            yield part
            part, size = {}, 0
    if part:
        yield part


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serving.checkpoint")
    parser.add_argument("size", choices=("real", "tiny"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    print(write(given.size, given.folder, given.seed))


if __name__ == "__main__":
    main()
