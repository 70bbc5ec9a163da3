"""Speaking over a real socket, with a voice whose every sample is known."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from tests import arithmetic
from tests.voice_server.live import Client, client, connected, server
from voice_server.delivery.opus import OpusTakeDecoder
from voice_server.delivery.pcm16 import Pcm16TakeDecoder
from voice_server.wire.audio_frame import AudioFrame

LINE = "the quick brown fox jumps over the lazy dog"
MADE_BEFORE_SENT = " ".join([LINE] * 8)
"""Three and a half seconds, which is made at once and then sent as it is heard."""
LONG = " ".join([LINE] * 40)


async def test_a_line_is_spoken_to_the_sample_with_its_words() -> None:
    async with server() as live, client(live) as one:
        started = await one.speak(LINE, voice="High", seed=3, id="m1")
        done = await one.until("take.done")
        assert (started["reply_to"], started["voice"], started["kind"]) == ("m1", "high", "spoken")
        assert np.array_equal(one.sound(1), arithmetic.whole(LINE, "high", 3))
        assert done["samples"] == len(arithmetic.whole(LINE))
        assert done["underruns"]["source"] == "server"
        assert done["first_audio_ms"] > 0
        words = [
            word
            for told in one.messages()
            if told["type"] == "take.words"
            for word in told["words"]
        ]
        assert [LINE[slice(*word["span"])] for word in words] == LINE.split()
        assert [word["index"] for word in words] == list(range(9))
        starts = [word["start_ms"] for word in words]
        assert starts == sorted(starts)
        await live.idle()


@pytest.mark.parametrize("frame_ms", [20, 40, 60])
@pytest.mark.parametrize("format", ["opus", "pcm16"])
async def test_every_format_decodes_to_exactly_the_samples_made(format: str, frame_ms: int) -> None:
    async with server() as live, client(live, format=format, frame_ms=frame_ms) as one:
        audio = one.opened["audio"]
        assert (audio["format"], audio["frame_ms"]) == (format, frame_ms)
        await one.speak(LINE)
        done = await one.until("take.done")
        frames = [frame for frame in one.log if isinstance(frame, AudioFrame)]
        assert [frame.last for frame in frames] == [False] * (len(frames) - 1) + [True]
        decoder = (
            OpusTakeDecoder(audio["sample_rate"], audio["pre_skip"])
            if format == "opus"
            else Pcm16TakeDecoder()
        )
        heard = [decoder.feed(frame.payload, frame.last) for frame in frames]
        heard.append(decoder.finish(done["samples"]))
        assert sum(map(len, heard)) == len(arithmetic.whole(LINE))


async def test_text_that_comes_by_single_characters_is_spoken_before_its_end() -> None:
    async with server() as live, client(live) as one:
        take_id = (await one.speak("", more=True))["take_id"]
        for char in LINE[:-3]:
            await one.send("append", take_id=take_id, text=char)
        while not one.packets:
            await one.next()
        for char in LINE[-3:]:
            await one.send("append", take_id=take_id, text=char)
        await one.send("finish", take_id=take_id)
        await one.until("take.done")
        assert np.array_equal(one.sound(1), arithmetic.whole(LINE))


@pytest.mark.parametrize("text", ["", " ", "\n\t"])
async def test_nothing_to_say_is_done_with_no_sound(text: str) -> None:
    async with server() as live, client(live) as one:
        await one.speak(text)
        done = await one.until("take.done")
        assert (done["samples"], done["first_audio_ms"], done["rtf"]) == (0, None, None)
        assert not any(isinstance(told, AudioFrame) for told in one.log)


async def test_several_takes_at_once_do_not_mix() -> None:
    async with server() as live, client(live) as one:
        texts = [f"{LINE} number {n}" for n in range(5)]
        for n, text in enumerate(texts):
            await one.send("speak", text=text, voice=["low", "high"][n % 2], seed=n, id=str(n))
        ended = [await one.until("take.done") for _ in texts]
        assert sorted(done["reply_to"] for done in ended) == list("01234")
        for n, text in enumerate(texts):
            whole = arithmetic.whole(text, ["low", "high"][n % 2], n)
            assert np.array_equal(one.sound(n + 1), whole)
        await live.idle()


async def test_a_take_that_breaks_fails_alone() -> None:
    async with server() as live, client(live) as one:
        await one.send("speak", text=LINE, voice="broken", id="bad")
        await one.send("speak", text=LINE, voice="low", id="good")
        failed = await one.until("take.failed")
        done = await one.until("take.done")
        assert (failed["reply_to"], done["reply_to"]) == ("bad", "good")
        assert failed["error"]["code"] == "stage_failed"
        await live.idle()


async def heard_until_silent(one: Client, take_id: str) -> list[object]:
    """What comes of a take after its cancel is acknowledged, as far as a second take's end."""
    acknowledged = await one.until("take.cancelled", take_id=take_id)
    at = one.log.index(acknowledged)
    await one.speak("still here")
    await one.until("take.done")
    stream = next(
        told["stream"] for told in one.messages(take_id) if told["type"] == "take.started"
    )
    return [
        told
        for told in one.log[at + 1 :]
        if (isinstance(told, AudioFrame) and told.stream == stream)
        or (isinstance(told, dict) and told.get("take_id") == take_id)
    ]


