"""Sessions that are left and gone on with later, by both twins, against a real server."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from tests import arithmetic
from tests.patience import PATIENCE_S
from tests.voice_server.client.conftest import Connect, settings
from voice_server import local
from voice_server.client import ConnectFailed, RequestRefused, Ticket

LINE = "Please come and see me on Monday at the old mill"


async def left(url: str, twin: Connect) -> tuple[Ticket, str]:
    """A session that was left with a take, and the take's id."""
    async with twin(url, leave=True) as session:
        take = await session.speak(LINE, speaker="HERO", voice="high", seed=3)
        await take.result()
        return session.ticket, take.id


async def test_a_session_that_was_left_is_gone_on_with(able: str, twin: Connect) -> None:
    ticket, take_id = await left(able, twin)
    async with twin(able, resume=ticket) as session:
        assert session.id == ticket.session_id
        edited = await session.edit(take_id, LINE.replace("Monday", "Friday"))
        await edited.result()
        assert (edited.parent, edited.speaker, edited.voice) == (take_id, "HERO", "high")
        renewed = session.ticket
    for old in (ticket, renewed):  # It was ended for good: by then nothing is left of it.
        with pytest.raises(ConnectFailed, match=f"{ticket.session_id} is over"):
            async with twin(able, resume=old):
                pytest.fail("it should be over")


async def test_a_session_that_is_not_left_is_forgotten(able: str, twin: Connect) -> None:
    async with twin(able) as session:
        ticket = session.ticket
    with pytest.raises(ConnectFailed, match="is over"):
        async with twin(able, resume=ticket):
            pytest.fail("it should be over")


@pytest.fixture
def alone() -> Iterator[str]:
    """A server of the test's own: one that sends files keeps threads for a while."""
    with local.running(settings(), lambda _: arithmetic.load(can=arithmetic.EVERYTHING)) as url:
        yield url


async def test_a_session_is_gone_on_with_from_its_file(alone: str, twin: Connect) -> None:
    ticket, take_id = await left(alone, twin)
    saved = fetched(f"{alone}v1/sessions/{ticket.session_id}?sound=embedded")
    ticket = Ticket(**json.loads(fetched(f"{alone}v1/sessions", saved)))
    async with twin(alone, resume=ticket) as session:
        with pytest.raises(RequestRefused):  # The file's session is there still: this is a copy.
            await session.edit(take_id, "Please go")
        stored: Any = json.loads(fetched(f"{alone}v1/sessions/{session.id}"))
        ((copy,),) = [line["takes"] for line in stored["session"]["lines"]]
        slower = await session.direct(copy["id"], "slower")
        await slower.result()
        assert (slower.parent, slower.text) == (copy["id"], LINE)


def fetched(url: str, data: bytes | None = None) -> bytes:
    with urllib.request.urlopen(url, data, timeout=PATIENCE_S) as answer:
        found: bytes = answer.read()
        return found
