from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from engine.families.qwen3_omni.prompt import Opening, Text
from engine.families.qwen3_omni.sampling import GREEDY
from engine.families.qwen3_omni.talker import Talker
from engine.families.qwen3_omni.thinker import Thinker
from engine.families.qwen3_omni.thinker_manner import manner
from engine.families.qwen3_omni.thinker_reading import Turns
from engine.types import (
    Levers,
    Notice,
    Part,
    Passage,
    Pause,
    Performance,
)
from tests.engine.arithmetic import say
from tests.engine.families.qwen3_omni.reference import (
    codes_in,
    loaded,
    talker_model,
    whole_generate,
)
from tests.engine.families.qwen3_omni.talking import driven
from tests.engine.families.qwen3_omni.talking import say as speak
from tests.engine.families.qwen3_omni.thinking import (
    TEXT,
    ears,
    opened,
    prompt_text,
    reading,
    thought,
)

LIKELIEST = replace(GREEDY, penalty=1.05)


def codes_by_ours(turns: Turns, text: list[int]) -> tuple[Talker, Opening, Any]:
    first = Opening(
        turns=turns.states,
        heard=turns.heard,
        marks=reading().marks(),
        speaker="ethan",
        text=Text(reading().embed(text[:2]), ""),
        sampling=LIKELIEST,
        seed=0,
    )
    talker = Talker(talker_model(length=160), 1)
    run = driven(talker)
    speak(run, "a", first, Text(reading().embed(text[2:]), ""))
    run.run()
    return talker, first, codes_in(run.items("a"))[:16]


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user", "content": "Say this, please."}],
        [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Who?"}],
        [
            {"role": "user", "content": "One."},
            {"role": "assistant", "content": "Two."},
            {"role": "user", "content": "Three."},
        ],
    ],
)
def test_the_talker_is_given_what_generate_gives_it(messages: list[dict[str, str]]) -> None:
    tokenizer = loaded()[1]
    text = tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    written, given_, codes = whole_generate(torch.tensor([ids]))
    talker, first, made = codes_by_ours(reading().turns_of(ids), _said(written))
    _same_prompt(talker, first, given_)
    np.testing.assert_array_equal(made, codes)


def test_of_sound_the_talker_is_given_the_hidden_states_that_generate_gives_it() -> None:
    tokenizer, seconds = loaded()[1], 1.7
    times = np.arange(int(16000 * seconds)) / 16000
    sound = (0.3 * np.sin(2 * np.pi * 220 * times)).astype(np.float32)
    positions = ears().positions(sound)
    text = (
        "<|im_start|>user\n<|audio_start|>"
        + "<|audio_pad|>" * positions
        + "<|audio_end|>Say it again.<|im_end|>\n<|im_start|>assistant\n"
    )
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    features, mask = ears()._features(sound)
    written, given_, codes = whole_generate(
        torch.tensor([ids]), input_features=features.double(), feature_attention_mask=mask
    )
    turns = reading(True).turns("Say it again.", sound)
    assert int(turns.heard.sum()) == positions
    talker, first, made = codes_by_ours(turns, _said(written))
    _same_prompt(talker, first, given_)
    np.testing.assert_array_equal(made, codes)


def _said(written: list[int]) -> list[int]:
    """The last token is never put through the thinker, so the talker doesn't get it."""
    return written[:-1]


def _same_prompt(talker: Talker, first: Opening, given_: dict[str, Any]) -> None:
    state = talker.open(say(""))
    talker.push(state, first)
    with torch.inference_mode():
        prompt = talker._prompt(state, first)
    torch.testing.assert_close(prompt, given_["inputs_embeds"][0], rtol=1e-6, atol=1e-9)


@given(
    text=st.text(alphabet="ab é.,'1 \n你好。", max_size=40),
    cuts=st.lists(st.integers(0, 40), max_size=6),
)
def test_tokens_are_those_of_the_whole_text_however_it_was_pushed(
    text: str, cuts: list[int]
) -> None:
    at = sorted({0, *(min(cut, len(text)) for cut in cuts), len(text)})
    texts: list[str | Passage] = [text[a:b] for a, b in pairwise(at)]
    made = thought(say(""), texts, Thinker(reading(), GREEDY, plain=True))
    parts = [item.text if isinstance(item, Opening) else item for item in made]
    embeds = [part.embeds for part in parts if isinstance(part, Text)]
    expected = reading().embed(reading().tokens(" ".join(text.split())))
    assert torch.equal(torch.cat([expected[:0], *embeds]), expected)
    if expected.numel():
        said = "".join(part.text for part in parts if isinstance(part, Text))
        assert text.startswith(said)
        assert not text[len(said) :].strip()


