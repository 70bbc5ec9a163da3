from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from engine.families.qwen3_omni.frames import KeptFrames
from engine.families.qwen3_omni.thinker_ears import positions_of, resampled
from tests.engine.arithmetic import say
from tests.engine.families.qwen3_omni.reference import (
    loaded,
)
from tests.engine.families.qwen3_omni.thinking import (
    TEXT,
    ears,
    edited,
    opened,
    parent,
    reading,
)


def test_with_ears_the_take_that_is_changed_is_heard() -> None:
    utterance = edited("hour", "day")
    (deaf,), (first,) = opened(utterance), opened(utterance, hears=True)
    sound = resampled(parent().samples, 24000, 16000)
    assert int(first.heard.sum()) == ears().positions(sound)
    assert not deaf.heard.any()
    assert isinstance(deaf.kept.frames, KeptFrames)


def test_with_ears_a_take_of_which_nothing_is_kept_is_heard_too() -> None:
    utterance = replace(say(TEXT), direction="softer", earlier=parent())
    first, _ = opened(utterance, hears=True)
    sound = resampled(parent().samples, 24000, 16000)
    assert int(first.heard.sum()) == ears().positions(sound)
    assert first.kept is None
    for deaf in (opened(utterance), opened(utterance, hears=True, plain=True)):
        assert not deaf[0].heard.any()


def test_sound_without_ears_is_refused() -> None:
    with pytest.raises(ValueError, match="can't hear"):
        reading().turns("Say it.", np.zeros(1600, np.float32))


@pytest.mark.parametrize("frames", [1, 57, 99, 100, 101, 399, 400])
def test_positions_of_sound_are_those_of_the_audio_tower(frames: int) -> None:
    model = loaded()[0].thinker
    features = torch.zeros(1, 128, frames, dtype=torch.float64)
    with torch.no_grad():
        made = model.get_audio_features(features, torch.ones(1, frames, dtype=torch.long))
    states = made.last_hidden_state if hasattr(made, "last_hidden_state") else made
    assert len(states) == positions_of(frames, model.config.audio_config.n_window)


@given(hertz=st.integers(100, 6500), count=st.integers(0, 20_000))
def test_resampling_keeps_a_tone(hertz: int, count: int) -> None:
    tone = (20000 * np.sin(2 * np.pi * hertz * np.arange(count) / 24000)).astype(np.int16)
    made = resampled(tone, 24000, 16000)
    assert len(made) == count * 2 // 3
    expected = 20000 / 32768 * np.sin(2 * np.pi * hertz * np.arange(len(made)) / 16000)
    inside = slice(60, max(60, len(made) - 60))
    assert np.abs(made[inside] - expected[inside]).max(initial=0) < 0.02
