"""Direct, edit and keep through the socket, on the arithmetic family: every sample is known."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from engine.types import Int16
from sessions.store.values import performance_of
from tests import arithmetic
from tests.voice_server.live import Client, Message, Server, client, server

LINE = "we sail at dawn my friends and not before"


def able(_: object) -> object:
    return arithmetic.load(can=arithmetic.EVERYTHING)


@asynccontextmanager
async def stage(*settings: str) -> AsyncIterator[tuple[Server, Client]]:
    async with server(*settings, load=able) as live, client(live) as one:  # type: ignore[arg-type]
        yield live, one


async def made(one: Client, started: Message) -> tuple[Message, Int16]:
    """The take.done, and all sound of the take."""
    done = await one.until("take.done", take_id=started["take_id"])
    sound = one.sound(started["stream"])
    assert len(sound) == done["samples"]
    return done, sound


async def retake(one: Client, type: str, **fields: object) -> Message:
    await one.send(type, id="r", **fields)
    started = await one.until("take.started")
    assert started["reply_to"] == "r"
    return started


def expected(started: Message) -> Int16:
    """What a take that is wholly new sounds like, by its own performance."""
    performance = performance_of(json.dumps(started["performance"]))
    return arithmetic.whole(started["text"], started["voice"], 0, performance)


async def test_a_directed_take_starts_from_the_one_before_and_directions_add_up() -> None:
    async with stage() as (live, one):
        first = await one.speak(LINE)
        await made(one, first)
        slower = await retake(one, "direct", take_id=first["take_id"], direction="a bit slower")
        assert (slower["kind"], slower["parent"]) == ("directed", first["take_id"])
        assert (slower["line_id"], slower["text"]) == (first["line_id"], LINE)
        ((before, after),) = [moved["levers"]["rate"] for moved in slower["moved"]]
        assert (before, after) == (1.0, slower["performance"]["rate"])
        assert after < 1.0
        done, sound = await made(one, slower)
        assert np.array_equal(sound, expected(slower))
        assert "changed" not in done
        again = await retake(one, "direct", take_id=slower["take_id"], direction="much slower")
        assert again["performance"]["rate"] < after
        await made(one, again)
        back = await retake(
            one, "direct", take_id=again["take_id"], direction="as in the first take"
        )
        assert back["performance"] == first["performance"]
        await made(one, back)
        await live.idle()


async def test_a_direction_with_a_scope_keeps_all_other_samples() -> None:
    async with stage() as (live, one):
        first = await one.speak(LINE)
        _, was = await made(one, first)
        last = await retake(
            one, "direct", take_id=first["take_id"], direction="whisper the last word"
        )
        assert [moved["scope"] for moved in last["moved"]] == ["before"]
        done, sound = await made(one, last)
        (span,) = done["changed"]
        start = round(span["start_ms"] * 24)
        assert np.array_equal(sound[:start], was[:start])
        assert len(sound) == len(was)
        assert not np.array_equal(sound[start:], was[start:])
        assert np.array_equal(sound, expected(last))
        await live.idle()


async def test_what_is_not_understood_is_quoted_and_the_rest_is_done() -> None:
    async with stage() as (live, one):
        first = await one.speak(LINE)
        await made(one, first)
        await one.send(
            "direct", take_id=first["take_id"], direction="slower and zxqv blorfy", id="d"
        )
        started = await one.until("take.started")
        assert started["performance"]["rate"] < 1.0
        warned = await one.until("warning")
        assert (warned["code"], warned["reply_to"]) == ("direction_not_understood", "d")
        assert "blorfy" in warned["message"]
        await made(one, started)
        await one.send("direct", take_id=first["take_id"], direction="blorfy zxqv", id="e")
        refused = await one.until("error")
        assert (refused["code"], refused["field"]) == ("direction_not_understood", "direction")
        await live.idle()


async def test_tags_are_never_read_aloud_and_those_it_can_not_do_are_told() -> None:
    async with stage() as (live, one):
        started = await one.speak("[whisper] quiet now [/whisper] or [laughing] else", id="t")
        warned = await one.until("warning")
        assert (warned["code"], warned["reply_to"]) == ("unknown_tag", "t")
        assert "whisper" in warned["message"]
        _, sound = await made(one, started)
        words = [w for m in one.messages(started["take_id"]) if "words" in m for w in m["words"]]
        assert [word["text"] for word in words] == ["quiet", "now", "or", "else"]
        for word in words:
            assert started["text"][slice(*word["span"])] == word["text"]
        blank = started["text"].replace("[whisper]", " " * 9).replace("[/whisper]", " " * 10)
        performance = performance_of(json.dumps(started["performance"]))
        told = arithmetic.whole(blank.replace("[laughing]", " " * 10), performance=performance)
        assert np.array_equal(sound, told)
        assert not np.array_equal(sound, arithmetic.whole("quiet now or else"))
        await live.idle()


async def test_tags_in_text_that_is_appended_hold_wherever_it_is_cut() -> None:
    whole = "so [whisper] it ends [pause 0.3] [normal] here [laughing] at last"
    async with stage() as (live, one):
        said = await one.speak(whole)
        _, expected_sound = await made(one, said)
        started = await one.speak(whole[:8], more=True)
        for at in range(8, len(whole), 5):
            await one.send("append", take_id=started["take_id"], text=whole[at : at + 5])
        await one.send("finish", take_id=started["take_id"])
        done, sound = await made(one, started)
        assert np.array_equal(sound, expected_sound)
        warned = [one for one in one.messages(started["take_id"]) if one["type"] == "warning"]
        assert [warning["code"] for warning in warned] == ["unknown_tag"]
        levers = {part["levers"]["whisper"] for part in done["performance"]["parts"]}
        assert levers == {True}
        await live.idle()


async def test_a_line_keeps_its_standing_direction_for_fresh_takes() -> None:
    async with stage() as (live, one):
        first = await one.speak(LINE, direction="slower", speaker="CAPTAIN")
        assert first["performance"]["rate"] < 1.0
        await made(one, first)
        fresh = await one.speak(LINE + " they come", line_id=first["line_id"])
        assert fresh["performance"] == first["performance"]
        assert fresh["speaker"] == "CAPTAIN"
        await made(one, fresh)
        await live.idle()


@pytest.mark.parametrize(
    ("edit", "reads", "changes"),
    [
        ({"text": LINE.replace("dawn", "dusk")}, LINE.replace("dawn", "dusk"), 1),
        ({"changes": [{"words": [3, 4], "text": "noon"}]}, LINE.replace("dawn", "noon"), 1),
        ({"changes": [{"words": [0, 1], "text": "they"}]}, LINE.replace("we", "they"), 1),
        ({"changes": [{"words": [8, 9], "text": "after"}]}, LINE.replace("before", "after"), 1),
        ({"changes": [{"words": [4, 6], "text": ""}]}, "we sail at dawn and not before", 1),
        ({"text": "we sail at dawn my good friends and never before"}, None, 2),
    ],
)
async def test_an_edit_changes_nothing_but_the_words_it_names(
    edit: dict[str, object], reads: str | None, changes: int
) -> None:
    async with stage() as (live, one):
        first = await one.speak(LINE)
        _, was = await made(one, first)
        edited = await retake(one, "edit", take_id=first["take_id"], **edit)
        assert edited["text"] == (reads or edit["text"])
        assert (edited["kind"], edited["parent"]) == ("edited", first["take_id"])
        done, sound = await made(one, edited)
        spans = [(round(s["start_ms"] * 24), round(s["end_ms"] * 24)) for s in done["changed"]]
        assert len(spans) <= changes
        kept = [sound[end:start] for end, start in _between(spans, len(sound))]
        text = bytes(was.tobytes())
        assert all(text.find(part.tobytes()) >= 0 for part in kept)
        assert sum(map(len, kept)) >= len(sound) // 2
        await live.idle()


def _between(spans: list[tuple[int, int]], samples: int) -> list[tuple[int, int]]:
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), samples]
    return list(zip(ends, starts, strict=True))


async def test_edits_of_edits_ten_deep_and_of_a_directed_take() -> None:
    async with stage() as (live, one):
        take = await one.speak(LINE)
        await made(one, take)
        take = await retake(one, "direct", take_id=take["take_id"], direction="whisper “dawn”")
        await made(one, take)
        for number in range(10):
            take = await retake(
                one,
                "edit",
                take_id=take["take_id"],
                changes=[{"words": [number % 3, number % 3 + 1], "text": f"word{number}"}],
            )
            await made(one, take)
        (part,) = take["performance"]["parts"]
        assert take["text"][slice(*part["span"])] == "dawn"
        assert part["levers"]["whisper"] is True
        await live.idle()


async def test_keeping_marks_the_take_and_an_earlier_one_is_the_way_back(tmp_path: Path) -> None:
    async with stage(f"data={tmp_path}") as (live, one):
        first = await one.speak(LINE)
        await made(one, first)
        second = await retake(one, "direct", take_id=first["take_id"], direction="faster")
        await made(one, second)
        session = one.opened["session_id"]
        for take in (second, first):
            await one.send("keep", take_id=take["take_id"], id="k")
            kept = await one.until("take.kept", reply_to="k")
            assert (kept["take_id"], kept["line_id"]) == (take["take_id"], first["line_id"])
            record = (await live.get(f"/v1/sessions/{session}")).json()
            assert record["session"]["lines"][0]["kept"] == take["take_id"]
        await live.idle()


async def test_what_can_not_be_changed_says_why() -> None:
    async with stage() as (live, one), client(live) as other:
        open_take = await one.speak(LINE, more=True)
        for type, fields in (
            ("direct", {"direction": "slower"}),
            ("edit", {"text": "no"}),
            ("keep", {}),
        ):
            await one.send(type, take_id=open_take["take_id"], **fields)
            told = await one.until("error")
            assert (told["code"], told["field"]) == ("wrong_state", "take_id")
            assert "once it is made" in told["message"]
            await one.send(type, take_id="take_none", **fields)
            assert (await one.until("error"))["code"] == "unknown_take"
        await one.send("cancel", take_id=open_take["take_id"])
        await one.until("take.cancelled")
        await one.send("keep", take_id=open_take["take_id"])
        assert (await one.until("error"))["code"] == "wrong_state"
        broken = await one.speak(LINE, voice="broken")
        await one.until("take.failed")
        await one.send("direct", take_id=broken["take_id"], direction="slower")
        assert "failed" in (await one.until("error"))["message"]
        first = await one.speak(LINE)
        await made(one, first)
        await other.send("direct", take_id=first["take_id"], direction="slower")
        assert (await other.until("error"))["code"] == "unknown_take"
        await one.send("edit", take_id=first["take_id"], text=LINE)
        assert (await one.until("error"))["code"] == "bad_edit"
        await one.send("edit", take_id=first["take_id"], changes=[{"words": [7, 99], "text": "x"}])
        assert (await one.until("error"))["field"] == "changes[0].words"
        await live.idle()


async def test_a_cancelled_take_can_be_directed_and_edited_all_made_new() -> None:
    long = " ".join([LINE] * 40)
    async with stage() as (live, one):
        first = await one.speak(long)
        await one.send("cancel", take_id=first["take_id"])
        await one.until("take.cancelled")
        slower = await retake(one, "direct", take_id=first["take_id"], direction="slower")
        await one.send("cancel", take_id=slower["take_id"])
        edited = await retake(one, "edit", take_id=first["take_id"], text="we sail")
        warned = await one.until("warning")
        assert (warned["code"], warned["take_id"]) == ("made_anew", edited["take_id"])
        done, sound = await made(one, edited)
        assert "changed" not in done
        assert np.array_equal(sound, arithmetic.whole("we sail"))
        await live.idle()


async def test_what_was_said_is_there_after_a_restart_sample_for_sample(tmp_path: Path) -> None:
    async with stage(f"data={tmp_path}") as (live, one):
        first = await one.speak(LINE, speaker="CAPTAIN", direction="slower")
        _, was = await made(one, first)
        edited = await retake(
            one, "edit", take_id=first["take_id"], text=LINE.replace("dawn", "dusk")
        )
        _, sound = await made(one, edited)
        await one.send("keep", take_id=edited["take_id"])
        await one.until("take.kept")
        session = one.opened["session_id"]
        before = (await live.get(f"/v1/sessions/{session}")).json()
        await live.idle()
    async with server(f"data={tmp_path}") as live:
        assert (await live.get(f"/v1/sessions/{session}")).json() == before
        (line,) = before["session"]["lines"]
        assert (line["speaker"], line["direction"]) == ("CAPTAIN", "slower")
        assert [take["state"] for take in line["takes"]] == ["done", "done"]
        for take, samples in ((first, was), (edited, sound)):
            wav = await live.get(f"/v1/takes/{take['take_id']}.wav")
            assert wav.content[44:] == samples.tobytes()


async def test_a_session_that_is_closed_for_good_is_forgotten(tmp_path: Path) -> None:
    async with stage(f"data={tmp_path}") as (live, one):
        first = await one.speak(LINE)
        await made(one, first)
        session = one.opened["session_id"]
        assert (await live.get(f"/v1/takes/{first['take_id']}.json")).status_code == 200
        await one.send("session.close")
        await one.closed()
        assert (await live.get(f"/v1/sessions/{session}")).status_code == 404
        assert (await live.get(f"/v1/takes/{first['take_id']}.wav")).status_code == 404


async def test_what_could_not_be_stored_is_told(tmp_path: Path) -> None:
    async with stage(f"data={tmp_path}") as (live, one):
        (tmp_path / "sessions" / "sound").rename(tmp_path / "gone")
        first = await one.speak(LINE)
        while not {"warning", "take.done"} <= {told["type"] for told in one.messages()}:
            await one.next()
        (warned,) = [told for told in one.messages() if told["type"] == "warning"]
        assert (warned["code"], warned["take_id"]) == ("not_stored", first["take_id"])
        await live.idle()
        await one.send("keep", take_id=first["take_id"])
        assert (await one.until("error"))["code"] == "wrong_state"
        (tmp_path / "gone").rename(tmp_path / "sessions" / "sound")
        figures = (await live.get("/metrics")).text
        assert "voice_store_failed_total 1.0" in figures
        await live.idle()


async def test_sessions_that_nobody_used_for_long_are_forgotten(tmp_path: Path) -> None:
    async with stage(f"data={tmp_path}") as (live, one):
        await made(one, await one.speak(LINE))
        old = one.opened["session_id"]
    async with stage(f"data={tmp_path}", "limits.keep_s=0.001") as (live, one):
        assert one.opened["limits"]["keep_s"] == 0.001
        await live.scheduler.expire(time.time() + 60)
        assert (await live.get(f"/v1/sessions/{old}")).status_code == 404
        session = one.opened["session_id"]
        assert (await live.get(f"/v1/sessions/{session}")).status_code == 200
        await live.idle()
