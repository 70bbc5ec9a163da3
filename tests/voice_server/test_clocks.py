"""What the server tells of first audio, over a real socket, beside what the client measures.

No bound here depends on how fast the machine is: what the server tells has all of a delay in it
that was put in, and is no more than the client measured, as its first packet is written after the
command was read and before the client has it.
"""

from __future__ import annotations

import asyncio
import re
import time

import pytest

from engine.types import Performance
from sessions.directing import Context, Directed
from sessions.directions import Directions
from tests import arithmetic
from tests.voice_server.live import Client, Message, client, server
from voice_server.wire.audio_frame import AudioFrame

LINE = "the quick brown fox"
LONG = " ".join(["the quick brown fox jumps over the lazy dog"] * 12)
DELAY_S = 0.3
DELAY_MS = 1000 * DELAY_S
ROUNDED_MS = 0.001


async def first_audio(one: Client, stream: int, sent_at: float) -> float:
    """Milliseconds from then to the stream's first packet read here."""
    while True:
        told = await one.next()
        if isinstance(told, AudioFrame) and told.stream == stream:
            return 1000 * (time.monotonic() - sent_at)


async def spoken(one: Client, stream: int = 1, **fields: object) -> tuple[float, Message]:
    """What the client measured, and take.done."""
    sent_at = time.monotonic()
    await one.send("speak", text=LINE, **fields)
    measured = await first_audio(one, stream, sent_at)
    return measured, await one.until("take.done")


async def test_the_time_to_the_frames_is_in_first_audio() -> None:
    load = arithmetic.load(thinking=DELAY_S)
    async with server(load=lambda _: load) as live, client(live) as one:
        measured, done = await spoken(one)
        made = done["made"]
        assert DELAY_MS <= made["frames_ms"] <= done["first_audio_ms"] <= measured + ROUNDED_MS
        assert done["rtf"] * done["duration_ms"] >= DELAY_MS
        assert done["queued_ms"] == 0
        frames = len(arithmetic.whole(LINE)) // arithmetic.FRAME
        assert made["windows"] == [arithmetic.FIRST, arithmetic.LATER, frames - 14]
        assert 0 <= made["held_ms"] <= done["first_audio_ms"] - made["frames_ms"]


async def test_what_passes_before_a_take_is_told_of_is_in_first_audio(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A clock that began when take.started is on its way would not see it."""

    async def slowly(
        self: Directions, direction: str, base: Performance, context: Context
    ) -> Directed:
        await asyncio.sleep(DELAY_S)
        return Directed(base)

    monkeypatch.setattr(Directions, "understood", slowly)
    load = arithmetic.load(can=arithmetic.EVERYTHING)
    async with server(load=lambda _: load) as live, client(live) as one:
        measured, done = await spoken(one, direction="softly")
        assert DELAY_MS <= done["first_audio_ms"] <= measured + ROUNDED_MS
        take_id = done["take_id"]
        for stream, command in ((2, {"direction": "softly"}), (3, {"text": "the slow brown fox"})):
            kind = "direct" if "direction" in command else "edit"
            sent_at = time.monotonic()
            await one.send(kind, take_id=take_id, **command)
            measured = await first_audio(one, stream, sent_at)
            done = await one.until("take.done")
            assert done["first_audio_ms"] <= measured + ROUNDED_MS
            if kind == "direct":
                assert done["first_audio_ms"] >= DELAY_MS


async def test_a_wait_in_the_queue_is_in_first_audio_and_rtf() -> None:
    slow = arithmetic.load(cost=0.03)
    async with server("engine.capacity=1", load=lambda _: slow) as live, client(live) as one:
        await one.speak(LONG)
        measured, done = await spoken(one, stream=2, id="queued")
        while done["reply_to"] != "queued":
            done = await one.until("take.done")
        warned = [told for told in one.messages() if told["type"] == "warning"]
        assert [told["code"] for told in warned] == ["queued"]
        assert 0 < done["queued_ms"] <= done["made"]["frames_ms"]
        assert done["made"]["frames_ms"] <= done["first_audio_ms"] <= measured + ROUNDED_MS
        assert done["rtf"] * done["duration_ms"] >= done["queued_ms"]
        text = (await live.get("/metrics")).text
        waited = re.search(r"\nvoice_queued_seconds_sum (\S+)\n", text)
        assert waited is not None
        assert float(waited[1]) == pytest.approx(done["queued_ms"] / 1000)


async def test_text_still_to_come_counts_from_the_text() -> None:
    async with server() as live, client(live) as one:
        take_id = (await one.speak("", more=True))["take_id"]
        await asyncio.sleep(DELAY_S)
        sent_at = time.monotonic()
        await one.send("append", take_id=take_id, text=LINE)
        await one.send("finish", take_id=take_id)
        measured = await first_audio(one, 1, sent_at)
        done = await one.until("take.done")
        assert done["first_audio_ms"] <= measured + ROUNDED_MS
