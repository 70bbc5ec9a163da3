"""Order is kept, stale items die, and a full queue holds its posters back."""

from __future__ import annotations

import asyncio

from engine.types import Epoch
from sessions.events import Event, Warned
from sessions.outbox import Outbox


def event(name: str) -> Event:
    return Warned(name, name)


async def read(outbox: Outbox) -> list[str]:
    outbox.close()
    codes = []
    while (got := await outbox.get()) is not None:
        assert isinstance(got, Warned)
        codes.append(got.code)
    return codes


async def test_what_is_queued_of_a_revoked_epoch_is_dropped_and_the_rest_keeps_its_order() -> None:
    outbox = Outbox(bound=10)
    one, two = Epoch(1), Epoch(2)
    outbox.begin(one)
    outbox.begin(two)
    for name, epoch in (("a", None), ("b", one), ("c", two), ("d", one), ("e", None)):
        outbox.post(event(name), epoch)
    outbox.revoke(one)
    outbox.post(event("late"), one)
    assert outbox.live == 1
    assert await read(outbox) == ["a", "c", "e"]


async def test_what_is_queued_of_an_ended_epoch_is_still_told() -> None:
    outbox = Outbox(bound=10)
    outbox.begin(Epoch(1))
    outbox.post(event("a"), Epoch(1))
    outbox.end(Epoch(1))
    outbox.post(event("late"), Epoch(1))
    assert await read(outbox) == ["a"]


async def test_a_full_queue_holds_back_until_it_is_read() -> None:
    outbox = Outbox(bound=1)
    outbox.post(event("a"))
    waiting = asyncio.ensure_future(outbox.room())
    await asyncio.sleep(0)
    assert not waiting.done()
    await outbox.get()
    await waiting


async def test_revoking_an_epoch_makes_room_and_so_does_closing() -> None:
    outbox = Outbox(bound=1)
    outbox.begin(Epoch(1))
    outbox.post(event("a"), Epoch(1))
    waiting = asyncio.ensure_future(outbox.room())
    await asyncio.sleep(0)
    outbox.revoke(Epoch(1))
    await waiting
    outbox.post(event("b"))
    outbox.close()
    await outbox.room()