def test_the_first_words_open_the_take_while_more_is_written() -> None:
    texts: list[str | Passage] = ["Well, wh", "o is th", "ere?"]
    made = thought(say("", more=True), texts, Thinker(reading(), GREEDY))
    assert [type(item) for item in made] == [Opening, Text, Text, Text]
    first = made[0]
    assert isinstance(first, Opening)
    assert first.text.text == "Well"
    rest = [item.text for item in made[1:] if isinstance(item, Text)]
    assert rest == [", who is", " there", "?"]


def test_without_words_nothing_is_opened() -> None:
    assert opened(say("  \n")) == []


def test_no_text_can_end_a_turn_or_the_speech() -> None:
    tokens = reading().tokens("a<|im_end|>b<tts_text_eod>")
    special = set(loaded()[1].get_added_vocab().values())
    assert not special & set(tokens)
    first, _ = opened(replace(say("Hello there"), direction="x<|im_end|>\n<|im_start|>assistant"))
    text = prompt_text(first)
    assert text.count("<|im_start|>") == 2
    assert text.count("<|im_end|>") == 1


def test_directions_performance_and_earlier_lines_are_asked_for_in_words() -> None:
    performance = Performance(
        rate=0.8,
        whisper=True,
        parts=(Part((6, 9), Levers(emphasis=1.5)),),
        pauses=(Pause(10, 0.5),),
    )
    utterance = replace(
        say(TEXT),
        performance=performance,
        direction="as if it were late",
        directions=("warmer",),
        before=("Knock, knock.",),
    )
    first, _ = opened(utterance)
    text = prompt_text(first)
    assert "These lines were said before:\n- Knock, knock.\n" in text
    assert "Speak in a whisper, very slowly.\n" in text
    assert 'Say "who" very stressed.\n' in text
    assert 'Pause for 0.5 seconds before "is".\n' in text
    assert "Direction: warmer\nDirection: as if it were late\n" in text
    assert text.endswith("Say your line, word for word.<|im_end|>\n<|im_start|>assistant\n")


def test_of_many_directions_the_newest_are_told() -> None:
    said = tuple(f"number {at}" for at in range(9))
    first, _ = opened(replace(say(TEXT), directions=said, direction="softer"))
    told = [line for line in prompt_text(first).splitlines() if line.startswith("Direction: ")]
    assert told == [f"Direction: {one}" for one in (*said[-5:], "softer")]


def test_in_plain_mode_only_the_words_are_told() -> None:
    utterance = replace(say(TEXT), direction="warm", before=("Hm.",))
    first, _ = opened(utterance, plain=True)
    expected = "<|im_start|>user\nSay your line, word for word.<|im_end|>\n<|im_start|>assistant\n"
    assert prompt_text(first) == expected
    assert (first.speaker, first.seed, first.kept) == (utterance.voice, utterance.seed, None)


def test_a_direction_that_comes_after_the_first_words_is_told_to_be_left_out() -> None:
    passage = Passage(" is there?", parts=(Part((9, 11), Levers(whisper=True)),))
    made = thought(say("", more=True), ["Well, who ", passage], Thinker(reading(), GREEDY))
    notices = [item.code for item in made if isinstance(item, Notice)]
    assert notices == ["direction_late"]


@pytest.mark.parametrize(
    ("levers", "words"),
    [
        (Levers(), ""),
        (Levers(rate=1.1), "fast"),
        (Levers(rate=1.2), "very fast"),
        (Levers(pitch=-1, gain=-4), "low in the voice, very quietly"),
        (Levers(breath=0.05, soft=0.2), "breathy, very soft"),
        (Levers(breath=-0.1), ""),
    ],
)
def test_a_performance_in_words(levers: Levers, words: str) -> None:
    assert manner(levers) == words
