from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from engine.families.qwen3_omni.prompt import Unchanged
from engine.scores import BadScore
from engine.types import (
    Change,
)
from tests.engine.arithmetic import say
from tests.engine.families.qwen3_omni.thinking import (
    TEXT,
    edited,
    opened,
    parent,
    reading,
)


def test_an_edited_take_goes_on_from_the_frames_before_the_change() -> None:
    (first,) = opened(edited("hour", "late hour"))
    kept = first.kept
    assert kept is not None
    # "this" ends in frame 30; four frames and an eighth of 30 before that are sure.
    assert (kept.frames.start, kept.frames.end) == (0, 23)
    assert kept.codes.shape == (23, 16)
    assert [word.text for word in kept.frames.words] == ["Well,", "who", "is", "there"]
    assert all(word.end <= 23 for word in kept.frames.words)
    assert kept.chars == TEXT.index("there") + len("there")
    assert torch.equal(first.text.embeds, reading().embed(reading().tokens(first.text.text)))
    assert first.text.text == TEXT.replace("hour", "late hour")


def test_a_change_at_the_beginning_keeps_nothing() -> None:
    (first,) = opened(edited("Well", "So"))
    assert first.kept is None


def test_a_word_that_the_change_touches_is_made_again() -> None:
    end = TEXT.index("there") + len("there")
    change = Change((end, end), (end, end + 1))
    text = TEXT[:end] + "s" + TEXT[end:]
    (first,) = opened(replace(say(text), parent=parent(), changes=(change,)))
    assert first.kept is not None
    assert "there" not in [word.text for word in first.kept.frames.words]


def test_without_a_change_all_is_the_parents() -> None:
    (only,) = opened(replace(say(TEXT), parent=parent()))
    assert isinstance(only, Unchanged)
    assert (only.frames.start, only.frames.end) == (0, 40)
    assert [word.text for word in only.frames.words] == TEXT.split()


def test_a_parent_of_another_family_is_refused() -> None:
    score = replace(parent().scores[0], notes=b"something else")
    with pytest.raises(BadScore, match="not made by this family"):
        opened(replace(edited("hour", "day"), parent=replace(parent(), scores=(score,))))
