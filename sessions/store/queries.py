"""Rows as records."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from engine.types import Word
from sessions.errors import UnknownLine, UnknownTake
from sessions.states import TakeState
from sessions.store.errors import UnknownScene, UnknownSession
from sessions.store.records import (
    Aside,
    LineRecord,
    SceneRecord,
    SceneSheet,
    SessionHead,
    SessionRecord,
    TakeRecord,
    TakeSheet,
)
from sessions.store.values import heard_of, performance_of

_TAKE: Final = """takes.id, line_id, kind, voice, takes.text, seed, performance, state, samples,
    sample_rate, created_at, parent, takes.direction, heard"""
_LINE: Final = "id, text, scene_id, speaker, direction, kept, dual"


def heads(db: sqlite3.Connection) -> tuple[SessionHead, ...]:
    """All sessions, the one that was used last first."""
    rows = db.execute(
        """SELECT sessions.id, opened_at, touched_at, count(takes.id), coalesce(sum(samples), 0)
        FROM sessions LEFT JOIN takes ON takes.session_id = sessions.id
        GROUP BY sessions.id ORDER BY touched_at DESC, sessions.id"""
    )
    return tuple(SessionHead(*row) for row in rows)


def secret(db: sqlite3.Connection, session_id: str) -> bytes | None:
    """Raises UnknownSession."""
    row = db.execute("SELECT secret FROM sessions WHERE id = ?", (session_id,)).fetchone()
    if row is None:
        raise _unknown_session(session_id)
    return None if row[0] is None else bytes(row[0])


def session(db: sqlite3.Connection, session_id: str) -> SessionRecord:
    """Raises UnknownSession."""
    row = db.execute(
        "SELECT id, opened_at, touched_at FROM sessions WHERE id = ?", (session_id,)
    ).fetchone()
    if row is None:
        raise _unknown_session(session_id)
    name, opened_at, touched_at = row
    casts = _casts(db, session_id)
    scenes = db.execute(
        "SELECT id, title, script, format FROM scenes WHERE session_id = ? ORDER BY place",
        (session_id,),
    )
    return SessionRecord(
        name,
        opened_at,
        touched_at,
        cast=casts[None],
        scenes=tuple(_scene(db, found, casts) for found in scenes),
        lines=_lines(db, "session_id", session_id),
    )


def scene(db: sqlite3.Connection, scene_id: str) -> SceneSheet:
    """Raises UnknownScene."""
    row = db.execute(
        "SELECT session_id, id, title, script, format FROM scenes WHERE id = ?", (scene_id,)
    ).fetchone()
    if row is None:
        raise UnknownScene(f"no scene is called {scene_id!r}")
    session_id, *found = row
    record = _scene(db, found, _casts(db, session_id))
    return SceneSheet(session_id, record, _lines(db, "scene_id", scene_id))


def take(db: sqlite3.Connection, take_id: str) -> TakeSheet:
    """Raises UnknownTake."""
    row = db.execute("SELECT session_id, line_id FROM takes WHERE id = ?", (take_id,)).fetchone()
    if row is None:
        raise UnknownTake(f"no take is called {take_id!r}", "take_id")
    session_id, line_id = row
    (line,) = _lines(db, "id", line_id)
    return TakeSheet(session_id, line, next(take for take in line.takes if take.id == take_id))


def line(db: sqlite3.Connection, line_id: str) -> tuple[str, LineRecord]:
    """The session and the line. Raises UnknownLine."""
    row = db.execute("SELECT session_id FROM lines WHERE id = ?", (line_id,)).fetchone()
    if row is None:
        raise UnknownLine(f"no line is called {line_id!r}", "line_id")
    (found,) = _lines(db, "id", line_id)
    return str(row[0]), found


def _unknown_session(session_id: str) -> UnknownSession:
    return UnknownSession(f"no session is called {session_id!r}")


def _scene(
    db: sqlite3.Connection,
    row: Iterable[Any],
    casts: Mapping[str | None, tuple[tuple[str, str], ...]],
) -> SceneRecord:
    scene_id, title, script, format_ = row
    asides = db.execute(
        "SELECT kind, text, before_line FROM asides WHERE scene_id = ? ORDER BY place", (scene_id,)
    )
    return SceneRecord(
        scene_id,
        title,
        script,
        format_,
        cast=casts[scene_id],
        asides=tuple(Aside(*aside) for aside in asides),
    )


def _casts(
    db: sqlite3.Connection, session_id: str
) -> defaultdict[str | None, tuple[tuple[str, str], ...]]:
    """Speakers and voices by scene, None for the session's own."""
    casts: defaultdict[str | None, tuple[tuple[str, str], ...]] = defaultdict(tuple)
    rows = db.execute(
        "SELECT scene_id, speaker, voice FROM casts WHERE session_id = ? ORDER BY place",
        (session_id,),
    )
    for scene_id, speaker, voice in rows:
        casts[scene_id] += ((speaker, voice),)
    return casts


def _lines(db: sqlite3.Connection, column: str, value: str) -> tuple[LineRecord, ...]:
    """Lines with their takes, where that column of `lines` (no user's text) has the value."""
    chosen = f"(SELECT id FROM lines WHERE {column} = ?)"
    words: defaultdict[str, list[Word]] = defaultdict(list)
    rows = db.execute(
        f"""SELECT take_id, number, words.text, start, end, span_from, span_to
        FROM words JOIN takes ON takes.id = take_id
        WHERE line_id IN {chosen} ORDER BY take_id, number""",
        (value,),
    )
    for take_id, number, text, start, end, *span in rows:
        words[take_id].append(Word(number, text, start, end, (span[0], span[1])))
    takes: defaultdict[str, list[TakeRecord]] = defaultdict(list)
    rows = db.execute(
        f"SELECT {_TAKE} FROM takes WHERE line_id IN {chosen} ORDER BY place", (value,)
    )
    for row in rows:
        record = _take(row, tuple(words.get(row[0], ())))
        takes[record.line_id].append(record)
    lines = db.execute(f"SELECT {_LINE} FROM lines WHERE {column} = ? ORDER BY place", (value,))
    return tuple(_line(line, takes) for line in lines)


def _line(row: tuple[Any, ...], takes: Mapping[str, list[TakeRecord]]) -> LineRecord:
    line_id, text, scene_id, speaker, direction, kept, dual = row
    found = tuple(takes.get(line_id, ()))
    return LineRecord(line_id, text, scene_id, speaker, direction, kept, found, bool(dual))


def _take(row: tuple[Any, ...], words: tuple[Word, ...]) -> TakeRecord:
    return TakeRecord(
        id=row[0],
        line_id=row[1],
        kind=row[2],
        voice=row[3],
        text=row[4],
        seed=row[5],
        performance=performance_of(row[6]),
        state=TakeState[row[7]],
        samples=row[8],
        sample_rate=row[9],
        created_at=row[10],
        parent=row[11],
        direction=row[12],
        words=words,
        heard=None if row[13] is None else heard_of(row[13]),
    )
