"""Takes, scenes and sessions over HTTP, from a real store."""

from __future__ import annotations

import io
import zipfile
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import httpx
import numpy as np
import pytest
import soundfile
from starlette.applications import Starlette
from starlette.requests import Request

from sessions.events import Recognised
from sessions.states import TakeState
from sessions.store import (
    LineAdded,
    SceneAdded,
    SessionOpened,
    Store,
    TakeBegun,
    TakeEnded,
    archive,
)
from tests.sessions.store_values import RATE, WORDS, buffer, noise, take
from voice_server.http import scenes, session_json, takes
from voice_server.http.downloads import Exports

SAMPLES = 10_000


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """Two lines of a scene, each with a take, a third without, and a take of no sound."""
    async with Store(tmp_path) as opened:
        opened.write(SessionOpened("session_1"))
        opened.write(SceneAdded("session_1", "scene_1", "Tée", "A: Hello you", "plain"))
        opened.write(SceneAdded("session_1", "scene_2"))
        for number, speaker in enumerate(("A", "B", "C"), 1):
            opened.write(
                LineAdded("session_1", f"line_{number}", "Hello you", speaker, None, "scene_1")
            )
        for number, line in ((1, 1), (2, 2), (3, 3)):
            begun = take(f"take_{number}", f"line_{line}")
            done = take(begun.id, begun.line_id, TakeState.DONE)
            sound = buffer(noise(SAMPLES if number < 3 else 0, number), opened.scratch)
            opened.write(TakeBegun("session_1", begun, RATE))
            opened.write(TakeEnded(done, WORDS if number < 3 else (), sound, b"score"))
        yield opened
        await opened.check_integrity()
        assert list(opened.scratch.iterdir()) == []
        assert opened.stats().failed == 0


@pytest.fixture
async def client(store: Store) -> AsyncIterator[httpx.AsyncClient]:
    async with connected(Exports(store)) as opened:
        yield opened


def connected(exports: Exports) -> httpx.AsyncClient:
    routes = [*takes.routes(exports), *scenes.routes(exports), *session_json.routes(exports)]
    transport = httpx.ASGITransport(Starlette(routes=routes))
    return httpx.AsyncClient(transport=transport, base_url="http://test")


@pytest.mark.parametrize(
    ("ending", "kind"), [("wav", "audio/wav"), ("flac", "audio/flac"), ("opus", "audio/ogg")]
)
async def test_a_take_as_sound(client: httpx.AsyncClient, ending: str, kind: str) -> None:
    answer = await client.get(f"/v1/takes/take_1.{ending}")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(kind)
    assert answer.headers["content-disposition"] == f'attachment; filename="take_1.{ending}"'
    heard, rate = soundfile.read(io.BytesIO(answer.content), dtype="int16")
    assert (len(heard), rate) == (SAMPLES, RATE)
    if ending != "opus":
        assert np.array_equal(heard, noise(SAMPLES, 1))


@pytest.mark.parametrize("address", ["takes/take_1.flac", "takes/take_1.wav", "scenes/scene_1.wav"])
async def test_parts_of_a_file_can_be_asked_for(client: httpx.AsyncClient, address: str) -> None:
    all_of_it = (await client.get(f"/v1/{address}")).content
    part = await client.get(f"/v1/{address}", headers={"range": "bytes=100-299"})
    assert part.status_code == 206
    assert part.headers["content-range"] == f"bytes 100-299/{len(all_of_it)}"
    assert part.content == all_of_it[100:300]


async def test_a_take_as_text(client: httpx.AsyncClient) -> None:
    told = (await client.get("/v1/takes/take_1.json")).json()
    assert told["take"]["performance"]["pauses"] == [{"at": 6, "seconds": 0.5}]
    assert [word["text"] for word in told["take"]["words"]] == ["Hello", "you"]
    assert (told["session_id"], told["line"]["speaker"]) == ("session_1", "A")
    vtt = await client.get("/v1/takes/take_1.vtt")
    assert vtt.headers["content-type"] == "text/vtt; charset=utf-8"
    assert vtt.text.startswith("WEBVTT\n\n00:00:00.000 --> ")
    assert "<v A>Hello you" in vtt.text
    srt = await client.get("/v1/takes/take_1.srt")
    assert srt.text.startswith("1\n00:00:00,000 --> ")


@pytest.mark.parametrize("ending", ["wav", "flac", "opus"])
async def test_a_scene_as_sound(client: httpx.AsyncClient, ending: str) -> None:
    answer = await client.get(f"/v1/scenes/scene_1.{ending}")
    assert answer.status_code == 200
    name = answer.headers["content-disposition"].rpartition("''")[2]
    assert unquote(name) == f"Tée.{ending}"
    heard = soundfile.read(io.BytesIO(answer.content), dtype="int16")[0]
    assert len(heard) == 2 * SAMPLES + 0.6 * RATE
    if ending != "opus":
        assert np.array_equal(heard[:SAMPLES], noise(SAMPLES, 1))
        assert np.array_equal(heard[-SAMPLES:], noise(SAMPLES, 2))


