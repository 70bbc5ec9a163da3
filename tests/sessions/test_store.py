"""The store as the event loop sees it: in order, over restarts, and clear about what is wrong."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sessions.errors import UnknownLine, UnknownTake
from sessions.events import Recognised
from sessions.states import TakeState
from sessions.store import (
    Aside,
    Change,
    LineAdded,
    NewerStore,
    SceneAdded,
    SessionDeleted,
    SessionOpened,
    Store,
    StoreError,
    StoreInUse,
    TakeBegun,
    TakeEnded,
    TakeKept,
    UnknownScene,
    UnknownSession,
    VoiceCast,
)
from sessions.store.schema import MIGRATIONS, connect
from tests.sessions.store_values import RATE, WORDS, beginning, buffer, noise, story, take


async def told(store: Store, *changes: Change) -> None:
    for change in changes:
        await store.write(change)


async def test_all_of_a_take_is_there_after_a_restart(tmp_path: Path) -> None:
    samples = noise(5_000)
    async with Store(tmp_path, lambda: 100.0) as store:
        await told(store, *story(store.scratch, samples))
        await store.keep("take_1")
        before = await store.load_session("session_1")
    async with Store(tmp_path) as store:
        after = await store.load_session("session_1")
        assert after == before
        assert (after.opened_at, after.touched_at) == (100.0, 100.0)
        assert after.kept == {"line_1": "take_1"}
        (found,) = after.takes
        assert found.take() == replace(take(state=TakeState.DONE), samples=5_000)
        assert (found.direction, found.words, found.created_at) == ("a little slower", WORDS, 100.0)
        assert np.array_equal(await store.take_sound("take_1"), samples)
        assert await store.take_score("take_1") == b"\x00score\xff"
        assert await store.secret("session_1") == b"digest"
        assert after.scene().takes() == (found.take(),)
        await store.check_integrity()


async def test_scenes_keep_their_script_cast_and_order(tmp_path: Path) -> None:
    async with Store(tmp_path) as store:
        asides = (Aside("heading", "INT. SHIP", 0), Aside("action", "It rains.", 1))
        await told(
            store,
            SessionOpened("s"),
            SceneAdded("s", "scene", "Storm", "INT. SHIP", "fountain", asides),
            VoiceCast("s", "A", "one", "scene"),
            VoiceCast("s", "B", "two", "scene"),
            VoiceCast("s", "A", "three", "scene"),
            VoiceCast("s", "A", "loose"),
            LineAdded("s", "l1", "first", "A", scene_id="scene"),
            LineAdded("s", "l2", "second", "B", scene_id="scene", dual=True),
            LineAdded("s", "l0", "of no scene"),
            LineAdded("s", "l1", "first, changed", "A", "softly", scene_id="scene"),
            LineAdded("s", "l2", "second", "B", scene_id="scene"),
        )
        sheet = await store.load_scene("scene")
        assert sheet.session_id == "s"
        assert sheet.scene.cast == (("B", "two"), ("A", "three"))
        assert sheet.scene.asides == asides
        assert [(line.id, line.text, line.direction, line.dual) for line in sheet.lines] == [
            ("l1", "first, changed", "softly", False),
            ("l2", "second", None, True),
        ]
        session = await store.load_session("s")
        assert session.cast == (("A", "loose"),)
        assert [line.id for line in session.lines] == ["l1", "l2", "l0"]
        assert session.scenes == (sheet.scene,)


async def test_undo_is_choosing_an_earlier_take(tmp_path: Path) -> None:
    async with Store(tmp_path) as store:
        await told(store, *story(store.scratch, noise(10)))
        again = take("take_2", parent="take_1")
        await told(store, TakeBegun("session_1", again, RATE))
        done = replace(again, state=TakeState.DONE)
        await store.end_take(done, sound=buffer(noise(20), store.scratch))
        line = (await store.load_take("take_2")).line
        chosen = line.chosen()
        assert chosen is not None
        assert chosen.id == "take_2"
        for take_id in ("take_2", "take_1"):
            await store.keep(take_id)
            chosen = (await store.load_take("take_2")).line.chosen()
            assert chosen is not None
            assert chosen.id == take_id
        await store.write(TakeKept("line_1", None))
        assert (await store.load_session("session_1")).kept == {}


async def test_a_take_made_first_and_done_later_keeps_its_sound(tmp_path: Path) -> None:
    async with Store(tmp_path) as store:
        *changes, ended = story(store.scratch, noise(30))
        assert isinstance(ended, TakeEnded)
        made = replace(ended, take=take(state=TakeState.MADE))
        await told(store, *changes, made, TakeEnded(take(state=TakeState.CANCELLED)))
        (found,) = (await store.load_session("session_1")).takes
        assert (found.state, found.samples, found.words) == (TakeState.CANCELLED, 30, WORDS)
        assert found.audible is False
        assert np.array_equal(await store.take_sound("take_1"), noise(30))
        await store.check_integrity()


async def test_what_was_heard_of_an_edit_is_there_after_a_restart(tmp_path: Path) -> None:
    heard = Recognised(False, "thirsty", 3)
    made = replace(take(state=TakeState.MADE), heard=heard)
    async with Store(tmp_path) as store:
        await told(store, *beginning())
        sound = buffer(noise(30), store.scratch)
        done = replace(made, state=TakeState.DONE)
        await told(store, TakeEnded(made, WORDS, sound), TakeEnded(done))
    async with Store(tmp_path) as store:
        (found,) = (await store.load_session("session_1")).takes
        assert (found.state, found.heard) == (TakeState.DONE, heard)
        assert found.take().heard == heard


async def test_writes_are_in_order_and_reads_see_them(tmp_path: Path) -> None:
    async with Store(tmp_path, bound=4) as store:
        store.write(SessionOpened("s"))
        for number in range(20):
            store.write(LineAdded("s", f"line_{number}", "words"))
            await store.room()
            assert store.stats().depth < 4
        session = await store.load_session("s")
        assert [line.id for line in session.lines] == [f"line_{number}" for number in range(20)]
        assert store.stats().written == 21
        assert store.stats().bound == 4
    assert store.stats().depth == 0


async def test_a_write_is_done_though_whoever_asked_is_gone(tmp_path: Path) -> None:
    async with Store(tmp_path) as store:
        asked = store.write(SessionOpened("s"))
        asked.cancel()
        await asyncio.sleep(0)
        assert [head.id for head in await store.sessions()] == ["s"]


async def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    async with Store(tmp_path) as store:
        await store.write(SessionOpened("s"))
        with pytest.raises(UnknownSession, match="'nobody'"):
            await store.load_session("nobody")
        with pytest.raises(UnknownSession, match="'nobody'"):
            await store.write(LineAdded("nobody", "l", "words"))
        with pytest.raises(UnknownScene, match="'x'"):
            await store.load_scene("x")
        with pytest.raises(UnknownTake, match="'x'"):
            await store.take_sound("x")
        with pytest.raises(UnknownTake, match="'x'"):
            await store.keep("x")
        with pytest.raises(UnknownLine, match="'x'"):
            await store.write(TakeKept("x", None))


async def test_a_change_that_fails_leaves_nothing_and_is_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with Store(tmp_path) as store:
        await told(store, *story(store.scratch, noise(10)))
        before = await store.load_session("session_1")
        held = buffer(noise(5), store.scratch)
        wrong = [
            TakeBegun("session_1", take("take_2", "no_line"), RATE),
            TakeBegun("session_1", take("take_2", parent="no_take"), RATE),
            TakeBegun("session_1", take("../../escape"), RATE),
            TakeBegun("session_1", take("take_2", seed=2**70), RATE),
            LineAdded("session_1", "line_2", "\ud800"),
            TakeEnded(take("no_take", state=TakeState.DONE), (), held),
        ]
        for change in wrong:
            with pytest.raises((StoreError, UnknownTake)):
                await store.write(change)
        assert (await store.load_session("session_1")).lines == before.lines
        assert store.stats().failed == len(wrong)
        assert "was not stored" in caplog.text
        with pytest.raises(ValueError, match="closed"):
            held.read(0, 1)
        await store.check_integrity()


async def test_deleting_takes_the_sound_along(tmp_path: Path) -> None:
    async with Store(tmp_path) as store:
        await told(store, *story(store.scratch, noise(10)))
        sound = store.sound_file("session_1", "take_1")
        assert sound.is_file()
        await store.write(SessionDeleted("session_1"))
        assert not sound.parent.exists()
        assert await store.sessions() == ()
        await store.delete_session("session_1")
        await store.check_integrity()


async def test_only_sessions_that_nobody_touched_expire(tmp_path: Path) -> None:
    now = [0.0]
    async with Store(tmp_path, lambda: now[0]) as store:
        for name in ("old", "used", "new"):
            await store.write(SessionOpened(name))
            now[0] += 10
        await store.write(LineAdded("used", "l", "words"))
        assert await store.expire(older_than=15) == ("old",)
        assert [head.id for head in await store.sessions()] == ["used", "new"]


async def test_a_take_under_way_at_the_end_has_failed_at_the_next_start(tmp_path: Path) -> None:
    async with Store(tmp_path) as store:
        await told(store, *beginning())
        (found,) = (await store.load_session("session_1")).takes
        assert found.state is TakeState.SPEAKING
    async with Store(tmp_path) as store:
        (found,) = (await store.load_session("session_1")).takes
        assert (found.state, found.samples) == (TakeState.FAILED, 0)


async def test_a_sound_that_is_lost_and_one_that_is_strange_are_cleaned(tmp_path: Path) -> None:
    async with Store(tmp_path) as store:
        await told(store, *story(store.scratch, noise(10)))
        await store.keep("take_1")
        sound = store.sound_file("session_1", "take_1")
        left = store.scratch / "left.wav"
        left.touch()
    sound.unlink()
    strange = [sound.with_name("other.flac"), sound.with_name("take_2.flac.unfinished")]
    for path in strange:
        path.write_bytes(b"x")
    async with Store(tmp_path) as store:
        session = await store.load_session("session_1")
        (found,) = session.takes
        assert (found.state, found.samples, found.words) == (TakeState.FAILED, 0, ())
        assert session.kept == {}
        assert not any(path.exists() for path in (*strange, left))
        assert len(await store.take_sound("take_1")) == 0
        await store.check_integrity()


async def test_a_newer_store_is_left_alone(tmp_path: Path) -> None:
    async with Store(tmp_path):
        pass
    with sqlite3.connect(tmp_path / "store.sqlite3") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(NewerStore, match="version 99"):
        await Store(tmp_path).open()


async def test_a_store_has_one_owner(tmp_path: Path) -> None:
    async with Store(tmp_path):
        with pytest.raises(StoreInUse, match="another process"):
            await Store(tmp_path).open()
    async with Store(tmp_path) as store:
        assert await store.sessions() == ()


async def test_a_folder_that_cannot_be_used_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="could not"):
        await Store(tmp_path / "file").open()


async def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = Store(tmp_path)
    await store.open()
    held = buffer(noise(5), store.scratch)
    await store.close()
    await store.close()
    with pytest.raises(StoreError, match="not open"):
        store.write(TakeEnded(take(), (), held))
    with pytest.raises(ValueError, match="closed"):
        held.read(0, 1)


def test_an_older_store_is_brought_up_step_by_step(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite3"
    connect(file).close()
    newer = (*MIGRATIONS, ("ALTER TABLE takes ADD COLUMN mood TEXT",), ("CREATE TABLE more (x)",))
    connection = connect(file, newer)
    assert connection.execute("PRAGMA user_version").fetchone() == (len(newer),)
    connection.execute("SELECT mood FROM takes")
    connection.close()


async def test_takes_of_the_first_version_are_read_and_written(tmp_path: Path) -> None:
    connect(tmp_path / "store.sqlite3", MIGRATIONS[:1]).close()
    with sqlite3.connect(tmp_path / "store.sqlite3") as db:
        db.execute("INSERT INTO sessions VALUES ('session_1', NULL, 1, 1)")
        db.execute(
            """INSERT INTO lines (id, session_id, text) VALUES ('line_1', 'session_1', 'Hello')"""
        )
        db.execute(
            """INSERT INTO takes (id, session_id, line_id, kind, voice, text, seed, performance,
                state, sample_rate, created_at)
            VALUES ('take_1', 'session_1', 'line_1', 'spoken', 'v', 'Hello', 7, '{}', 'DONE',
                24000, 1)"""
        )
    db.close()
    async with Store(tmp_path) as store:
        (found,) = (await store.load_session("session_1")).takes
        assert (found.text, found.heard) == ("Hello", None)
        again = replace(take("take_2", parent="take_1"), heard=Recognised(True, "hi", 1))
        await told(store, TakeBegun("session_1", again, RATE), TakeEnded(again))
        *_, found = (await store.load_session("session_1")).takes
        assert found.heard == again.heard
        await store.check_integrity()


def test_a_migration_that_fails_is_undone(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite3"
    connect(file).close()
    bad = (*MIGRATIONS, ("CREATE TABLE more (x)", "CREATE nonsense"))
    with pytest.raises(sqlite3.OperationalError):
        connect(file, bad)
    connection = connect(file)
    tables = connection.execute("SELECT name FROM sqlite_master").fetchall()
    assert ("more",) not in tables
    connection.close()
