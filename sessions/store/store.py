"""What happened, kept: the store as the event loop sees it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from engine.types import Int16, Word
from sessions.scene import Take
from sessions.sound import EMPTY, SoundBuffer
from sessions.store import archive, queries
from sessions.store.archive import Archive, ArchivedSound
from sessions.store.changes import Change, TakeEnded, TakeKept
from sessions.store.errors import StoreError
from sessions.store.files import Shelf
from sessions.store.ledger import Ledger
from sessions.store.records import LineRecord, SceneSheet, SessionHead, SessionRecord, TakeSheet
from sessions.store.worker import Worker

T = TypeVar("T")
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StoreStats:
    """depth, bound: jobs that wait or are done now, and how many there may be. written, failed:
    changes since the start. busy_s: time that the store's thread was at work.
    """

    depth: int
    bound: int
    written: int
    failed: int
    busy_s: float


class Store:
    """A folder with a database and sound files beside it; one process has it open at a time.

    All calls are done by one thread in the order they are made, so a read sees every change told
    before it. `write` is for code that must not wait: it returns at once, and a failure is counted
    and logged even where nobody awaits the answer.
    """

    def __init__(
        self, folder: Path, clock: Callable[[], float] = time.time, bound: int = 256
    ) -> None:
        """clock: seconds since 1970."""
        self._folder = folder
        self._clock = clock
        self._bound = bound
        self._shelf = Shelf(folder)
        self._worker: Worker | None = None
        self._ledger: Ledger | None = None
        self._written = 0
        self._failed = 0

    async def open(self) -> None:
        """Opens it, made if it is not there, and mends what a killed process left behind.

        Raises StoreError: NewerStore, StoreInUse, or a folder that can't be used.
        """
        self._worker = Worker("store", self._bound)
        try:
            await self._worker.submit(self._open_ledger)
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Writes what was told, then lets go of the folder. A closed store can be closed again."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.submit(self._close_ledger)
            await worker.close()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def write(self, change: Change) -> asyncio.Future[None]:
        """Has the change written in its turn; the answer comes when it is on disk.

        The answer raises SessionError where it could not be done, and then nothing of it was.
        Raises StoreError if the store is not open; the sound is closed then too.
        """
        try:
            answer = self._do(lambda ledger: ledger.apply(change))
        except StoreError:
            if isinstance(change, TakeEnded) and change.sound is not None:
                change.sound.close()
            raise
        answer.add_done_callback(self._wrote)
        return answer

    async def room(self) -> None:
        """Waits until the queue is under its bound; called after a `write` that isn't awaited."""
        if self._worker is not None:
            await self._worker.room()

    async def end_take(
        self,
        take: Take,
        words: tuple[Word, ...] = (),
        sound: SoundBuffer | None = None,
        score: bytes | None = None,
    ) -> None:
        """`write(TakeEnded(…))`, waited for."""
        await self.write(TakeEnded(take, words, sound, score))

    async def keep(self, take_id: str) -> None:
        """Makes it its line's take. Raises UnknownTake."""
        sheet = await self.load_take(take_id)
        await self.write(TakeKept(sheet.line.id, take_id))

    async def sessions(self) -> tuple[SessionHead, ...]:
        """All sessions, the one that was used last first."""
        return await self._do(lambda ledger: queries.heads(ledger.db))

    async def load_session(self, session_id: str) -> SessionRecord:
        """Raises UnknownSession."""
        return await self._do(lambda ledger: queries.session(ledger.db, session_id))

    async def load_scene(self, scene_id: str) -> SceneSheet:
        """Raises UnknownScene."""
        return await self._do(lambda ledger: queries.scene(ledger.db, scene_id))

    async def load_line(self, line_id: str) -> tuple[str, LineRecord]:
        """The session and the line with its takes. Raises UnknownLine."""
        return await self._do(lambda ledger: queries.line(ledger.db, line_id))

    async def load_take(self, take_id: str) -> TakeSheet:
        """Raises UnknownTake."""
        return await self._do(lambda ledger: queries.take(ledger.db, take_id))

    async def secret(self, session_id: str) -> bytes | None:
        """The digest of the token that lets somebody come back. Raises UnknownSession."""
        return await self._do(lambda ledger: queries.secret(ledger.db, session_id))

    async def take_sound(self, take_id: str) -> Int16:
        """All samples of the take; none for one without. Raises UnknownTake, StoreError."""
        sheet = await self.load_take(take_id)
        if not sheet.take.samples:
            return EMPTY
        return await self._do(lambda ledger: ledger.sound(sheet.session_id, take_id))

    async def take_score(self, take_id: str) -> bytes | None:
        """What the engine gave to edit the take by. Raises UnknownTake, StoreError."""
        sheet = await self.load_take(take_id)
        return await self._do(lambda ledger: ledger.score(sheet.session_id, take_id))

    async def delete_session(self, session_id: str) -> None:
        """Deletes all of it; of a session that is not there, nothing."""
        await self._do(lambda ledger: ledger.delete(session_id))

    async def expire(self, older_than: float) -> tuple[str, ...]:
        """Deletes the sessions not touched since then (seconds since 1970); returns their names."""
        return await self._do(lambda ledger: ledger.expire(older_than))

    async def import_session(self, document: bytes | str) -> SessionRecord:
        """Opens again what `archive.write` wrote, sound too where it is within.

        Raises BadArchive, or SessionThere where it is in the store still.
        """
        found: Archive = await self._do(lambda _: archive.read(document))
        await self._do(lambda ledger: ledger.bring(found))
        return await self.load_session(found.session.id)

    async def copy_session(self, document: bytes | str, secret: bytes) -> str:
        """As `import_session`, under new names where one of them is there already. secret: a digest
        of the token that lets somebody come back. Returns the session's name. Raises BadArchive.
        """
        found: Archive = await self._do(lambda _: archive.read(document))
        return await self._do(lambda ledger: ledger.bring_copy(found, secret))

    def archived_sounds(self, session: SessionRecord) -> Iterator[ArchivedSound]:
        """The sounds for `archive.write`, each read when asked for. Blocks; raises OSError."""
        for take in session.takes:
            if take.samples:
                files = self._shelf.files(session.id, take.id)
                score = files.score.read_bytes() if files.score.is_file() else None
                yield ArchivedSound(take.id, files.sound.read_bytes(), score)

    def sound_file(self, session_id: str, take_id: str) -> Path:
        """Where the FLAC file of a take that has samples is."""
        return self._shelf.files(session_id, take_id).sound

    @property
    def scratch(self) -> Path:
        """A folder for passing files, emptied when the store is opened."""
        return self._shelf.scratch

    def sound_buffer(self, sample_rate: int, limit: int) -> SoundBuffer:
        """For the sound of a take that begins: at most `limit` samples."""
        return SoundBuffer(sample_rate, limit, self._shelf.scratch)

    def stats(self) -> StoreStats:
        worker = self._worker
        depth, busy = (worker.depth, worker.busy_s) if worker is not None else (0, 0.0)
        return StoreStats(depth, self._bound, self._written, self._failed, busy)

    async def check_integrity(self) -> None:
        """Raises AssertionError unless every row has its files and every file its row."""
        await self._do(lambda ledger: ledger.check_integrity())

    def _do(self, job: Callable[[Ledger], T]) -> asyncio.Future[T]:
        worker, ledger = self._worker, self._ledger
        if worker is None or ledger is None:
            raise StoreError("the store is not open")
        return worker.submit(lambda: job(ledger))

    def _wrote(self, answer: asyncio.Future[None]) -> None:
        error = None if answer.cancelled() else answer.exception()
        if error is None:
            self._written += 1
        else:
            self._failed += 1
            log.error("a change was not stored: %s", error)

    def _open_ledger(self) -> None:
        """In the store's thread, so that a ledger is closed even if nobody waits for it to open."""
        self._ledger = Ledger(self._folder, self._clock)

    def _close_ledger(self) -> None:
        ledger, self._ledger = self._ledger, None
        if ledger is not None:
            ledger.close()
