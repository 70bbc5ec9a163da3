"""transformers' own model of the tiny checkpoint, and what it says of a talker's input."""

from __future__ import annotations

import random
import tempfile
import warnings
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers import AutoTokenizer, Qwen3OmniMoeForConditionalGeneration
from transformers.utils import logging

from engine.families.qwen3_omni.frames import CodeFrames, Codes
from engine.families.qwen3_omni.prompt import Opening, Text
from engine.families.qwen3_omni.sampling import GREEDY, Sampling
from engine.families.qwen3_omni.talker_model import SPECIAL, TalkerModel
from scripts.tiny_qwen3_omni import write

LENGTH = 96
"""Positions of a row in these tests."""


@cache
def loaded(dtype: torch.dtype = torch.float64) -> tuple[Any, Any]:
    """Model and tokenizer. Experts are transformers' plain loop: the others lack float64."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # it leaves a thread
        write(Path(folder))
        model = Qwen3OmniMoeForConditionalGeneration.from_pretrained(
            folder, dtype=dtype, experts_implementation="eager"
        )
        return model.eval(), AutoTokenizer.from_pretrained(folder)


@cache
def talker_model(dtype: torch.dtype = torch.float64, length: int = LENGTH) -> TalkerModel:
    return TalkerModel.of(loaded(dtype)[0].talker, length)


def embedded(model: Any, ids: Sequence[int]) -> Tensor:
    table: Tensor = model.thinker.get_input_embeddings().weight.detach()
    return table[torch.tensor(ids)]


def marks(model: Any) -> Tensor:
    c = model.config
    return embedded(model, [c.tts_bos_token_id, c.tts_eos_token_id, c.tts_pad_token_id])


def opening(
    seed: int, sampling: Sampling = GREEDY, dtype: torch.dtype = torch.float64
) -> tuple[Opening, Text]:
    """Random turns and text of some tokens; what is known at the opening, and what follows."""
    model, rng = loaded(dtype)[0], random.Random(seed)
    turns = embedded(model, [rng.randrange(256) for _ in range(rng.randint(4, 16))])
    text = embedded(model, [rng.randrange(256) for _ in range(rng.randint(1, 9))])
    known = rng.randint(1, len(text))
    first = Opening(
        turns=turns,
        heard=torch.zeros(len(turns), dtype=torch.bool),
        marks=marks(model),
        speaker=rng.choice(sorted(model.config.talker_config.speaker_id)),
        text=Text(text[:known], "Well, "),
        sampling=sampling,
        seed=seed,
    )
    return first, Text(text[known:], "who is there?")


def prompt_of(model: Any, first: Opening, text: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Prompt, trailing text and pad as transformers' `generate` makes them, by its own methods."""
    config, talker = model.config.talker_config, model.talker
    with torch.no_grad():
        begin, end, pad = talker.text_projection(first.marks)[:, None, None]
        user = torch.where(
            first.heard[:, None],
            talker.hidden_projection(first.turns),
            talker.text_projection(first.turns),
        )
        # The method takes the assistant's three opening tokens and the text; the first three of
        # what it makes are those of the turns, which `turns` has at its end.
        whole = torch.cat((first.turns[-3:], text))[None]
        speaker = config.speaker_id[first.speaker]
        made, _, trailing = model._get_talker_assistant_parts(
            0, whole.shape[1], speaker, whole, pad, begin, end
        )
    return torch.cat((user[:-3], made[0])), trailing[0], pad[0, 0]


def generated(first: Opening, rest: Text, frames: int, dtype: torch.dtype) -> Codes:
    """Codes [frames or fewer, codebooks] by transformers' `generate`, the likeliest of each."""
    model = loaded(dtype)[0]
    prompt, trailing, pad = prompt_of(model, first, torch.cat((first.text.embeds, rest.embeds)))
    config = model.config.talker_config
    codes, end = config.text_config.vocab_size, config.codec_eos_token_id
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        made = model.talker.generate(
            inputs_embeds=prompt[None],
            trailing_text_hidden=trailing[None],
            tts_pad_embed=pad[None, None],
            talker_input_ids=torch.zeros(1, len(prompt), dtype=torch.long),
            attention_mask=torch.ones(1, len(prompt), dtype=torch.long),
            max_new_tokens=frames + 1,
            do_sample=False,
            eos_token_id=end,
            repetition_penalty=first.sampling.penalty,
            suppress_tokens=[at for at in range(codes - SPECIAL, codes) if at != end],
            output_hidden_states=True,
            return_dict_in_generate=True,
        )
    steps = [codes[0].numpy() for _, codes in made.hidden_states if codes is not None]
    return np.stack(steps) if steps else np.empty((0, 16), np.int64)


def codes_in(items: Sequence[object]) -> Codes:
    """All codes of a talker's output."""
    parts = [item.codes for item in items if isinstance(item, CodeFrames)]
    return np.concatenate([np.empty((0, 16), np.int64), *parts])


def whole_generate(ids: Tensor, **sound: Tensor) -> tuple[list[int], dict[str, Any], Codes]:
    """transformers' own whole `generate` of a prompt [1, n], the likeliest of everything: the
    tokens that its thinker wrote, what it gave its talker, and the codes."""
    model = loaded()[0]
    given: dict[str, Any] = {}
    real = model.talker.generate

    def watched(**arguments: Any) -> Any:
        given.update(arguments)
        given["made"] = real(**arguments)
        return given["made"]

    model.talker.generate = watched
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sequences, _ = model.generate(
                ids,
                speaker="Ethan",
                thinker_max_new_tokens=9,
                thinker_do_sample=False,
                talker_do_sample=False,
                talker_max_new_tokens=17,
                talker_repetition_penalty=1.05,
                **sound,
            )
    finally:
        del model.talker.generate
    steps = [codes[0].numpy() for _, codes in given["made"].hidden_states if codes is not None]
    return sequences[0, ids.shape[1] :].tolist(), given, np.stack(steps)
