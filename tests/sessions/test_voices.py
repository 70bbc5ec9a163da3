"""Voices are found as people write them, and near ones are offered."""

from __future__ import annotations

import pytest

from sessions import voices
from sessions.errors import UnknownVoice
from tests.sessions.scripted import VOICES


@pytest.mark.parametrize("name", ["af_heart", "AF_HEART", "Heart", "heart"])
def test_a_voice_is_found_by_id_and_by_name(name: str) -> None:
    assert voices.find(VOICES, name) == "af_heart"


def test_a_misspelt_voice_gets_those_near_it() -> None:
    with pytest.raises(UnknownVoice, match="near it are bf_emma") as caught:
        voices.find(VOICES, "bf_ema")
    assert caught.value.field == "voice"


def test_a_voice_like_no_other_gets_some_that_there_are() -> None:
    with pytest.raises(UnknownVoice, match="some that there are: af_heart"):
        voices.find(VOICES, "zzzzzz")
