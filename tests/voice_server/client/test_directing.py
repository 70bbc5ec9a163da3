"""Directing, editing and keeping by both twins, against a real server."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.types import Int16
from tests import arithmetic
from tests.voice_server.client.conftest import Connect
from voice_server.client import RequestRefused

LINE = "Please come and see me on Monday at the old mill"
WORDS = LINE.split()


async def made(session: Any, text: str = LINE) -> Any:
    """A take that is done."""
    take = await session.speak(text, voice="high", seed=3)
    await take.result()
    return take


async def same_outside(parent: Int16, take: Any) -> bool:
    """Whether the take is the parent's sound but for the one span that it says is changed."""
    done = await take.result()
    (span,) = done.changed
    heard = await take.pcm()
    start, end = (round(at * arithmetic.RATE / 1000) for at in (span.start_ms, span.end_ms))
    after = len(heard) - end
    before = np.array_equal(heard[:start], parent[:start])
    return before and np.array_equal(heard[end:], parent[len(parent) - after :])


async def test_a_direction_is_a_new_take_of_the_same_line(able: str, twin: Connect) -> None:
    async with twin(able) as session:
        take = await made(session)
        slower = await take.direct("much slower")
        await slower.result()
    assert (slower.kind, slower.parent) == ("directed", take.id)
    assert (slower.line_id, slower.text, slower.voice) == (take.line_id, LINE, "high")
    assert slower.started.direction == "much slower"
    assert slower.performance.rate < 1
    (moved,) = slower.moved
    assert moved.levers["rate"] == (1.0, slower.performance.rate)


async def test_directions_add_up_and_any_take_can_be_the_parent(able: str, twin: Connect) -> None:
    async with twin(able) as session:
        first = await made(session)
        second = await first.direct("slower")
        await second.result()
        third = await session.direct(second.id, "slower")
        await third.result()
        again = await session.direct(first.id, "slower")
        await again.result()
    assert third.performance.rate < second.performance.rate < 1
    assert again.performance == second.performance
    assert again.parent == first.id


async def test_a_direction_that_says_nothing_to_us_is_refused_with_its_words(
    able: str, twin: Connect
) -> None:
    async with twin(able) as session:
        take = await made(session)
        with pytest.raises(RequestRefused, match="qwertyish") as refused:
            await take.direct("more qwertyish")
    assert refused.value.code == "direction_not_understood"


async def test_an_edit_changes_what_it_says_and_nothing_else(able: str, twin: Connect) -> None:
    async with twin(able, format="pcm16") as session:
        take = await session.speak(LINE, voice="high", seed=3)
        parent = await take.pcm()
        edited = await take.edit(LINE.replace("Monday", "Thursday"))
        assert (edited.kind, edited.parent) == ("edited", take.id)
        assert "Thursday" in edited.text
        assert await same_outside(parent, edited)
        assert [word.text for word in edited.words] == [
            "Thursday" if word == "Monday" else word for word in WORDS
        ]


async def test_words_are_changed_by_their_numbers(able: str, twin: Connect) -> None:
    async with twin(able, format="pcm16") as session:
        take = await session.speak(LINE, voice="high", seed=3)
        parent = await take.pcm()
        at = WORDS.index("old")
        edited = await session.edit(take.id, changes=[((at, at + 1), "broken wind")])
        assert edited.text == LINE.replace("old", "broken wind")
        assert await same_outside(parent, edited)


async def test_an_edit_that_changes_nothing_is_refused(able: str, twin: Connect) -> None:
    async with twin(able) as session:
        take = await made(session)
        with pytest.raises(RequestRefused) as refused:
            await take.edit(LINE)
    assert (refused.value.code, refused.value.field) == ("bad_edit", "text")


async def test_a_take_is_kept_and_an_earlier_one_instead(able: str, twin: Connect) -> None:
    async with twin(able) as session:
        take = await made(session)
        slower = await take.direct("slower")
        await slower.result()
        assert (await slower.keep()).take_id == slower.id
        kept = await session.keep(take.id)
        assert (kept.take_id, kept.line_id) == (take.id, take.line_id)


@pytest.mark.parametrize("ask", ["direct", "edit", "keep"])
async def test_a_take_that_is_not_there_is_refused_by_name(
    able: str, twin: Connect, ask: str
) -> None:
    given = {"direct": ["softer"], "edit": ["other words"], "keep": []}[ask]
    async with twin(able) as session:
        with pytest.raises(RequestRefused) as refused:
            await getattr(session, ask)("take-of-nobody", *given)
    assert refused.value.code == "unknown_take"


async def test_a_take_that_is_still_made_is_refused_and_goes_on(able: str, twin: Connect) -> None:
    async with twin(able, lead_ms=100) as session:
        take = await session.speak(" ".join([LINE] * 40))
        with pytest.raises(RequestRefused) as refused:
            await take.direct("softer")
        assert refused.value.code == "wrong_state"
        await take.cancel()
