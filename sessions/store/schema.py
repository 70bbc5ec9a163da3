"""The tables, and how an older store becomes a newer one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sessions.store.errors import NewerStore, StoreInUse

_FIRST: Final = (
    """CREATE TABLE sessions (
        id TEXT PRIMARY KEY,
        secret BLOB,
        opened_at REAL NOT NULL,
        touched_at REAL NOT NULL
    )""",
    """CREATE TABLE scenes (
        place INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        title TEXT NOT NULL,
        script TEXT NOT NULL,
        format TEXT NOT NULL
    )""",
    """CREATE TABLE asides (
        scene_id TEXT NOT NULL REFERENCES scenes(id) ON DELETE CASCADE,
        place INTEGER NOT NULL,
        kind TEXT NOT NULL,
        text TEXT NOT NULL,
        before_line INTEGER NOT NULL,
        PRIMARY KEY (scene_id, place)
    ) WITHOUT ROWID""",
    # Of the session as a whole where scene_id is NULL; a later row is a later choice.
    """CREATE TABLE casts (
        place INTEGER PRIMARY KEY AUTOINCREMENT,
        session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        scene_id TEXT REFERENCES scenes(id) ON DELETE CASCADE,
        speaker TEXT NOT NULL,
        voice TEXT NOT NULL
    )""",
    """CREATE TABLE lines (
        place INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        scene_id TEXT REFERENCES scenes(id) ON DELETE CASCADE,
        speaker TEXT,
        text TEXT NOT NULL,
        direction TEXT,
        kept TEXT REFERENCES takes(id) DEFERRABLE INITIALLY DEFERRED
    )""",
    # state is the name of a TakeState; score is the size in bytes of the file beside, 0 for none.
    """CREATE TABLE takes (
        place INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        line_id TEXT NOT NULL REFERENCES lines(id) ON DELETE CASCADE,
        parent TEXT REFERENCES takes(id) DEFERRABLE INITIALLY DEFERRED,
        kind TEXT NOT NULL,
        voice TEXT NOT NULL,
        text TEXT NOT NULL,
        seed INTEGER NOT NULL,
        direction TEXT,
        performance TEXT NOT NULL,
        state TEXT NOT NULL,
        samples INTEGER NOT NULL DEFAULT 0,
        sample_rate INTEGER NOT NULL,
        score INTEGER NOT NULL DEFAULT 0,
        created_at REAL NOT NULL
    )""",
    """CREATE TABLE words (
        take_id TEXT NOT NULL REFERENCES takes(id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        text TEXT NOT NULL,
        start INTEGER NOT NULL,
        end INTEGER NOT NULL,
        span_from INTEGER NOT NULL,
        span_to INTEGER NOT NULL,
        PRIMARY KEY (take_id, number)
    ) WITHOUT ROWID""",
    "CREATE INDEX scenes_of_session ON scenes(session_id)",
    "CREATE INDEX casts_of_session ON casts(session_id)",
    "CREATE INDEX casts_of_scene ON casts(scene_id)",
    "CREATE INDEX lines_of_session ON lines(session_id)",
    "CREATE INDEX lines_of_scene ON lines(scene_id)",
    "CREATE INDEX lines_by_kept ON lines(kept)",
    "CREATE INDEX takes_of_session ON takes(session_id)",
    "CREATE INDEX takes_of_line ON takes(line_id)",
    "CREATE INDEX takes_by_parent ON takes(parent)",
)

# What a recogniser made of an edit, as JSON; NULL where nobody listened.
_HEARD: Final = ("ALTER TABLE takes ADD COLUMN heard TEXT",)

# Whether it is said at the same time as the line before it.
_DUAL: Final = ("ALTER TABLE lines ADD COLUMN dual INTEGER NOT NULL DEFAULT 0",)

MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (_FIRST, _HEARD, _DUAL)
"""Statements from one version to the next. A released entry never changes; new ones are added."""


def connect(file: Path, migrations: tuple[tuple[str, ...], ...] = MIGRATIONS) -> sqlite3.Connection:
    """The store's one connection, for the calling thread, at the newest version.

    Raises NewerStore, StoreInUse or sqlite3.Error.
    """
    connection = sqlite3.connect(file, isolation_level=None, timeout=1.0)
    try:
        _prepare(connection, file)
        _migrate(connection, migrations, file)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All that is written within is there together, or none of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _prepare(connection: sqlite3.Connection, file: Path) -> None:
    """Exclusive, as two owners would each take the other's new files for leftovers."""
    try:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        with transaction(connection):
            connection.execute("SELECT 1 FROM sqlite_master")
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise StoreInUse(f"{file} is open in another process") from error
        raise


def _migrate(
    connection: sqlite3.Connection, migrations: tuple[tuple[str, ...], ...], file: Path
) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(migrations):
        raise NewerStore(
            f"{file} is of version {version} and this program knows {len(migrations)}: "
            "use the newer program, or another data folder"
        )
    for number, statements in enumerate(migrations[version:], version + 1):
        with transaction(connection):
            for statement in statements:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
