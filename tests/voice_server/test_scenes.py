"""Perform through the socket: a scene line by line, in order, and a few lines ahead."""

from __future__ import annotations

import gc
import io
import json
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engine.types import Int16
from sessions.pauses import NATURAL
from sessions.scenes import LOOK_AHEAD
from sessions.store.values import performance_of
from tests import arithmetic
from tests.voice_server.live import Client, Message, Server, client, server
from voice_server.wire.audio_frame import AudioFrame

SCRIPT = """HELEN: we sail at dawn
MARK: (slower) so soon my friend
HELEN: the tide waits for nobody
MARK: then let us go
"""
SPOKEN = [line.split(": ")[1].replace("(slower) ", "") for line in SCRIPT.splitlines()]


def able(_: object) -> object:
    return arithmetic.load(can=arithmetic.EVERYTHING)


@asynccontextmanager
async def stage(*settings: str) -> AsyncIterator[tuple[Server, Client]]:
    async with server(*settings, load=able) as live, client(live) as one:  # type: ignore[arg-type]
        yield live, one


async def perform(one: Client, script: str = SCRIPT, **fields: object) -> Message:
    await one.send("perform", script=script, id="p", **fields)
    return await one.until("scene.started")


def expected(started: Message) -> Int16:
    performance = performance_of(json.dumps(started["performance"]))
    return arithmetic.whole(started["text"], started["voice"], 0, performance)


def told(one: Client, type: str) -> list[Message]:
    return [message for message in one.messages() if message["type"] == type]


async def test_lines_are_spoken_in_order_each_after_the_one_before() -> None:
    async with stage() as (live, one):
        scene = await perform(one, cast={"helen": "high"})
        assert scene["reply_to"] == "p"
        assert scene["first"] == 0
        lines = scene["lines"]
        assert [line["text"] for line in lines] == SPOKEN
        assert [line["speaker"] for line in lines] == ["HELEN", "MARK"] * 2
        assert [line["voice"] for line in lines] == ["high", "low"] * 2
        done = await one.until("scene.done", scene_id=scene["scene_id"])
        assert (done["lines"], done["cancelled"]) == (4, False)
        takes = told(one, "take.started")
        assert [take["line_id"] for take in takes] == [line["line_id"] for line in lines]
        assert {take["scene_id"] for take in takes} == {scene["scene_id"]}
        assert [take["follows"] for take in takes] == [None, *(t["take_id"] for t in takes[:-1])]
        between = 1000 * NATURAL.new_speaker
        assert [take["pause_ms"] for take in takes] == [0.0, between, between, between]
        assert takes[1]["performance"]["rate"] < 1.0 == takes[0]["performance"]["rate"]
        for take in takes:
            assert np.array_equal(one.sound(take["stream"]), expected(take))
        ends = [message["take_id"] for message in told(one, "take.done")]
        assert ends == [take["take_id"] for take in takes]
        await live.idle()


async def test_sound_of_a_line_is_sent_after_all_of_the_line_before() -> None:
    """When, and that nobody starves by it, is shown in virtual time with the delivery."""
    async with stage() as (live, one):
        await perform(one)
        await one.until("scene.done")
        order = [frame.stream for frame in one.log if isinstance(frame, AudioFrame)]
        assert order == sorted(order)
        assert set(order) == {take["stream"] for take in told(one, "take.started")}
        await live.idle()


