"""Writes a tiny Qwen3-Omni checkpoint of random weights, laid out as the published ones are.

python scripts/tiny_qwen3_omni.py FOLDER [--seed N] [--shards N]

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
from transformers.models.qwen3_omni_moe.configuration_qwen3_omni_moe import Qwen3OmniMoeConfig
from transformers.models.qwen3_omni_moe.modeling_qwen3_omni_moe import (
    Qwen3OmniMoeForConditionalGeneration,
)

ROLES: Final = ("system", "user", "assistant")
"""Words that must be one token each: the talker's inputs are cut at them."""
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
CODES: Final = 64
"""Entries of a codebook, where the published one has 2,048."""
LOUD: Final = 6
END: Final = 1.5
"""How much larger than a code's the logit of the end of speech is."""
SPEAKERS: Final = {"chelsie": CODES + 16, "ethan": CODES + 17, "aiden": CODES + 18}
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
    config = _config({token: tokenizer.token_to_id(token) for token in (*SPECIAL, *ROLES)})
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    _write_tokenizer(folder, tokenizer)
    (folder / "preprocessor_config.json").write_text(json.dumps(_PREPROCESSOR, indent=1) + "\n")
    weights = dict(_random(_shapes(config), seed))
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


def _config(ids: Mapping[str, int]) -> dict[str, Any]:
    audio, image = ids["<|audio_pad|>"], ids["<|image_pad|>"]
    tokens = {
        "audio_token_id": audio,
        "image_token_id": image,
        "video_token_id": ids["<|video_pad|>"],
        "audio_start_token_id": ids["<|audio_start|>"],
        "vision_start_token_id": ids["<|vision_start|>"],
        "position_id_per_seconds": 13,
    }
    return {
        "architectures": ["Qwen3OmniMoeForConditionalGeneration"],
        "model_type": "qwen3_omni_moe",
        "dtype": "float32",
        "enable_audio_output": True,
        "im_start_token_id": ids["<|im_start|>"],
        "im_end_token_id": ids["<|im_end|>"],
        "tts_pad_token_id": ids["<tts_pad>"],
        "tts_bos_token_id": ids["<tts_text_bos>"],
        "tts_eos_token_id": ids["<tts_text_eod>"],
        **{f"{role}_token_id": ids[role] for role in ROLES},
        "thinker_config": {**_THINKER, **tokens, "user_token_id": ids["user"]},
        "talker_config": {**_TALKER, **tokens},
        "code2wav_config": _CODE2WAV,
    }


_MROPE: Final = {
    "rope_type": "default",
    "rope_theta": 1_000_000,
    "mrope_section": [4, 2, 2],
    "interleaved": True,
    "mrope_interleaved": True,
}
_TEXT: Final = {
    "hidden_size": 64,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 32,
    "norm_topk_prob": True,
    "max_position_embeddings": 4096,
    "rope_parameters": _MROPE,
}
_THINKER: Final = {
    "model_type": "qwen3_omni_moe_thinker",
    "text_config": {
        **_TEXT,
        "model_type": "qwen3_omni_moe_text",
        "vocab_size": 320,
        "intermediate_size": 64,
        "num_hidden_layers": 3,
        "num_experts": 4,
    },
    "audio_config": {
        "model_type": "qwen3_omni_moe_audio_encoder",
        "num_mel_bins": 128,
        "encoder_layers": 1,
        "encoder_attention_heads": 2,
        "encoder_ffn_dim": 64,
        "d_model": 32,
        "output_dim": 64,
        "downsample_hidden_size": 8,
    },
    "vision_config": {
        "model_type": "qwen3_omni_moe_vision_encoder",
        "depth": 1,
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_heads": 2,
        "out_hidden_size": 64,
        "num_position_embeddings": 16,
        "deepstack_visual_indexes": [0],
        "spatial_merge_size": 2,
    },
}
_TALKER: Final = {
    "model_type": "qwen3_omni_moe_talker",
    "accept_hidden_layer": 2,
    "thinker_hidden_size": 64,
    "num_code_groups": 16,
    "spatial_merge_size": 2,
    "codec_pad_id": CODES + 1,
    "codec_bos_id": CODES + 2,
    "codec_eos_token_id": CODES + 3,
    "codec_nothink_id": CODES + 4,
    "codec_think_bos_id": CODES + 5,
    "codec_think_eos_id": CODES + 6,
    "speaker_id": SPEAKERS,
    "text_config": {
        **_TEXT,
        "model_type": "qwen3_omni_moe_talker_text",
        "vocab_size": CODES + 1024,
        "intermediate_size": 64,
        "shared_expert_intermediate_size": 32,
        "num_hidden_layers": 2,
        "num_local_experts": 4,
    },
    "code_predictor_config": {
        "model_type": "qwen3_omni_moe_talker_code_predictor",
        "vocab_size": CODES,
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "num_code_groups": 16,
        "max_position_embeddings": 64,
    },
}
_CODE2WAV: Final = {
    "codebook_size": CODES,
    "num_quantizers": 16,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "sliding_window": 72,
    "max_position_embeddings": 8000,
    "decoder_dim": 64,
    "upsample_rates": [8, 5, 4, 3],
    "upsampling_ratios": [2, 2],
}
_PREPROCESSOR: Final = {
    "feature_extractor_type": "WhisperFeatureExtractor",
    "image_processor_type": "Qwen2VLImageProcessor",
    "processor_class": "Qwen3OmniMoeProcessor",
    "feature_size": 128,
    "sampling_rate": 16_000,
    "hop_length": 160,
    "n_fft": 400,
    "chunk_length": 30,
    "n_samples": 480_000,
    "nb_max_frames": 3000,
    "padding_value": 0.0,
    "return_attention_mask": True,
    "patch_size": 16,
    "merge_size": 2,
    "temporal_patch_size": 2,
}


def _shapes(config: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """Shape of every tensor, by the name that it has in a published checkpoint."""
    with torch.device("meta"):
        model = Qwen3OmniMoeForConditionalGeneration(Qwen3OmniMoeConfig(**config))
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
    if name == f"code2wav.decoder.{len(_CODE2WAV['upsample_rates']) + 2}.conv.weight":
        return value / LOUD
    if name.startswith("code2wav.decoder.") and name.endswith(".conv2.conv.weight"):
        return value / 3  # or rounding errors grow from unit to unit, unlike in a trained model
    if name == "talker.codec_head.weight":
        value[_TALKER["codec_eos_token_id"]] *= END
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
