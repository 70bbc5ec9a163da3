"""Every bad message is answered with an error that names the field, and the session goes on."""

from __future__ import annotations

import json

import pytest

from tests import arithmetic
from tests.voice_server.live import client, connected, server

TAKE = "take_of_this_test"


def message(type: str, **fields: object) -> str:
    return json.dumps({"type": type, "id": "bad", **fields})


BAD = [
    ("not json", "bad_json", None),
    ("", "bad_json", None),
    ("[]", "bad_json", None),
    ('"speak"', "bad_json", None),
    ("{", "bad_json", None),
    ('{"type": "speak", "text": "\\ud800"}', "bad_field", "text"),
    ("{}", "missing_field", "type"),
    ('{"type": 3}', "bad_field", "type"),
    (message("sing"), "unknown_type", "type"),
    (message("direct", take_id="t", direction="gentler"), "unsupported", None),
    (message("edit", take_id="t", text="hi"), "unsupported", None),
    (message("keep", take_id="t"), "unknown_take", "take_id"),
    (message("session.open"), "already_open", "type"),
    (message("speak"), "missing_field", "text"),
    (message("speak", text=3), "bad_field", "text"),
    (message("speak", text=None), "bad_field", "text"),
    (message("speak", text="x" * 201), "too_long", "text"),
    (message("speak", text="hi", voice="lov"), "unknown_voice", "voice"),
    (message("speak", text="hi", voice=""), "bad_field", "voice"),
    (message("speak", text="hi", voice=["low"]), "bad_field", "voice"),
    (message("speak", text="hi", seed=-1), "bad_field", "seed"),
    (message("speak", text="hi", seed=1.5), "bad_field", "seed"),
    (message("speak", text="hi", seed=True), "bad_field", "seed"),
    (message("speak", text="hi", more="yes"), "bad_field", "more"),
    (message("speak", text="hi", line_id="line_none"), "unknown_line", "line_id"),
    (message("speak", text="hi", direction="x" * 3000), "too_long", "direction"),
    (message("append", text="x"), "missing_field", "take_id"),
    (message("append", take_id="take_none", text="x"), "unknown_take", "take_id"),
    (message("append", take_id=TAKE), "missing_field", "text"),
    (message("append", take_id=TAKE, text="x" * 200), "too_long", "text"),
    (message("finish"), "missing_field", "take_id"),
    (message("finish", take_id="take_none"), "unknown_take", "take_id"),
    (message("cancel", take_id="take_none"), "unknown_take", "take_id"),
    (message("cancel", take_id=TAKE, played_ms="all"), "bad_field", "played_ms"),
    (message("cancel", take_id=TAKE, played_ms=-1), "bad_field", "played_ms"),
    (message("playback", take_id=TAKE), "missing_field", "played_ms"),
    (message("playback", take_id="take_none", played_ms=1), "unknown_take", "take_id"),
    (message("playback", take_id=TAKE, played_ms=1, underruns=3), "bad_field", "underruns"),
    (
        message("playback", take_id=TAKE, played_ms=1, underruns=[{"at_ms": 1}]),
        "missing_field",
        "underruns[0].ms",
    ),
    (json.dumps({"type": "ping", "id": "x" * 65}), "too_long", "id"),
    (json.dumps({"type": "ping", "id": 7}), "bad_field", "id"),
]


async def test_all_bad_messages_in_one_session_are_answered_and_it_still_speaks() -> None:
    limits = ("limits.text_chars=200", "limits.take_chars=205")
    async with server(*limits) as live, client(live) as one:
        take_id = (await one.speak("one two three ", more=True))["take_id"]
        for text, code, field in BAD:
            await one.socket.send(text.replace(TAKE, take_id))
            told = await one.until("error")
            assert (told["code"], told.get("field")) == (code, field), text[:100]
            assert told["message"]
            if '"bad"' in text:
                assert told["reply_to"] == "bad", text[:100]
        await one.socket.send(b"\x01\x02")
        assert (await one.until("error"))["code"] == "unexpected_binary"
        await one.send("append", take_id=take_id, text="four")
        await one.send("finish", take_id=take_id)
        done = await one.until("take.done")
        assert done["samples"] == len(arithmetic.whole("one two three four"))
        await live.idle()


