"""What the tiny Qwen3-Omni checkpoint says of itself: config and preprocessor, laid out as the
published ones are, with the same keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

ROLES: Final = ("system", "user", "assistant")
"""Words that must be one token each: the talker's inputs are cut at them."""
CODES: Final = 64
"""Entries of a codebook, where the published one has 2,048."""
SPEAKERS: Final = {"chelsie": CODES + 16, "ethan": CODES + 17, "aiden": CODES + 18}

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
TALKER: Final = {
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
CODE2WAV: Final = {
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
PREPROCESSOR: Final = {
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


def config(ids: Mapping[str, int]) -> dict[str, Any]:
    """What is in config.json. ids: of the special tokens and of the roles' names."""
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
        "talker_config": {**TALKER, **tokens},
        "code2wav_config": CODE2WAV,
    }
