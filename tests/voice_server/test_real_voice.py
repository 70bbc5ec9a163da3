"""The embedded voice over a real socket: it speaks, tells its words, stops, and is repeatable."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.voice_server.live import Server, client, serving_app
from voice_server import config, families
from voice_server.app import App
from voice_server.readiness import Ready

LINE = "Every morning the baker opens the shop before the sun is up."

pytestmark = pytest.mark.long


@pytest.fixture
async def live(tmp_path: Path) -> AsyncIterator[Server]:
    settings = config.load(None, [f"data={tmp_path}", "server.port=0"])
    app = App(settings, families.loader(settings))
    async with serving_app(app) as (server, _):
        condition = await app.readiness.settled()
        assert isinstance(condition, Ready), condition
        yield server


async def test_the_embedded_voice_speaks_over_the_socket(live: Server) -> None:
    assert live.scheduler.stats().capacity >= 1
    async with client(live) as one:
        assert len(one.opened["voices"]) == 28
        assert one.opened["engine"]["frame_ms"] == 75
        digests = []
        for _ in range(2):
            started = await one.speak(LINE, voice="af_heart")
            done = await one.until("take.done")
            sound = one.sound(started["stream"])
            assert len(sound) == done["samples"] > 2 * 24_000
            digests.append(hashlib.sha256(sound.tobytes()).hexdigest())
        assert digests[0] == digests[1], "the same request gives the same samples"
        words = [
            word
            for told in one.messages(done["take_id"])
            if told["type"] == "take.words"
            for word in told["words"]
        ]
        assert [LINE[slice(*word["span"])].strip(".") for word in words] == LINE.strip(".").split()
        assert words[-1]["end_ms"] <= done["duration_ms"]
        await live.idle()


async def test_the_embedded_voice_stops_when_told(live: Server) -> None:
    async with client(live) as one:
        text = " ".join([LINE] * 5)
        take_id = (await one.speak(text))["take_id"]
        while not one.packets:
            await one.next()
        await one.send("cancel", take_id=take_id, played_ms=100)
        told = await one.until("take.cancelled")
        assert told["heard"] + told["rest"] == text
        packets = one.packets
        await one.speak("...")
        assert (await one.until("take.done"))["samples"] == 0
        assert one.packets == packets
        await live.idle()