async def test_lines_said_at_once_are_heard_in_turn_and_are_together_in_files() -> None:
    script = "ANNA\nwe sail at dawn\n\nBEN ^\nso soon\n\nANNA\nyes\n"
    async with stage() as (live, one):
        scene = await perform(one, script, format="fountain")
        assert [line["dual"] for line in scene["lines"]] == [False, True, False]
        warning = await one.until("warning")
        assert (warning["code"], warning["reply_to"]) == ("dual_in_turn", "p")
        await one.until("scene.done")
        first, second, _ = (one.sound(take["stream"]) for take in told(one, "take.started"))
        path = f"v1/scenes/{scene['scene_id']}"
        placed = (await live.get(f"{path}.json")).json()["lines"]
        assert [line["start"] for line in placed[:2]] == [0, 0]
        wav = io.BytesIO((await live.get(f"{path}.wav")).content)
        mix = soundfile.read(wav, dtype="int16")[0]
        both = min(len(first), len(second))
        sum_of_both = first[:both].astype(int) + second[:both]
        assert np.array_equal(mix[:both], np.clip(sum_of_both, -32768, 32767))
        await live.idle()


async def test_only_a_few_lines_are_made_ahead_and_a_cancel_stops_the_scene() -> None:
    script = "\n".join(f"{'AB'[n % 2]}: " + "words " * 60 for n in range(40))
    async with stage() as (live, one):
        scene = await perform(one, script)
        while one.packets < 120:
            await one.next()
        await one.send("cancel", id="c")
        done = await one.until("scene.done", scene_id=scene["scene_id"])
        assert (done["cancelled"], done["reply_to"]) == (True, "c")
        begun = len(told(one, "take.started"))
        assert begun <= done["lines"] + 1 + LOOK_AHEAD
        await one.flush()
        assert len(told(one, "take.started")) == begun
        await live.idle()
        await one.send("cancel")
        assert (await one.until("warning"))["code"] == "nothing_to_cancel"


async def test_a_line_that_is_cancelled_or_fails_leaves_the_others() -> None:
    async with stage() as (live, one):
        await perform(one, cast={"MARK": "broken"})
        done = await one.until("scene.done")
        assert (done["lines"], done["cancelled"]) == (2, False)
        assert len(told(one, "take.failed")) == 2
        one.log.clear()
        await perform(one, cast={"MARK": "high"})
        takes = [await one.until("take.started") for _ in range(3)]
        await one.send("cancel", take_id=takes[2]["take_id"])
        assert (await one.until("scene.done"))["lines"] == 3
        await live.idle()


async def test_a_script_can_be_added_to_while_it_is_performed_and_after() -> None:
    async with stage() as (live, one):
        whole = SCRIPT + SCRIPT
        scene = await perform(one, whole[:60], more=True, format="plain")
        lines = list(scene["lines"])
        for start, end in ((60, 100), (100, len(whole))):
            more = end < len(whole)
            added = await perform(one, whole[start:end], scene_id=scene["scene_id"], more=more)
            assert (added["scene_id"], added["first"]) == (scene["scene_id"], len(lines))
            lines += added["lines"]
        assert [line["text"] for line in lines] == SPOKEN * 2
        voices = {line["speaker"]: line["voice"] for line in lines}
        assert all(line["voice"] == voices[line["speaker"]] for line in lines)
        assert (await one.until("scene.done"))["lines"] == 8
        after = await perform(one, "MARK: farewell", scene_id=scene["scene_id"])
        assert [line["voice"] for line in after["lines"]] == [voices["MARK"]]
        assert (await one.until("scene.done"))["lines"] == 9
        await live.idle()


async def test_nothing_is_half_made_of_a_scene_that_can_not_be() -> None:
    async with stage() as (live, one):
        for fields, code, field in (
            ({"script": ""}, "bad_script", "script"),
            ({"script": "A: hello\nB: bad \x00 thing"}, "bad_script", "script"),
            ({"script": SCRIPT, "cast": {"MARK": "nobody"}}, "unknown_voice", "cast.MARK"),
            ({"script": SCRIPT, "scene_id": "scene_none"}, "unknown_scene", "scene_id"),
        ):
            await one.send("perform", id="x", **fields)
            refused = await one.until("error", reply_to="x")
            assert (refused["code"], refused["field"]) == (code, field), refused
        assert not told(one, "scene.started")
        record = (await live.get(f"/v1/sessions/{one.opened['session_id']}")).json()
        assert (record["session"]["scenes"], record["session"]["lines"]) == ([], [])
        scene = await perform(one, "A: " + "on and on " * 100)
        await one.send("perform", script=SCRIPT, id="second")
        assert (await one.until("error"))["code"] == "wrong_state"
        await one.send("cancel")
        await one.until("scene.done", scene_id=scene["scene_id"])
        await live.idle()


