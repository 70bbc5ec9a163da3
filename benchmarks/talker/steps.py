"""Times steps of the talker, ours and transformers'."""

from __future__ import annotations

import time
import warnings
from typing import Any, Final

import torch

from engine.families.qwen3_omni.cache import Rows
from engine.families.qwen3_omni.sampling import Sampling
from engine.families.qwen3_omni.talker_model import SPECIAL, TalkerModel

POSITION: Final = 100
"""At which all rows are: a few seconds into their takes."""
LENGTH: Final = 256
PROMPT: Final = 40


class Ours:
    """All rows active, each with its own seed, drawn as takes are."""

    def __init__(self, talker: Any, rows: int) -> None:
        self._model = TalkerModel.of(talker, LENGTH)
        with torch.inference_mode():
            self._rows = Rows.empty(self._model.shape(rows), self._model.dtype, self._model.device)
            self._pad = torch.zeros_like(self._rows.hidden[0])
            for row in range(rows):
                self._rows.begin(row, Sampling(), row, 0)

    @torch.inference_mode()
    def seconds(self, count: int) -> float:
        """Of one step of `count` rows."""
        rows = self._rows
        generator = torch.Generator().manual_seed(count)
        rows.hidden.copy_(torch.randn(rows.hidden.shape, generator=generator))
        rows.first.copy_(torch.arange(len(rows.first)))
        rows.position.fill_(POSITION)
        rows.over.fill_(False)
        rows.active.fill_(False)
        rows.active[:count] = True
        begun = time.perf_counter()
        self._model.step(rows, count, 2 * (POSITION // 64 * 64), self._pad)
        return time.perf_counter() - begun


class Theirs:
    """transformers' `generate` of one row, by the frame; it never ends, and draws as ours."""

    def __init__(self, talker: Any) -> None:
        self._talker = talker

    def seconds(self, frames: int) -> float:
        """Of one of `frames` frames, the prompt not counted in."""
        return (self._whole(frames + 1) - self._whole(1)) / frames

    def _whole(self, tokens: int) -> float:
        config = self._talker.config
        width, codes = config.text_config.hidden_size, config.text_config.vocab_size
        dtype = self._talker.dtype
        prompt = torch.randn(1, PROMPT, width, generator=torch.Generator().manual_seed(0))
        begun = time.perf_counter()
        with warnings.catch_warnings(), torch.inference_mode():
            warnings.simplefilter("ignore")
            self._talker.generate(
                inputs_embeds=prompt.to(dtype),
                trailing_text_hidden=torch.zeros(1, 1, width, dtype=dtype),
                tts_pad_embed=torch.zeros(1, 1, width, dtype=dtype),
                talker_input_ids=torch.zeros(1, PROMPT, dtype=torch.long),
                attention_mask=torch.ones(1, PROMPT, dtype=torch.long),
                max_new_tokens=tokens,
                do_sample=True,
                top_k=50,
                top_p=1.0,
                temperature=0.9,
                repetition_penalty=1.05,
                eos_token_id=config.codec_eos_token_id,
                suppress_tokens=list(range(codes - SPECIAL, codes)),
                output_hidden_states=True,
                return_dict_in_generate=True,
            )
        return time.perf_counter() - begun
