"""A session's file that is sent to a server and gone on with there."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from engine.family import Family
from sessions.store import Store, archive
from tests import arithmetic
from tests.sessions.store_values import noise, story
from tests.voice_server.live import client, connected, server
from voice_server.http import imports
from voice_server.http.imports import Imports

MOST = 20_000


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with Store(tmp_path / "here") as opened:
        yield opened
        assert list(opened.scratch.iterdir()) == []
        await opened.check_integrity()


@pytest.fixture
async def web(store: Store) -> AsyncIterator[httpx.AsyncClient]:
    app = Starlette(routes=imports.routes(Imports(store, ("http://friend",), MOST)))
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://here") as opened:
        yield opened


def able(_: object) -> Family:
    return arithmetic.load(can=arithmetic.EVERYTHING)


async def document(folder: Path) -> bytes:
    """A session with a take that has sound."""
    async with Store(folder) as store:
        for change in story(store.scratch, noise(2_000)):
            await store.write(change)
        session = await store.load_session("session_1")
        return b"".join(archive.write(session, store.archived_sounds(session)))


async def test_it_is_there_with_its_sound(
    web: httpx.AsyncClient, store: Store, tmp_path: Path
) -> None:
    sent = await document(tmp_path / "there")
    answer = await web.post("/v1/sessions", content=sent)
    assert answer.status_code == 201
    assert answer.headers["location"] == "/v1/sessions/session_1"
    assert answer.json()["session_id"] == "session_1"
    assert len(await store.take_sound("take_1")) == 2_000
    again = await web.post("/v1/sessions", content=sent)
    assert again.status_code == 201
    assert len(await store.sessions()) == 2
    assert again.json()["token"] != answer.json()["token"]


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        (b"", None),
        (b"{", None),
        (b"{}", "format"),
        (b'{"format":"voice-session","version":9}', "version"),
        (b'{"format":"voice-session","version":1,"session":{"id":"s"}}', "session.opened_at"),
    ],
)
async def test_what_is_no_session_is_told_by_place(
    web: httpx.AsyncClient, store: Store, sent: bytes, field: str | None
) -> None:
    answer = await web.post("/v1/sessions", content=sent)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error.get("field")) == (400, "bad_archive", field)
    assert (field or "") in error["message"]
    assert await store.sessions() == ()


async def test_a_file_over_the_limit_is_refused_whether_its_length_is_told_or_not(
    web: httpx.AsyncClient,
) -> None:
    async def unmeasured() -> AsyncIterator[bytes]:
        for _ in range(MOST // 1_000 + 1):
            yield b"x" * 1_000

    for content in (b"x" * (MOST + 1), unmeasured()):
        answer = await web.post("/v1/sessions", content=content)
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
        assert "limits.session_bytes" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("origin", "may"),
    [("http://here", True), ("http://friend", True), ("http://stranger", False), ("null", False)],
)
async def test_pages_from_elsewhere_may_not(
    web: httpx.AsyncClient, tmp_path: Path, origin: str, may: bool
) -> None:
    sent = await document(tmp_path / "there")
    answer = await web.post("/v1/sessions", content=sent, headers={"origin": origin})
    assert answer.status_code == (201 if may else 403)
    assert may or answer.json()["error"]["code"] == "not_allowed"


async def test_a_store_that_is_not_open_is_an_answer(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.scratch.mkdir()
    app = Starlette(routes=imports.routes(Imports(store, (), MOST)))
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://here") as web:
        answer = await web.post("/v1/sessions", content=b"{}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "store_failed")


async def test_a_session_from_a_file_is_gone_on_with_at_another_server() -> None:
    async with server(load=able) as first:
        async with client(first) as one:
            started = await one.speak("we sail at dawn my friends", voice="high", seed=3)
            await one.until("take.done")
            sound = one.sound(started["stream"])
            path = f"v1/sessions/{one.opened['session_id']}?sound=embedded"
            saved = await first.get(path)
        await first.idle()
    async with server("limits.session_bytes=1000000", load=able) as second:
        async with httpx.AsyncClient(base_url=second.http) as web:
            answer = await web.post("v1/sessions", content=saved.content)
        ticket = answer.json()
        async with connected(second) as one:
            opened = await one.open(resume=ticket)
            assert (opened["resumed"], opened["limits"]["session_bytes"]) == (True, 1_000_000)
            await one.send("edit", take_id=started["take_id"], text="we sail at dawn my dear")
            edited = await one.until("take.started")
            assert edited["parent"] == started["take_id"]
            done = await one.until("take.done")
            (changed,) = done["changed"]
            same = int(changed["start_ms"] * 24)
            assert same
            assert (one.sound(edited["stream"])[:same] == sound[:same]).all()
        await second.idle()
        line = json.loads((await second.get(f"v1/sessions/{ticket['session_id']}")).text)
        assert len(line["session"]["lines"][0]["takes"]) == 2
