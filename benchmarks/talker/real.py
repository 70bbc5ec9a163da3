"""The talker at its published size, with weights that are random but for none of its purposes too
alike: what a step costs depends on sizes, and on how far apart the experts of rows are."""

from __future__ import annotations

from typing import Any, Final

import torch
from transformers.models.qwen3_omni_moe.configuration_qwen3_omni_moe import (
    Qwen3OmniMoeTalkerConfig,
)
from transformers.models.qwen3_omni_moe.modeling_qwen3_omni_moe import (
    Qwen3OmniMoeTalkerForConditionalGeneration,
)

from engine.families.qwen3_omni.checkpoint import without_axes

LAYERS: Final = 20
"""Of the published talker."""
_TILE: Final = 2**20
_ROPE: Final = {"rope_type": "default", "rope_theta": 1_000_000}
_TEXT: Final = {
    "hidden_size": 1024,
    "intermediate_size": 2048,
    "num_attention_heads": 16,
    "num_key_value_heads": 2,
    "head_dim": 128,
    "num_local_experts": 128,
    "num_experts_per_tok": 6,
    "norm_topk_prob": True,
    "moe_intermediate_size": 384,
    "shared_expert_intermediate_size": 768,
    "vocab_size": 3072,
    "max_position_embeddings": 65536,
    "rope_parameters": {
        **_ROPE,
        "mrope_section": [24, 20, 20],
        "interleaved": True,
        "mrope_interleaved": True,
    },
}
_PREDICTOR: Final = {
    "vocab_size": 2048,
    "hidden_size": 1024,
    "intermediate_size": 3072,
    "num_hidden_layers": 5,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "num_code_groups": 16,
    "rope_parameters": _ROPE,
}
_TALKER: Final = {
    "num_code_groups": 16,
    "thinker_hidden_size": 2048,
    "spatial_merge_size": 2,
    "accept_hidden_layer": 24,
    "codec_pad_id": 2148,
    "codec_bos_id": 2149,
    "codec_eos_token_id": 2150,
    "codec_nothink_id": 2155,
    "codec_think_bos_id": 2156,
    "codec_think_eos_id": 2157,
    "speaker_id": {"chelsie": 2301, "ethan": 2302, "aiden": 2303},
}


def settings(layers: int = LAYERS) -> dict[str, Any]:
    """Of the talker, as a checkpoint's config has them."""
    text = {**_TEXT, "num_hidden_layers": layers}
    return {"text_config": text, "code_predictor_config": _PREDICTOR, **_TALKER}


def talker(dtype: torch.dtype, layers: int = LAYERS, seed: int = 0) -> Any:
    """transformers' talker. Fewer layers than the published take less memory."""
    config = Qwen3OmniMoeTalkerConfig(**without_axes(settings(layers)))
    with torch.device("meta"):
        model = Qwen3OmniMoeTalkerForConditionalGeneration(config).to(dtype)
    model.to_empty(device="cpu")
    generator = torch.Generator().manual_seed(seed)
    values = tile(generator)
    for number, weight in enumerate(model.parameters()):
        fill(weight.data, values, number)
    for module in model.modules():
        if isinstance(getattr(module, "inv_freq", None), torch.Tensor):
            module.inv_freq = module.compute_default_rope_parameters(module.config)[0]
    return model.eval()


def tile(generator: torch.Generator) -> torch.Tensor:
    """Random values for `fill`."""
    return torch.randn(_TILE, generator=generator)


def fill(weight: torch.Tensor, tile: torch.Tensor, number: int) -> None:
    """A tile of random values over and over, each time turned by another amount: drawing three
    thousand million values would take minutes."""
    if weight.dim() == 1:
        weight.fill_(1)
        return
    values = (tile * weight.shape[-1] ** -0.5).to(weight.dtype)
    flat = weight.view(-1)
    for turn, part in enumerate(flat.split(_TILE)):
        part.copy_(values.roll(7919 * number + 17 * turn)[: len(part)])
