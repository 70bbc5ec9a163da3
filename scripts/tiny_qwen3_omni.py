"""Writes a tiny Qwen3-Omni checkpoint of random weights, laid out as the published ones are.

python -m scripts.tiny_qwen3_omni FOLDER [--seed N] [--shards N]

It says noise, but everything is there: config, weights in shards with an index, tokenizer, chat
template, preprocessor. The same seed gives the same files, whatever transformers made the shapes.
"""

from __future__ import annotations

import argparse
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import torch
from safetensors.torch import save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast
from transformers.models.qwen3_omni_moe.modeling_qwen3_omni_moe import (
    Qwen3OmniMoeForConditionalGeneration,
)

from engine.families.qwen3_omni.checkpoint import config_of
from scripts.tiny_qwen3_config import CODE2WAV, PREPROCESSOR, ROLES, TALKER, config

SPECIAL: Final = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|audio_start|>",
    "<|audio_end|>",
    "<|audio_pad|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
    "<|video_pad|>",
    "<tts_pad>",
    "<tts_text_bos>",
    "<tts_text_eod>",
)
LOUD: Final = 6
"""How many times louder the last layer would be than sound may be."""
END: Final = 1.5
"""How much larger than a code's the logit of the end of speech is."""
TEMPLATE: Final = """\
{%- for message in messages -%}
{{ '<|im_start|>' + message.role + '\n' }}
{%- if message.content is string -%}{{ message.content }}{%- else -%}
{%- for part in message.content -%}
{%- if part.type == 'audio' -%}{{ '<|audio_start|><|audio_pad|><|audio_end|>' }}
{%- elif part.type == 'text' -%}{{ part.text }}{%- endif -%}
{%- endfor -%}{%- endif -%}{{ '<|im_end|>\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}{{ '<|im_start|>assistant\n' }}{%- endif -%}
"""


def write(folder: Path, seed: int = 0, shards: int = 3) -> Path:
    """Writes the checkpoint, a few MB, and returns its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = _tokenizer()
    settings = config({token: tokenizer.token_to_id(token) for token in (*SPECIAL, *ROLES)})
    (folder / "config.json").write_text(json.dumps(settings, indent=1) + "\n")
    _write_tokenizer(folder, tokenizer)
    (folder / "preprocessor_config.json").write_text(json.dumps(PREPROCESSOR, indent=1) + "\n")
    weights = dict(_random(_shapes(settings), seed))
    _write_shards(folder, weights, shards)
    return folder


def _tokenizer() -> Tokenizer:
    """Bytes, and the names of the roles as tokens of their own."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [(role[:at], role[at]) for role in ROLES for at in range(1, len(role))]
    pieces = dict.fromkeys([*alphabet, *(a + b for a, b in merges)])
    model = models.BPE({piece: at for at, piece in enumerate(pieces)}, merges)
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token in SPECIAL])
    return tokenizer


def _write_tokenizer(folder: Path, tokenizer: Tokenizer) -> None:
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        chat_template=TEMPLATE,
    )
    fast.save_pretrained(folder)


def _shapes(settings: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """Shape of every tensor, by the name that it has in a published checkpoint."""
    with torch.device("meta"):
        model = Qwen3OmniMoeForConditionalGeneration(config_of(settings))
    shapes: dict[str, tuple[int, ...]] = {}
    for name, value in model.state_dict().items():
        shapes.update(_published(name, tuple(value.shape)))
    return shapes


def _published(name: str, shape: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Newer modules keep the thinker's towers a level deeper, and experts as one tensor."""
    name = name.replace("thinker.model.language_model.", "thinker.model.")
    name = re.sub(r"^thinker\.model\.(audio_tower|visual)\.", r"thinker.\1.", name)
    stem, _, last = name.rpartition(".")
    if last == "gate_up_proj":
        for expert in range(shape[0]):
            for half in ("gate_proj", "up_proj"):
                yield f"{stem}.{expert}.{half}.weight", (shape[1] // 2, shape[2])
    elif last == "down_proj" and stem.endswith(".experts"):
        for expert in range(shape[0]):
            yield f"{stem}.{expert}.down_proj.weight", shape[1:]
    else:
        yield name, shape


def _random(shapes: Mapping[str, tuple[int, ...]], seed: int) -> Iterator[tuple[str, torch.Tensor]]:
    """Values large enough that every part of the model can be heard in what comes out."""
    generator = torch.Generator().manual_seed(seed)
    for name in sorted(shapes):
        shape, last = shapes[name], name.rpartition(".")[2]
        value = torch.randn(shape, generator=generator)
        if last in ("alpha", "beta", "bias"):
            value = 0.2 * value
        elif last in ("scale", "gamma") or (last == "weight" and len(shape) == 1):
            value = 0.5 + value.abs() / 4
        elif "embed" not in name:
            value = value / math.sqrt(max(1, math.prod(shape[1:])))
        yield name, _audible(name, value)


def _audible(name: str, value: torch.Tensor) -> torch.Tensor:
    """Keeps sound within its range, and makes the end of speech likely enough to come."""
    if name == f"code2wav.decoder.{len(CODE2WAV['upsample_rates']) + 2}.conv.weight":
        return value / LOUD
    if name.startswith("code2wav.decoder.") and name.endswith(".conv2.conv.weight"):
        return value / 3  # or rounding errors grow from unit to unit, unlike in a trained model
    if name == "talker.codec_head.weight":
        value[TALKER["codec_eos_token_id"]] *= END
    return value


def _write_shards(folder: Path, weights: Mapping[str, torch.Tensor], shards: int) -> None:
    names = sorted(weights)
    parts = [names[at::shards] for at in range(shards)]
    where: dict[str, str] = {}
    for number, part in enumerate(parts, 1):
        file = f"model-{number:05}-of-{shards:05}.safetensors"
        save_file({name: weights[name].contiguous() for name in part}, folder / file)
        where.update(dict.fromkeys(part, file))
    size = sum(value.numel() * value.element_size() for value in weights.values())
    index = {"metadata": {"total_size": size}, "weight_map": dict(sorted(where.items()))}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=1) + "\n")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--shards", type=int, default=3)
    given = parser.parse_args(arguments)
    print(write(given.folder, given.seed, given.shards))


if __name__ == "__main__":
    main()
