"""Scores as bytes, so that whoever keeps takes can keep what it needs to edit them."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable

from engine.errors import EngineError
from engine.types import ClauseScore, Word

_LENGTHS = struct.Struct("<II")
_VERSION = 1


class BadScore(EngineError):
    """Bytes that are not scores, or scores of a version that this program can't read."""

    code = "bad_score"


def pack(scores: Iterable[ClauseScore]) -> bytes:
    """One after the other: lengths of head and notes, the head as JSON, the notes as they are."""
    parts = []
    for score in scores:
        words = [(w.index, w.text, w.start, w.end, *w.span) for w in score.words]
        head = json.dumps([_VERSION, score.span, score.start, score.samples, words]).encode()
        parts += [_LENGTHS.pack(len(head), len(score.notes)), head, score.notes]
    return b"".join(parts)


def unpack(data: bytes) -> tuple[ClauseScore, ...]:
    """The inverse of `pack`. Raises BadScore."""
    scores, at = [], 0
    while at < len(data):
        try:
            head, notes = _LENGTHS.unpack_from(data, at)
            at += _LENGTHS.size
            scores.append(_score(data[at : at + head], data[at + head : at + head + notes], notes))
        except (struct.error, ValueError, TypeError) as error:
            raise BadScore(f"these bytes are not a take's score: {error}") from error
        at += head + notes
    return tuple(scores)


def _score(head: bytes, notes: bytes, length: int) -> ClauseScore:
    version, span, start, samples, words = json.loads(head)
    if version != _VERSION or len(notes) != length:
        raise ValueError(f"version {version}, {len(notes)} of {length} bytes")
    made = (Word(index, text, a, b, (c, d)) for index, text, a, b, c, d in words)
    return ClauseScore((span[0], span[1]), start, samples, tuple(made), notes)