async def test_a_line_of_a_scene_is_changed_without_its_neighbours(tmp_path: Path) -> None:
    async with stage(f"data={tmp_path}") as (live, one):
        scene = await perform(one)
        await one.until("scene.done")
        takes = told(one, "take.started")
        await one.send("direct", take_id=takes[2]["take_id"], direction="whisper “nobody”")
        directed = await one.until("take.started")
        assert (directed["scene_id"], directed["line_id"]) == (
            scene["scene_id"],
            takes[2]["line_id"],
        )
        assert directed["follows"] is None
        await one.until("take.done")
        fresh = await one.speak("the tide is out", line_id=takes[2]["line_id"])
        assert (fresh["voice"], fresh["speaker"]) == (takes[2]["voice"], "HELEN")
        await one.until("take.done")
        record = (await live.get(f"/v1/sessions/{one.opened['session_id']}")).json()["session"]
        assert [len(line["takes"]) for line in record["lines"]] == [1, 1, 3, 1]
        assert (await live.get(f"/v1/scenes/{scene['scene_id']}.zip")).status_code == 200
        await live.idle()
    async with server(f"data={tmp_path}") as live:
        wav = await live.get(f"/v1/scenes/{scene['scene_id']}.wav")
        pcm = np.frombuffer(wav.content[44:], "<i2")
        assert np.array_equal(pcm[: 5 * 240], expected(takes[0])[: 5 * 240])


async def test_speakers_directions_stand_for_all_their_lines() -> None:
    async with stage() as (live, one):
        await perform(one, directions={"HELEN": "whispering"})
        await one.until("scene.done")
        takes = told(one, "take.started")
        assert [take["performance"]["whisper"] for take in takes] == [True, False, True, False]
        later = await one.speak("one more thing", speaker="HELEN")
        assert later["performance"]["whisper"] is True
        await one.until("take.done")
        await live.idle()


async def listen(one: Client) -> int:
    """Hears a scene out as a listener would who has all the time of the world in a moment."""
    samples: dict[int, int] = {}
    takes: dict[int, str] = {}
    count = 0
    while True:
        message = await one.next()
        one.log.clear()
        if isinstance(message, AudioFrame):
            samples[message.stream] = samples.get(message.stream, 0) + len(message.payload) // 2
            count += 1
            if count % 10 == 0:
                played = 1000 * samples[message.stream] / arithmetic.RATE
                await one.send("playback", take_id=takes[message.stream], played_ms=played)
        elif message["type"] == "take.started":
            takes[message["stream"]] = message["take_id"]
        elif message["type"] == "take.done":
            stream = next(s for s, take in takes.items() if take == message["take_id"])
            assert samples.pop(stream, 0) == message["samples"]
            del takes[stream]
            played = message["duration_ms"]
            await one.send("playback", take_id=message["take_id"], played_ms=played)
        elif message["type"] == "scene.done":
            return int(message["lines"])


@pytest.mark.long
@pytest.mark.parametrize("lines", [60, 600])
async def test_a_long_scene_takes_the_memory_of_a_short_one(lines: int) -> None:
    text = "word " * 40
    async with stage() as (live, one):
        peaks = []
        for count in (lines // 3, lines):
            script = "\n".join(f"{'AB'[n % 2]}: {text}" for n in range(count))
            gc.collect()
            tracemalloc.start()
            await perform(one, script)
            assert await listen(one) == count
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        assert peaks[1] < peaks[0] + 1_000_000 + 4_000 * lines, peaks
        await live.idle()
