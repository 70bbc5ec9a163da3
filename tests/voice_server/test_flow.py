"""Many takes and many people at once: queues, turns, stops, and nothing left behind."""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from tests import arithmetic
from tests.voice_server.live import Client, Server, client, connected, server, serving_app
from voice_server import config
from voice_server.app import App
from voice_server.wire.audio_frame import AudioFrame

LINE = "the quick brown fox jumps over the lazy dog"
WORD_BYTES = 800
"""What is remembered of a word, its times and score, until the take is stored."""
LONG = " ".join([LINE] * 40)


async def test_beyond_what_the_machine_carries_a_take_waits_and_is_told_its_place() -> None:
    async with server("engine.capacity=1") as live, client(live) as one, client(live) as two:
        first = (await one.speak(LONG))["take_id"]
        second = (await two.speak(LINE, id="w"))["take_id"]
        warned = await two.until("warning")
        assert (warned["code"], warned["take_id"], warned["reply_to"]) == ("queued", second, "w")
        assert "place 1" in warned["message"]
        await two.flush()
        assert two.packets == 0
        await one.send("cancel", take_id=first)
        await two.until("take.done")
        assert np.array_equal(two.sound(1), arithmetic.whole(LINE))
        await live.idle()


async def test_past_the_queue_a_take_is_refused_and_what_plays_plays_on() -> None:
    async with server("engine.capacity=1", "limits.queued_takes=1") as live, client(live) as one:
        first = await one.speak(LONG)
        second = await one.speak(LONG)
        await one.send("speak", text=LINE, id="refused")
        told = await one.until("error")
        assert (told["code"], told["reply_to"]) == ("busy", "refused")
        while one.packets < 100:
            await one.next()
        await one.send("cancel", take_id=second["take_id"])
        await one.until("take.cancelled")
        heard = one.sound(1)
        assert np.array_equal(heard, arithmetic.whole(LONG)[: len(heard)])
        await one.send("cancel", take_id=first["take_id"])
        await one.flush()
        await live.idle()


async def test_a_session_with_many_takes_does_not_hold_up_another() -> None:
    async with server("engine.capacity=1") as live, client(live) as many, client(live) as few:
        takes = [(await many.speak(LONG))["take_id"] for _ in range(4)]
        await few.speak(LINE)
        assert "place 2" in (await few.until("warning"))["message"]
        await many.send("cancel", take_id=takes[0])
        await many.flush()
        await few.flush()
        assert few.packets == 0
        await many.send("cancel", take_id=takes[1])
        await few.until("take.done")
        assert np.array_equal(few.sound(1), arithmetic.whole(LINE))
        await many.send("cancel")
        await many.flush()
        await live.idle()


async def test_a_server_that_stops_lets_takes_end_and_begins_none(tmp_path: Path) -> None:
    settings = config.load(None, [f"data={tmp_path}", "server.port=0", "engine.capacity=4"])
    app = App(settings, lambda _: arithmetic.load())
    async with serving_app(app) as (live, stopping):
        await app.readiness.settled()
        async with client(live) as one:
            take_id = (await one.speak(LINE, more=True))["take_id"]
            stopping.should_exit = True
            told = await one.until("session.draining")
            assert 0 < told["time_left_ms"] <= 30_000
            await one.send("speak", text="too late", id="late")
            assert (await one.until("error"))["code"] == "draining"
            await one.send("append", take_id=take_id, text=f" {LINE}")
            await one.send("finish", take_id=take_id)
            await one.until("take.done")
            assert np.array_equal(one.sound(1), arithmetic.whole(f"{LINE} {LINE}"))
            assert await one.closed() == (1012, "restarting")
            assert one.log[-1] == {"type": "session.closed"}


async def test_a_stop_waits_no_longer_than_it_may(tmp_path: Path) -> None:
    settings = config.load(
        None, [f"data={tmp_path}", "server.port=0", "engine.capacity=4", "server.drain_s=0.2"]
    )
    app = App(settings, lambda _: arithmetic.load())
    async with serving_app(app) as (live, stopping):
        await app.readiness.settled()
        async with client(live) as one:
            await one.speak(LONG)
            stopping.should_exit = True
            assert (await one.closed())[0] == 1012
            assert one.log[-1] == {"type": "session.closed"}


