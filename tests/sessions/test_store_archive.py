"""A session as JSON opens again as the same session; what is no such JSON is refused by place."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sessions.events import Recognised
from sessions.states import TakeState
from sessions.store import (
    Aside,
    BadArchive,
    LineAdded,
    SceneAdded,
    SessionThere,
    Store,
    TakeBegun,
    VoiceCast,
    archive,
)
from tests.sessions.store_values import RATE, WORDS, buffer, noise, story, take


async def archived(folder: Path, with_sound: bool = True) -> bytes:
    """A session with a scene, a kept take with sound and one that failed, as a document."""
    async with Store(folder, lambda: 50.0) as store:
        for change in story(store.scratch, noise(3_000)):
            await store.write(change)
        await store.write(
            SceneAdded("session_1", "scene_1", "Storm", "A: Hi", "plain", (Aside("note", "n", 0),))
        )
        await store.write(VoiceCast("session_1", "A", "v", "scene_1"))
        await store.write(VoiceCast("session_1", "HERO", "w"))
        await store.write(
            LineAdded("session_1", "line_2", "Hi", "A", scene_id="scene_1", dual=True)
        )
        failed = take("take_2", "line_2", TakeState.FAILED)
        await store.write(TakeBegun("session_1", failed, RATE))
        await store.keep("take_1")
        edited = replace(take("take_3", parent="take_1"), heard=Recognised(False, "hi", 3))
        await store.write(TakeBegun("session_1", edited, RATE))
        done = replace(edited, state=TakeState.DONE)
        await store.end_take(done, WORDS, buffer(noise(40), store.scratch))
        session = await store.load_session("session_1")
        sounds = store.archived_sounds(session) if with_sound else ()
        return b"".join(archive.write(session, sounds))


async def test_it_opens_again_as_it_was(tmp_path: Path) -> None:
    document = await archived(tmp_path / "a")
    async with Store(tmp_path / "b", lambda: 50.0) as store:
        found = await store.import_session(document)
        assert found == archive.read(document).session
        assert found.kept == {"line_1": "take_1"}
        assert [take.heard for take in found.takes] == [None, Recognised(False, "hi", 3), None]
        assert found.scenes[0].cast == (("A", "v"),)
        assert [line.dual for line in found.lines] == [False, True]
        assert np.array_equal(await store.take_sound("take_1"), noise(3_000))
        assert await store.take_score("take_1") == b"\x00score\xff"
        sounds = store.archived_sounds(found)
        assert b"".join(archive.write(found, sounds)) == document
        await store.check_integrity()


async def test_without_sound_its_takes_cannot_be_heard(tmp_path: Path) -> None:
    document = await archived(tmp_path / "a", with_sound=False)
    async with Store(tmp_path / "b") as store:
        found = await store.import_session(document)
        assert {take.state for take in found.takes} == {TakeState.FAILED}
        assert {take.samples for take in found.takes} == {0}
        assert found.kept == {}
        await store.check_integrity()


async def test_a_copy_has_names_of_its_own_where_they_are_taken(tmp_path: Path) -> None:
    document = await archived(tmp_path)
    async with Store(tmp_path, lambda: 50.0) as store:
        first = await store.load_session("session_1")
        name = await store.copy_session(document, b"digest of another token")
        assert name != "session_1"
        copy = await store.load_session(name)
        assert await store.secret(name) == b"digest of another token"
        assert await store.secret("session_1") == b"digest"
        assert {take.id for take in copy.takes}.isdisjoint(take.id for take in first.takes)
        ids = {one.id: number for number, one in enumerate((*first.takes, *first.lines))}
        new = {one.id: number for number, one in enumerate((*copy.takes, *copy.lines))}
        for old, other in zip(first.takes, copy.takes, strict=True):
            assert (ids.get(old.parent), ids[old.line_id]) == (
                new.get(other.parent),
                new[other.line_id],
            )
            assert (old.text, old.state, old.heard) == (other.text, other.state, other.heard)
            samples = [await store.take_sound(one.id) for one in (old, other)]
            assert np.array_equal(*samples)
        assert [ids.get(line.kept) for line in first.lines] == [
            new.get(line.kept) for line in copy.lines
        ]
        assert [line.scene_id for line in copy.lines] == [None, copy.scenes[0].id]
        await store.check_integrity()


async def test_a_copy_keeps_its_names_where_nobody_has_them(tmp_path: Path) -> None:
    document = await archived(tmp_path / "a")
    async with Store(tmp_path / "b") as store:
        assert await store.copy_session(document, b"digest") == "session_1"
        assert await store.secret("session_1") == b"digest"


async def test_a_session_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    document = await archived(tmp_path)
    async with Store(tmp_path) as store:
        with pytest.raises(SessionThere, match="session_1"):
            await store.import_session(document)
        other = document.replace(b'"id":"session_1"', b'"id":"session_2"')
        with pytest.raises(SessionThere, match="scene_1"):
            await store.import_session(other)
        assert np.array_equal(await store.take_sound("take_1"), noise(3_000))
        await store.check_integrity()


def _rename_session(document: Any) -> None:
    document["session"]["id"] = "../up"


def _newer(document: Any) -> None:
    document["version"] = 2


def _other_format(document: Any) -> None:
    document["format"] = "something"


def _wrong_type(document: Any) -> None:
    document["session"]["lines"][0]["takes"][0]["seed"] = "many"


def _no_parent(document: Any) -> None:
    document["session"]["lines"][0]["takes"][0]["parent"] = "nobody"


def _twice(document: Any) -> None:
    document["session"]["lines"].append(document["session"]["lines"][0])


def _kept_elsewhere(document: Any) -> None:
    document["session"]["lines"][0]["kept"] = "take_2"


def _sound_of_none(document: Any) -> None:
    document["sounds"][0]["take_id"] = "nobody"


def _no_flac(document: Any) -> None:
    document["sounds"][0]["flac"] = "bm8gc291bmQ="


def _other_length(document: Any) -> None:
    document["session"]["lines"][0]["takes"][0]["samples"] = 2_999


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (_rename_session, r"\.\./up"),
        (_newer, "version 2"),
        (_other_format, "format"),
        (_wrong_type, r"session\.lines\.0\.takes\.0\.seed"),
        (_no_parent, "parent is called 'nobody'"),
        (_twice, "'line_1' is there twice"),
        (_kept_elsewhere, "kept take is called 'take_2'"),
        (_sound_of_none, "take is called 'nobody'"),
        (_no_flac, "take_1 can't be read"),
        (_other_length, "2999 samples"),
    ],
)
async def test_what_is_wrong_is_named_and_nothing_comes_in(
    tmp_path: Path, spoil: Callable[[Any], None], told: str
) -> None:
    document = json.loads(await archived(tmp_path / "a"))
    spoil(document)
    async with Store(tmp_path / "b") as store:
        with pytest.raises(BadArchive, match=told):
            await store.import_session(json.dumps(document))
        assert await store.sessions() == ()
        await store.check_integrity()


@pytest.mark.parametrize("document", [b"", b"{}", b"[1]", b"\xff", b'{"format":"voice-session"}'])
def test_other_bytes_are_refused(document: bytes) -> None:
    with pytest.raises(BadArchive):
        archive.read(document)
