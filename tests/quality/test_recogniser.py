"""The server's own recogniser hears words, and the same ones each time."""

import pytest

from benchmarks import texts
from tests.engine.families.embedded.conftest import fast, prepared  # noqa: F401
from tests.engine.families.embedded.driving import sound, utterance

pytestmark = pytest.mark.long


async def test_it_hears_what_is_said(fast):  # noqa: F811
    from sessions.hearing.comparing import compared
    from sessions.hearing.recogniser import Moonshine, installed

    assert installed()
    async with Moonshine() as judge:
        judge._load()
        assert judge.ready
        heard = []
        for text in texts.PLAIN[:4]:
            spoken = sound(fast.speak(utterance(text)))
            once, twice = [await judge.hear(spoken, 24_000) for _ in range(2)]
            assert once == twice
            heard.append(compared("", text, once, judge.normalise).right)
    assert sum(heard) >= 3
