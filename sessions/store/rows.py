"""Changes as rows. Each function runs within the caller's transaction."""

from __future__ import annotations

import sqlite3

from engine.types import Word
from sessions.errors import UnknownLine, UnknownTake
from sessions.scene import Take
from sessions.states import TakeState
from sessions.store.changes import (
    LineAdded,
    SceneAdded,
    SessionOpened,
    TakeBegun,
    TakeKept,
    VoiceCast,
)
from sessions.store.errors import UnknownSession
from sessions.store.values import heard_text, performance_text


def open_session(db: sqlite3.Connection, change: SessionOpened, now: float) -> None:
    db.execute(
        """INSERT INTO sessions (id, secret, opened_at, touched_at) VALUES (?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET
            secret = coalesce(excluded.secret, secret), touched_at = excluded.touched_at""",
        (change.session_id, change.secret, now, now),
    )


def touch(db: sqlite3.Connection, session_id: str, now: float) -> None:
    """Raises UnknownSession."""
    found = db.execute("UPDATE sessions SET touched_at = ? WHERE id = ?", (now, session_id))
    if not found.rowcount:
        raise UnknownSession(f"no session is called {session_id!r}")


def session_of_take(db: sqlite3.Connection, take_id: str) -> str:
    """Raises UnknownTake."""
    row = db.execute("SELECT session_id FROM takes WHERE id = ?", (take_id,)).fetchone()
    if row is None:
        raise UnknownTake(f"no take is called {take_id!r}", "take_id")
    return str(row[0])


def add_scene(db: sqlite3.Connection, change: SceneAdded) -> None:
    db.execute(
        """INSERT INTO scenes (id, session_id, title, script, format) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET
            title = excluded.title, script = excluded.script, format = excluded.format""",
        (change.scene_id, change.session_id, change.title, change.script, change.format),
    )
    db.execute("DELETE FROM asides WHERE scene_id = ?", (change.scene_id,))
    db.executemany(
        "INSERT INTO asides (scene_id, place, kind, text, before_line) VALUES (?, ?, ?, ?, ?)",
        [
            (change.scene_id, place, aside.kind, aside.text, aside.before_line)
            for place, aside in enumerate(change.asides)
        ],
    )


def cast_voice(db: sqlite3.Connection, change: VoiceCast) -> None:
    place = (change.session_id, change.scene_id, change.speaker)
    db.execute("DELETE FROM casts WHERE session_id = ? AND scene_id IS ? AND speaker = ?", place)
    db.execute(
        "INSERT INTO casts (session_id, scene_id, speaker, voice) VALUES (?, ?, ?, ?)",
        (*place, change.voice),
    )


def add_line(db: sqlite3.Connection, change: LineAdded) -> None:
    db.execute(
        """INSERT INTO lines (id, session_id, scene_id, speaker, text, direction, dual)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET
            speaker = excluded.speaker, text = excluded.text, direction = excluded.direction""",
        (
            change.line_id,
            change.session_id,
            change.scene_id,
            change.speaker,
            change.text,
            change.direction,
            change.dual,
        ),
    )


def begin_take(db: sqlite3.Connection, change: TakeBegun, now: float) -> None:
    take = change.take
    db.execute(
        """INSERT INTO takes (id, session_id, line_id, parent, kind, voice, text, seed, direction,
            performance, heard, state, sample_rate, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            take.id,
            change.session_id,
            take.line_id,
            take.parent,
            take.kind,
            take.voice,
            take.text,
            take.seed,
            change.direction,
            performance_text(take.performance),
            heard_text(take.heard),
            take.state.name,
            change.sample_rate,
            now,
        ),
    )


def end_take(db: sqlite3.Connection, take: Take) -> None:
    """How a take stands, but for its sound."""
    db.execute(
        "UPDATE takes SET state = ?, text = ?, performance = ?, heard = ? WHERE id = ?",
        (
            take.state.name,
            take.text,
            performance_text(take.performance),
            heard_text(take.heard),
            take.id,
        ),
    )


def samples_of(db: sqlite3.Connection, take_id: str) -> int:
    """Samples in the take's sound file."""
    row = db.execute("SELECT samples FROM takes WHERE id = ?", (take_id,)).fetchone()
    return 0 if row is None else int(row[0])


def set_state(db: sqlite3.Connection, take_id: str, state: TakeState) -> None:
    db.execute("UPDATE takes SET state = ? WHERE id = ?", (state.name, take_id))


def set_sound(
    db: sqlite3.Connection, take_id: str, samples: int, score: int, words: tuple[Word, ...]
) -> None:
    """samples: in the sound file. score: bytes of the score file."""
    db.execute(
        "UPDATE takes SET samples = ?, score = ? WHERE id = ?",
        (samples, score, take_id),
    )
    db.execute("DELETE FROM words WHERE take_id = ?", (take_id,))
    db.executemany(
        """INSERT INTO words (take_id, number, text, start, end, span_from, span_to)
        VALUES (?, ?, ?, ?, ?, ?, ?)""",
        [(take_id, word.index, word.text, word.start, word.end, *word.span) for word in words],
    )


def keep_take(db: sqlite3.Connection, change: TakeKept) -> str:
    """Returns the session. Raises UnknownLine, or UnknownTake if the take is not of the line."""
    row = db.execute("SELECT session_id FROM lines WHERE id = ?", (change.line_id,)).fetchone()
    if row is None:
        raise UnknownLine(f"no line is called {change.line_id!r}", "line_id")
    if change.take_id is not None:
        of_line = db.execute(
            "SELECT 1 FROM takes WHERE id = ? AND line_id = ?", (change.take_id, change.line_id)
        )
        if of_line.fetchone() is None:
            raise UnknownTake(
                f"the line {change.line_id!r} has no take {change.take_id!r}", "take_id"
            )
    db.execute("UPDATE lines SET kept = ? WHERE id = ?", (change.take_id, change.line_id))
    return str(row[0])
