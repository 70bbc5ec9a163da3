"""A session from an archive, brought into the store whole or not at all."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import soundfile

from sessions.states import OVER, TakeState
from sessions.store import rows
from sessions.store.archive import Archive, ArchivedSound
from sessions.store.changes import (
    LineAdded,
    SceneAdded,
    SessionOpened,
    TakeBegun,
    TakeKept,
    VoiceCast,
)
from sessions.store.errors import BadArchive, SessionThere
from sessions.store.files import Shelf
from sessions.store.records import LineRecord, SessionRecord, TakeRecord
from sessions.store.schema import transaction


@dataclass(frozen=True, slots=True)
class Bringer:
    """Writes an archive's files, then its rows. `now` gives the time of the visit."""

    db: sqlite3.Connection
    shelf: Shelf
    now: Callable[[], float]

    def bring(self, archive: Archive, secret: bytes | None = None) -> None:
        """secret: a digest of the token that lets somebody come back to the session.

        Raises BadArchive, SessionThere, sqlite3.Error or OSError; then nothing has come in.
        """
        self._check_new(archive.session)
        sounds = {sound.take_id: sound for sound in archive.sounds}
        for take in archive.session.takes:
            if take.id in sounds:
                _check_sound(take, sounds[take.id])
        try:
            for sound in archive.sounds:
                self._write_files(archive.session.id, sound)
            with transaction(self.db):
                self._write_rows(archive.session, sounds, secret)
        except BaseException:
            self.shelf.delete_session(archive.session.id)
            raise

    def _check_new(self, session: SessionRecord) -> None:
        """Names are one to a store, as addresses are made of them."""
        for table, names in (
            ("sessions", (session.id,)),
            ("scenes", tuple(scene.id for scene in session.scenes)),
            ("lines", tuple(line.id for line in session.lines)),
            ("takes", tuple(take.id for take in session.takes)),
        ):
            for name in names:
                if self.db.execute(f"SELECT 1 FROM {table} WHERE id = ?", (name,)).fetchone():
                    raise SessionThere(f"{name!r} is in the store already")

    def _write_files(self, session_id: str, sound: ArchivedSound) -> None:
        files = self.shelf.files(session_id, sound.take_id)
        self.shelf.write_bytes(files, files.sound, sound.flac)
        if sound.score:
            self.shelf.write_bytes(files, files.score, sound.score)

    def _write_rows(
        self, session: SessionRecord, sounds: dict[str, ArchivedSound], secret: bytes | None
    ) -> None:
        rows.open_session(self.db, SessionOpened(session.id, secret), session.opened_at)
        for scene in session.scenes:
            added = SceneAdded(
                session.id, scene.id, scene.title, scene.script, scene.format, scene.asides
            )
            rows.add_scene(self.db, added)
        for cast in _casts(session):
            rows.cast_voice(self.db, cast)
        for line in session.lines:
            self._write_line(session.id, line, sounds)
        rows.touch(self.db, session.id, self.now())

    def _write_line(
        self, session_id: str, line: LineRecord, sounds: dict[str, ArchivedSound]
    ) -> None:
        added = LineAdded(
            session_id,
            line.id,
            line.text,
            line.speaker,
            line.direction,
            line.scene_id,
            line.dual,
        )
        rows.add_line(self.db, added)
        for take in line.takes:
            self._write_take(session_id, take, sounds.get(take.id))
        kept = next((take for take in line.takes if take.id == line.kept), None)
        if kept is not None and (not kept.samples or kept.id in sounds):
            rows.keep_take(self.db, TakeKept(line.id, kept.id))

    def _write_take(self, session_id: str, take: TakeRecord, sound: ArchivedSound | None) -> None:
        """A take whose sound stayed behind comes in as failed: it can't be heard here."""
        begun = TakeBegun(session_id, take.take(), take.sample_rate, take.direction)
        rows.begin_take(self.db, begun, take.created_at)
        silent = not take.samples and take.state in OVER
        if sound is not None:
            rows.set_sound(self.db, take.id, take.samples, len(sound.score or b""), take.words)
        elif not silent:
            rows.set_state(self.db, take.id, TakeState.FAILED)


def _casts(session: SessionRecord) -> Iterator[VoiceCast]:
    for speaker, voice in session.cast:
        yield VoiceCast(session.id, speaker, voice)
    for scene in session.scenes:
        for speaker, voice in scene.cast:
            yield VoiceCast(session.id, speaker, voice, scene.id)


def _check_sound(take: TakeRecord, sound: ArchivedSound) -> None:
    """The bytes must be what the take says: nothing else may lie under the name of a sound."""
    try:
        found = soundfile.info(io.BytesIO(sound.flac))
    except soundfile.LibsndfileError as error:
        raise BadArchive(f"the sound of {take.id} can't be read: {error}") from None
    told = (found.format, found.subtype, found.channels, found.frames, found.samplerate)
    if told != ("FLAC", "PCM_16", 1, take.samples, take.sample_rate):
        raise BadArchive(
            f"the sound of {take.id} should be {take.samples} samples of 16-bit mono FLAC at "
            f"{take.sample_rate} Hz, and is {told}"
        )