@pytest.mark.parametrize("when", ["at once", "text open", "playing", "queued", "made"])
async def test_a_cancel_in_any_state_is_the_last_word(when: str) -> None:
    capacity = "engine.capacity=1" if when == "queued" else "engine.capacity=4"
    async with server(capacity) as live, client(live) as one:
        if when == "queued":
            first = (await one.speak(LONG))["take_id"]
        text = MADE_BEFORE_SENT if when == "made" else LONG
        take_id = (await one.speak(text, more=when == "text open"))["take_id"]
        if when in ("playing", "made"):
            while not one.packets:
                await one.next()
        while when == "made" and live.scheduler.stats().speaking:
            await one.flush()
        await one.send("cancel", take_id=take_id, played_ms=50, id="stop")
        if when == "queued":
            await one.send("cancel", take_id=first)
        assert await heard_until_silent(one, take_id) == []
        told = [m for m in one.messages(take_id) if m["type"] == "take.cancelled"]
        assert [m["reply_to"] for m in told] == ["stop"]
        assert told[0]["heard"] + told[0]["rest"] == text
        await live.idle()


async def test_a_cancel_without_a_name_stops_all() -> None:
    async with server() as live, client(live) as one:
        takes = [(await one.speak(LONG))["take_id"] for _ in range(3)]
        await one.send("cancel", id="all")
        told = [await one.until("take.cancelled", reply_to="all") for _ in takes]
        assert sorted(message["take_id"] for message in told) == sorted(takes)
        await live.idle()


async def test_sound_is_sent_no_further_ahead_than_the_lead() -> None:
    async with server() as live, client(live, lead_ms=300) as one:
        began = asyncio.get_running_loop().time()
        take_id = (await one.speak(LONG))["take_id"]
        while one.packets < 40:
            await one.next()
        took = asyncio.get_running_loop().time() - began
        assert took >= 40 * 0.02 - 0.3, (
            "40 packets of 20 ms with a lead of 300 ms take half a second, or longer"
        )
        await one.send("cancel", take_id=take_id)
        told = await one.until("take.cancelled")
        took = asyncio.get_running_loop().time() - began
        assert told["sent_ms"] <= 1000 * took + 300 + 20


async def test_the_players_own_report_is_what_the_end_tells() -> None:
    async with server() as live, client(live) as one:
        text = " ".join([LINE] * 5)
        take_id = (await one.speak(text))["take_id"]
        while one.packets < 60:  # A fifth of a second past the lead, so that so much can be missed.
            await one.next()
        starved = [{"at_ms": 10, "ms": 120}, {"at_ms": 15, "ms": 30}]
        await one.send("playback", take_id=take_id, played_ms=20, underruns=starved)
        await one.send("playback", take_id=take_id, played_ms=100_000)
        done = await one.until("take.done")
        assert done["underruns"] == {
            "count": 2, "total_ms": 150.0, "longest_ms": 120.0, "source": "player",
        }  # fmt: skip
        await one.send("playback", take_id=take_id, played_ms=done["duration_ms"])
        await one.flush()
        assert not [told for told in one.messages() if told["type"] == "error"]
        figures = (await live.get("/metrics")).text
        assert 'voice_underruns_total{source="player"} 2.0' in figures
        assert 'voice_underrun_milliseconds_total{source="player"} 150.0' in figures