async def test_until_the_engine_is_there_the_server_says_so_and_clients_wait(
    tmp_path: Path,
) -> None:
    go = asyncio.Event()
    loop = asyncio.get_running_loop()

    def load(progress: object) -> object:
        assert callable(progress)
        progress("fetching voices", 0.5)
        asyncio.run_coroutine_threadsafe(go.wait(), loop).result()
        return arithmetic.load()

    settings = config.load(None, [f"data={tmp_path}", "server.port=0", "engine.capacity=4"])
    app = App(settings, load)  # type: ignore[arg-type]
    told = asyncio.Event()
    app.readiness.tell(lambda _: told.set())
    async with serving_app(app) as (live, _), connected(live) as one:
        await told.wait()
        ready = await live.get("/readyz")
        assert ready.status_code == 503
        assert ready.json()["reasons"] == ["loading: fetching voices (50 %)"]
        assert (await live.get("/healthz")).status_code == 200
        assert (await live.get("/v1/voices")).status_code == 503
        opening = asyncio.create_task(one.open())
        go.set()
        await opening
        assert (await live.get("/readyz")).json() == {
            "ready": True,
            "reasons": [],
            "fraction": None,
            "processes": [],
        }
        assert len((await live.get("/v1/voices")).json()["voices"]) == 3
        assert (await live.get("/v1/models")).json()["data"][0]["id"] == "counting"


def _broken(_: object) -> None:
    raise RuntimeError("the model is not there")


async def test_an_engine_that_can_not_start_is_told_everywhere(tmp_path: Path) -> None:
    settings = config.load(None, [f"data={tmp_path}", "server.port=0"])
    app = App(settings, _broken)  # type: ignore[arg-type]
    async with serving_app(app) as (live, _), connected(live) as one:
        await one.send("session.open")
        code, reason = await one.closed()
        assert code == 1011
        assert "the model is not there" in reason
        ready = await live.get("/readyz")
        assert ready.status_code == 503
        assert "the model is not there" in ready.json()["reasons"][0]


async def test_a_client_that_can_not_wait_for_the_engine_is_told_to_come_back(
    tmp_path: Path,
) -> None:
    go = asyncio.Event()
    loop = asyncio.get_running_loop()

    def load(_: object) -> object:
        asyncio.run_coroutine_threadsafe(go.wait(), loop).result()
        return arithmetic.load()

    settings = config.load(
        None, [f"data={tmp_path}", "server.port=0", "limits.open_s=0.1", "engine.capacity=1"]
    )
    app = App(settings, load)  # type: ignore[arg-type]
    async with serving_app(app) as (live, _), connected(live) as one:
        await one.send("session.open")
        code, reason = await one.closed()
        assert code == 1013
        assert "not ready yet" in reason
        go.set()
        await app.readiness.settled()


async def listen_fast(one: Client, take_id: str) -> int:
    """Hears a take out as a listener would who has all the time of the world in a moment: reports
    what came as played, keeps nothing, and returns the samples that came."""
    samples = packets = 0
    while True:
        told = await one.next()
        one.log.clear()
        if isinstance(told, AudioFrame):
            samples += len(told.payload) // 2
            packets += 1
            if packets % 20 == 0:
                played = 1000 * samples / arithmetic.RATE
                await one.send("playback", take_id=take_id, played_ms=played)
        elif told["type"] == "take.done":
            assert told["samples"] == samples
            return samples


@pytest.mark.parametrize("chars", [3_000, pytest.param(100_000, marks=pytest.mark.long)])
async def test_long_text_is_spoken_with_flat_memory(chars: int) -> None:
    async with server() as live, client(live, frame_ms=60, lead_ms=5000) as one:
        peaks = []
        for length in (chars // 5, chars):
            text = ("abcdefgh " * length)[:length]
            gc.collect()
            tracemalloc.start()
            take_id = (await one.speak(text))["take_id"]
            samples = await listen_fast(one, take_id)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
            assert samples == arithmetic.FRAME * sum(len(word) + 1 for word in text.split())
        remembered = WORD_BYTES * (chars - chars // 5) // len("abcdefgh ")
        assert peaks[1] < peaks[0] + 2_000_000 + remembered, (
            f"five times the text took {peaks} bytes at the peak"
        )
        await live.idle()


@pytest.mark.parametrize("count", [100, pytest.param(1000, marks=pytest.mark.long)])
async def test_many_takes_in_one_session_leave_nothing_behind(count: int) -> None:
    async with server("limits.remembered_takes=20") as live, client(live) as one:
        await _takes(live, one, count // 2)
        gc.collect()
        tracemalloc.start()
        await _takes(live, one, count // 4)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        await _takes(live, one, count // 4)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        assert grown < 100_000, f"{grown} bytes more after {count // 4} more takes"


async def _takes(live: Server, one: Client, count: int) -> None:
    """So many takes, some of them cancelled, until all is idle again."""
    for n in range(count):
        take_id = (await one.speak("a few words", more=n % 3 == 0))["take_id"]
        if n % 3 == 0:
            await one.send("cancel", take_id=take_id)
            await one.until("take.cancelled")
        else:
            await one.until("take.done")
        one.log.clear()
    await live.idle()
    await live.app.host._store.sessions()  # answered in its turn: all takes are written then


@pytest.mark.parametrize("path", ["/nothing", "/v1/nothing"])
async def test_there_is_nothing_where_nothing_is(path: str) -> None:
    async with server() as live:
        assert (await live.get(path)).status_code == 404
