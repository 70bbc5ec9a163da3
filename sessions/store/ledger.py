"""The store itself, as one thread sees it: each change whole, in the database and beside it."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import assert_never

import soundfile

from engine.types import Int16
from sessions.scene import Take
from sessions.sound import read_flac
from sessions.states import OVER, TakeState
from sessions.store import rows
from sessions.store.archive import Archive, renamed
from sessions.store.bringing import Bringer
from sessions.store.changes import (
    Change,
    LineAdded,
    SceneAdded,
    SessionDeleted,
    SessionOpened,
    TakeBegun,
    TakeEnded,
    TakeKept,
    Together,
    VoiceCast,
)
from sessions.store.errors import SessionThere, StoreError
from sessions.store.files import Shelf, check_name
from sessions.store.schema import connect, transaction


class Ledger:
    """Owns the connection and the files. All calls come from the thread that made it.

    A file is on disk before the row that tells of it, and a row is gone before its file is: so a
    process that is killed leaves at most files without rows, which the next `Ledger` deletes.
    """

    def __init__(self, folder: Path, clock: Callable[[], float]) -> None:
        """Opens the store, made if it is not there. Raises StoreError, NewerStore, StoreInUse."""
        self._clock = clock
        with _told():
            folder.mkdir(parents=True, exist_ok=True)
            self.db = connect(folder / "store.sqlite3")
        self.shelf = Shelf(folder)
        try:
            with _told():
                self.shelf.open()
                self._mend()
        except BaseException:
            self.db.close()
            raise

    def close(self) -> None:
        self.db.close()

    def apply(self, change: Change) -> None:
        """Writes it. Raises SessionError (StoreError among them), and then nothing was written."""
        with _told():
            match change:
                case TakeEnded():
                    self._end_take(change)
                case SessionDeleted():
                    self.delete(change.session_id)
                case _:
                    with transaction(self.db):
                        self._write(change)

    def delete(self, session_id: str) -> None:
        """Of a session that is not there, nothing is deleted."""
        check_name(session_id)
        with _told(), transaction(self.db):
            self.db.execute("DELETE FROM sessions WHERE id = ?", (session_id,))
        self.shelf.delete_session(session_id)

    def bring(self, archive: Archive, secret: bytes | None = None) -> None:
        """Takes in a session from elsewhere. Raises BadArchive, SessionThere, StoreError."""
        with _told():
            Bringer(self.db, self.shelf, self._clock).bring(archive, secret)

    def bring_copy(self, archive: Archive, secret: bytes | None = None) -> str:
        """As `bring`, under new names where one of them is taken; returns the session's."""
        try:
            self.bring(archive, secret)
        except SessionThere:
            archive = renamed(archive)
            self.bring(archive, secret)
        return archive.session.id

    def sound(self, session_id: str, take_id: str) -> Int16:
        """All samples of a take that has some."""
        with _told():
            return read_flac(self.shelf.files(session_id, take_id).sound)

    def score(self, session_id: str, take_id: str) -> bytes | None:
        path = self.shelf.files(session_id, take_id).score
        with _told():
            return path.read_bytes() if path.is_file() else None

    def expire(self, before: float) -> tuple[str, ...]:
        """Deletes the sessions that were not touched since; returns their names."""
        with _told():
            found = self.db.execute("SELECT id FROM sessions WHERE touched_at < ?", (before,))
            old = tuple(str(row[0]) for row in found.fetchall())
            for session_id in old:
                self.delete(session_id)
            return old

    def check_integrity(self) -> None:
        """Raises AssertionError unless rows and files are the same takes and rows agree."""
        wrong = self.db.execute("PRAGMA foreign_key_check").fetchall()
        assert not wrong, f"rows that refer to nothing: {wrong}"
        known = self._known()
        there = frozenset(self.shelf.paths())
        assert known == there, f"files and rows differ: {known ^ there}"

    def _write(
        self,
        change: SessionOpened
        | SceneAdded
        | VoiceCast
        | LineAdded
        | TakeBegun
        | TakeKept
        | Together,
    ) -> None:
        now = self._clock()
        match change:
            case SessionOpened():
                check_name(change.session_id)
                rows.open_session(self.db, change, now)
            case SceneAdded():
                rows.touch(self.db, change.session_id, now)
                rows.add_scene(self.db, change)
            case VoiceCast():
                rows.touch(self.db, change.session_id, now)
                rows.cast_voice(self.db, change)
            case LineAdded():
                rows.touch(self.db, change.session_id, now)
                rows.add_line(self.db, change)
            case TakeBegun():
                check_name(change.take.id)
                rows.touch(self.db, change.session_id, now)
                rows.begin_take(self.db, change, now)
            case Together():
                for one in change.changes:
                    self._write(one)
            case TakeKept():
                rows.touch(self.db, rows.keep_take(self.db, change), now)
            case _:
                assert_never(change)

    def _end_take(self, change: TakeEnded) -> None:
        sound = change.sound
        with contextlib.closing(sound) if sound is not None else contextlib.nullcontext():
            session_id = rows.session_of_take(self.db, change.take.id)
            files = self.shelf.files(session_id, change.take.id)
            if sound is not None and len(sound):
                self.shelf.write_sound(files, sound)
            if sound is not None and change.score:
                self.shelf.write_bytes(files, files.score, change.score)
            with transaction(self.db):
                rows.end_take(self.db, self._as_stored(change))
                if sound is not None:
                    score = len(change.score or b"")
                    rows.set_sound(self.db, change.take.id, len(sound), score, change.words)
                rows.touch(self.db, session_id, self._clock())

    def _as_stored(self, change: TakeEnded) -> Take:
        """A take that was done, but whose sound could not be stored before, has failed here."""
        take = change.take
        lost = change.sound is None and take.state is TakeState.DONE and take.samples
        if lost and not rows.samples_of(self.db, take.id):
            return replace(take, state=TakeState.FAILED)
        return take

    def _known(self) -> frozenset[Path]:
        """The files that the rows tell of."""
        known = set()
        for session_id, take_id, samples, score in self._stored():
            files = self.shelf.files(session_id, take_id)
            known |= {files.sound} if samples else set()
            known |= {files.score} if score else set()
        return frozenset(known)

    def _stored(self) -> Iterator[tuple[str, str, int, int]]:
        return self.db.execute("SELECT session_id, id, samples, score FROM takes")

    def _mend(self) -> None:
        """What a process that was killed left behind: files without a row go; a take without its
        file, or that was under way without sound, has failed; one that has all its sound is done.
        """
        known = self._known()
        lost = {path for path in known if not path.is_file()}
        with transaction(self.db):
            for session_id, take_id, _, _ in list(self._stored()):
                files = self.shelf.files(session_id, take_id)
                if files.sound in lost:
                    self._lose(take_id)
                elif files.score in lost:
                    self.db.execute("UPDATE takes SET score = 0 WHERE id = ?", (take_id,))
            self._settle()
        self.shelf.clean(self._known())

    def _lose(self, take_id: str) -> None:
        """The take's sound is not there any more."""
        rows.set_sound(self.db, take_id, 0, 0, ())
        rows.set_state(self.db, take_id, TakeState.FAILED)
        self.db.execute("UPDATE lines SET kept = NULL WHERE kept = ?", (take_id,))

    def _settle(self) -> None:
        """Takes that were under way are over."""
        over = [state.name for state in OVER]
        marks = ", ".join("?" for _ in over)
        self.db.execute(
            f"""UPDATE takes SET state = CASE WHEN samples > 0 THEN ? ELSE ? END
            WHERE state NOT IN ({marks})""",
            (TakeState.DONE.name, TakeState.FAILED.name, *over),
        )


@contextmanager
def _told() -> Iterator[None]:
    """What the database and the disk raise, as the store's own; so with text that is no Unicode and
    numbers over 64 bits, which the database does not take."""
    try:
        yield
    except (sqlite3.Error, OSError, soundfile.LibsndfileError, ValueError, OverflowError) as error:
        raise StoreError(f"the store could not do it: {error}") from error