async def test_ping_is_answered_before_and_after_opening() -> None:
    async with server() as live, connected(live) as one:
        await one.send("ping", id="p")
        assert (await one.until("pong"))["reply_to"] == "p"
        await one.open()
        await one.flush()


async def test_closing_a_session_ends_what_plays_and_then_the_connection() -> None:
    async with server() as live, client(live) as one:
        await one.speak(LONG)
        await one.send("session.close", id="bye")
        assert await one.closed() == (1000, "session closed")
        assert one.log[-1] == {"type": "session.closed", "reply_to": "bye"}
        await live.idle()


async def test_a_dropped_connection_gives_everything_back() -> None:
    async with server() as live:
        async with client(live) as one:
            await one.speak(LONG)
            await one.speak(LONG, more=True)
            one.socket.transport.abort()
        await live.app.connections.gone()
        await live.idle()
        assert live.scheduler.stats().sessions == 0


async def test_a_reader_that_stands_still_costs_bounded_memory_and_others_nothing() -> None:
    async with server("limits.messages_burst=20000") as live:
        async with client(live) as still, client(live) as other:
            await still.speak(LONG)
            flood = asyncio.create_task(_flood(still))
            await other.speak(LINE)
            await other.until("take.done")
            await asyncio.wait({flood}, timeout=0.5)
            assert live.scheduler.stats().queued_events < 1000
            flood.cancel()
            await asyncio.gather(flood, return_exceptions=True)
            still.socket.transport.abort()
        await live.app.connections.gone()
        await live.idle()


async def _flood(one: Client) -> None:
    """Asks for answers and reads none."""
    while True:
        await one.send("finish", take_id="none")


async def test_a_session_with_nothing_said_is_closed() -> None:
    async with server("limits.idle_s=0.2") as live, client(live) as one:
        assert await one.closed() == (1000, "idle")
        assert one.log[-1] == {"type": "session.closed"}
        await live.idle()


async def test_a_resume_that_is_not_possible_gets_a_new_session_and_a_warning() -> None:
    async with server() as live, connected(live) as one:
        resume = {"session_id": "session_gone", "token": "t", "received": {}}
        opened = await one.open(resume=resume, id="o")
        assert opened["resumed"] is False
        assert (await one.until("warning"))["code"] == "not_resumed"
        await one.flush()


async def test_a_session_that_was_left_goes_on_over_another_connection() -> None:
    async with server() as live:
        async with client(live) as one:
            started = await one.speak("hello", speaker="HERO", voice="high")
            await one.until("take.done")
            left = one.opened
        await live.idle()
        ticket = {"session_id": left["session_id"], "token": left["token"]}
        async with connected(live) as other:
            opened = await other.open(resume={**ticket, "received": {"1": 3}})
            assert opened["resumed"] is False
        async with connected(live) as one:
            opened = await one.open(resume=ticket)
            assert (opened["session_id"], opened["resumed"]) == (left["session_id"], True)
            assert opened["token"] != left["token"]
            async with connected(live) as other:
                token = {**ticket, "token": opened["token"]}
                assert (await other.open(resume=token))["resumed"] is False
                told = (await other.until("warning"))["message"]
                assert "open in another connection" in told
            await one.send("keep", take_id=started["take_id"])
            await one.until("take.kept")
            again = await one.speak("more", line_id=started["line_id"])
            assert (again["voice"], again["stream"]) == ("high", 1)
            await one.until("take.done")
            await one.send("session.close")
            await one.closed()
        async with connected(live) as one:
            assert (await one.open(resume=token))["resumed"] is False
        await live.idle()