async def test_a_scene_as_an_archive_and_captions(client: httpx.AsyncClient) -> None:
    answer = await client.get("/v1/scenes/scene_1.zip")
    assert answer.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as opened:
        assert opened.testzip() is None
        assert "stems/02 B.wav" in opened.namelist()
    assert "<v B>Hello you" in (await client.get("/v1/scenes/scene_1.vtt")).text
    assert "B: Hello you" in (await client.get("/v1/scenes/scene_1.srt")).text
    assert (await client.get("/v1/scenes/scene_1.json")).json()["format"] == "voice-scene"


async def test_a_session_opens_again_elsewhere(client: httpx.AsyncClient, tmp_path: Path) -> None:
    plain = await client.get("/v1/sessions/session_1")
    assert plain.json()["sounds"] == []
    document = (await client.get("/v1/sessions/session_1?sound=embedded")).content
    async with Store(tmp_path / "other") as other:
        found = await other.import_session(document)
        assert [line.chosen() is not None for line in found.lines] == [True, True, False]
        assert np.array_equal(await other.take_sound("take_2"), noise(SAMPLES, 2))
    assert archive.read(plain.content).session == archive.read(document).session
    assert (await client.get("/v1/sessions/session_1?sound=x")).status_code == 400


async def test_what_was_heard_of_an_edit_is_told(client: httpx.AsyncClient, store: Store) -> None:
    begun = replace(take("take_4", "line_1", parent="take_1"), heard=Recognised(False, "hi", 3))
    store.write(TakeBegun("session_1", begun, RATE))
    await store.end_take(replace(begun, state=TakeState.DONE))
    heard = {"right": False, "words": "hi", "tries": 3}
    assert (await client.get("/v1/takes/take_4.json")).json()["take"]["heard"] == heard
    lines = (await client.get("/v1/sessions/session_1")).json()["session"]["lines"]
    assert [take["heard"] for take in lines[0]["takes"]] == [None, heard]


async def test_a_take_without_sound(client: httpx.AsyncClient) -> None:
    for ending in ("wav", "opus"):
        answer = await client.get(f"/v1/takes/take_3.{ending}")
        assert len(soundfile.read(io.BytesIO(answer.content))[0]) == 0
    answer = await client.get("/v1/takes/take_3.flac")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "not_exportable")
    assert (await client.get("/v1/scenes/scene_2.wav")).status_code == 409


@pytest.mark.parametrize(
    ("address", "code", "named"),
    [
        ("takes/take_9.wav", "unknown_take", "'take_9'"),
        ("scenes/nothing.zip", "unknown_scene", "'nothing'"),
        ("sessions/nobody", "unknown_session", "'nobody'"),
        ("takes/take_1.mp3", "unknown_format", ".opus"),
        ("takes/take_1.zip", "unknown_format", ".opus"),
        ("takes/take_1", "unknown_format", "'take_1'"),
        ("takes/.wav", "unknown_format", "'.wav'"),
    ],
)
async def test_what_is_not_there_is_named(
    client: httpx.AsyncClient, address: str, code: str, named: str
) -> None:
    answer = await client.get(f"/v1/{address}")
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == code
    assert named in answer.json()["error"]["message"]


async def test_who_may_not_see_a_session_learns_nothing_of_it(store: Store) -> None:
    def may(request: Request, session_id: str) -> bool:
        return session_id == request.headers.get("x-mine")

    async with connected(Exports(store, may)) as client:
        for address in ("takes/take_1.wav", "scenes/scene_1.zip", "sessions/session_1"):
            mine = await client.get(f"/v1/{address}", headers={"x-mine": "session_1"})
            assert mine.status_code == 200
            hidden = await client.get(f"/v1/{address}")
            missing = await client.get(f"/v1/{address.replace('_1', '_7')}")
            assert (hidden.status_code, missing.status_code) == (404, 404)
            assert hidden.text == missing.text.replace("_7", "_1")


async def test_a_head_has_the_headers_and_no_body(client: httpx.AsyncClient) -> None:
    for address in ("takes/take_1.opus", "takes/take_1.flac", "scenes/scene_1.zip"):
        answer = await client.head(f"/v1/{address}")
        assert (answer.status_code, answer.content) == (200, b"")
        assert "attachment" in answer.headers["content-disposition"]


async def test_sound_that_is_gone_is_an_answer(
    client: httpx.AsyncClient, store: Store, tmp_path: Path
) -> None:
    await store.load_take("take_1")
    sound = store.sound_file("session_1", "take_1")
    away = sound.rename(tmp_path / "away.flac")
    for ending in ("wav", "flac"):
        answer = await client.get(f"/v1/takes/take_1.{ending}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "store_failed")
    away.rename(sound)