async def test_each_limit_in_force_is_told_and_kept() -> None:
    limits = ("limits.concurrent_takes=2", "limits.text_chars=50", "limits.take_chars=60")
    async with server(*limits) as live, client(live) as one:
        told = one.opened["limits"]
        assert (told["concurrent_takes"], told["text_chars"], told["take_chars"]) == (2, 50, 60)
        for _ in range(2):
            await one.speak("a", more=True)
        await one.send("speak", text="third")
        assert (await one.until("error"))["code"] == "too_many_takes"
        await one.send("cancel")
        await one.flush()
        await live.idle()


async def test_a_take_that_is_over_is_named_so() -> None:
    async with server() as live, client(live) as one:
        take_id = (await one.speak("hi"))["take_id"]
        await one.until("take.done")
        for type, fields in (("append", {"text": "x"}), ("finish", {}), ("cancel", {})):
            await one.send(type, take_id=take_id, id="late", **fields)
            told = await one.until("error")
            assert (told["code"], told["field"], told["reply_to"]) == (
                "wrong_state", "take_id", "late",
            )  # fmt: skip
            assert "done" in told["message"]


async def test_the_first_message_must_open_the_session() -> None:
    async with server() as live, connected(live) as one:
        await one.send("speak", text="hi", id="early")
        told = await one.until("error")
        assert (told["code"], told["reply_to"]) == ("not_open", "early")
        await one.send("session.open", audio={"format": "mp3"})
        assert (await one.until("error"))["field"] == "audio.format"
        await one.send("session.open", audio={"frame_ms": 30})
        assert (await one.until("error"))["field"] == "audio.frame_ms"
        await one.send("session.open", lead_ms=1)
        assert (await one.until("error"))["field"] == "lead_ms"
        await one.open()


async def test_unknown_fields_get_one_warning_a_session() -> None:
    async with server() as live, client(live) as one:
        await one.send("speak", text="hi", volume=11, id="a")
        warned = await one.until("warning")
        assert warned["code"] == "unknown_fields"
        assert "volume" in warned["message"]
        await one.send("speak", text="hi", volume=11, id="b")
        await one.until("take.done", reply_to="b")
        assert len([told for told in one.messages() if told["type"] == "warning"]) == 1


async def test_a_direction_is_answered_with_a_warning_and_spoken_without() -> None:
    async with server() as live, client(live) as one:
        await one.speak("hi", direction="a little gentler")
        warned = await one.until("warning")
        assert warned["code"] == "direction_unsupported"
        assert "a little gentler" in warned["message"]
        await one.until("take.done")


@pytest.mark.parametrize("over", [1, 100_000])
async def test_too_large_a_message_is_the_end(over: int) -> None:
    async with server("limits.message_bytes=1000") as live, client(live) as one:
        await one.socket.send(" " * (1000 + over))
        code, _ = await one.closed()
        assert code == 1009
        await live.app.connections.gone()


async def test_without_session_open_the_connection_ends() -> None:
    async with server("limits.open_s=0.1") as live, connected(live) as one:
        code, reason = await one.closed()
        assert code == 4400
        assert "no session.open within 0.1 s" in reason


@pytest.mark.parametrize("protocol", [None, "voice.v2"])
async def test_another_subprotocol_is_turned_away(protocol: str | None) -> None:
    async with server() as live, connected(live, protocol=protocol) as one:
        code, reason = await one.closed()
        assert (code, reason) == (4400, "expected the subprotocol voice.v1")


@pytest.mark.parametrize(
    ("origin", "code"),
    [
        (None, 1000),
        ("http://localhost:3000", 1000),
        ("http://127.0.0.1:1", 1000),
        ("https://friend.example", 1000),
        ("https://evil.example", 1008),
        ("http://localhost.evil.example", 1008),
        ("null", 1008),
    ],
)
async def test_pages_from_elsewhere_may_not_connect(origin: str | None, code: int) -> None:
    async with (
        server("server.origins=[https://friend.example]") as live,
        connected(live, origin=origin) as one,
    ):
        if code == 1000:
            await one.open()
            await one.send("session.close")
        assert (await one.closed())[0] == code


async def test_one_more_than_may_connect_is_told_to_try_later() -> None:
    async with server("server.max_connections=1") as live, client(live), connected(live) as other:
        assert (await other.closed())[0] == 1013


async def test_one_more_session_than_may_be_is_told_to_try_later() -> None:
    async with server("limits.sessions=1") as live, client(live), connected(live) as other:
        await other.send("session.open")
        code, reason = await other.closed()
        assert code == 1013
        assert "all 1 sessions are taken" in reason
