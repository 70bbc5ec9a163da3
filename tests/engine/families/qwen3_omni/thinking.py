"""A thinker of the tiny checkpoint, and takes for it to go on from."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from transformers import WhisperFeatureExtractor

from engine.families.qwen3_omni.frames import FRAME, LATE, pack
from engine.families.qwen3_omni.prompt import Opening, TalkerInput
from engine.families.qwen3_omni.sampling import GREEDY
from engine.families.qwen3_omni.thinker import Thinker
from engine.families.qwen3_omni.thinker_ears import Ears
from engine.families.qwen3_omni.thinker_reading import PromptIds, Reading
from engine.types import (
    Change,
    ClauseScore,
    Notice,
    Parent,
    Passage,
    Performance,
    Utterance,
    Word,
)
from tests.engine.arithmetic import say
from tests.engine.families.qwen3_omni.reference import (
    loaded,
)

TEXT = "Well, who is there at this hour?"


@cache
def ears() -> Ears:
    model = loaded()[0]
    extractor = WhisperFeatureExtractor(feature_size=128, return_attention_mask=True)
    return Ears(model.thinker, extractor, model.config.talker_config.accept_hidden_layer)


@cache
def reading(hears: bool = False) -> Reading:
    model, tokenizer = loaded()
    table = model.thinker.get_input_embeddings().weight.detach()
    ids = PromptIds.of(model.config)
    return Reading(tokenizer, table, ids, ears() if hears else None)


def opened(utterance: Utterance, *, plain: bool = False, hears: bool = False) -> list[Any]:
    """All that a thinker makes of an utterance whose text is whole."""
    return thought(utterance, [utterance.text], Thinker(reading(hears), GREEDY, plain=plain))


def thought(
    utterance: Utterance, texts: list[str | Passage], thinker: Thinker
) -> list[TalkerInput | Notice]:
    state = thinker.open(utterance)
    made: list[TalkerInput | Notice] = []
    for text in texts:
        thinker.push(state, text)
        while (item := thinker.step(state)) is not None:
            made.append(item)
    thinker.end(state)
    while (item := thinker.step(state)) is not None:
        made.append(item)
    thinker.close(state)
    return made


def prompt_text(first: Opening) -> str:
    """What the turns of an opening read, found again by their embeddings."""
    tokenizer = loaded()[1]
    table = reading().embed(range(len(tokenizer)))
    ids = (first.turns[:, None] - table).abs().sum(-1).argmin(-1)
    text: str = tokenizer.decode(ids)
    return text


def sample(frame: int) -> int:
    return FRAME * frame - LATE


@cache
def parent() -> Parent:
    """A take of 40 frames; its words last four or so frames each."""
    words = TEXT.split()
    spans = [(at := TEXT.index(word), at + len(word)) for word in words]
    marks = tuple(
        Word(i, word, sample(5 * i + 1), sample(5 * i + 5), spans[i])
        for i, word in enumerate(words)
    )
    codes = np.arange(40 * 16).reshape(40, 16) % 64
    score = ClauseScore((0, len(TEXT)), 0, sample(40), marks, pack(codes))
    sound = (3000 * np.sin(np.arange(sample(40)) / 20)).astype(np.int16)
    return Parent(TEXT, sound, (score,), Performance())


def edited(old: str, new: str) -> Utterance:
    at = TEXT.index(old)
    text = TEXT.replace(old, new)
    change = Change((at, at + len(old)), (at, at + len(new)))
    return replace(say(text), parent=parent(), changes=(change,))
