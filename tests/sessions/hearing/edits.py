"""Takes of one word a tenth of a second, and edits of them, for tests of listening."""

from __future__ import annotations

import re
from collections import deque

import numpy as np

from engine.types import (
    Change,
    ClauseScore,
    Epoch,
    Finished,
    Parent,
    Pcm,
    Performance,
    RequestId,
    Utterance,
    Word,
)
from sessions.editing import edit_text

RATE = 24_000
WORD = 2_400


def words_of(text: str) -> tuple[Word, ...]:
    return tuple(
        Word(at, found.group(), at * WORD, (at + 1) * WORD, found.span())
        for at, found in enumerate(re.finditer(r"\w+", text))
    )


def clauses(text: str) -> tuple[ClauseScore, ...]:
    """Sentence by sentence."""
    words = words_of(text)
    made = []
    for found in re.finditer(r"[^.]+\.?\s*", text):
        inside = tuple(w for w in words if found.start() <= w.span[0] < found.end())
        start = inside[0].start if inside else 0
        made.append(ClauseScore(found.span(), start, len(inside) * WORD, inside, b""))
    return tuple(made)


def parent(text: str) -> Parent:
    """Every word of it sounds of its own number."""
    sound = np.repeat(np.arange(len(words_of(text)), dtype=np.int16), WORD)
    return Parent(text, sound, clauses(text), Performance())


def edit(old: str, new: str) -> Utterance:
    plan = edit_text(old, words_of(old), new)
    changes = tuple(Change(one.old, one.new) for one in plan.changes)
    return Utterance(
        RequestId("take"), Epoch(1), new, "af_heart", parent=parent(old), changes=changes
    )


def made(said: Utterance, take: int) -> list[Pcm | Finished]:
    """A window a word, changed words sounding of the take's number; then the end."""
    assert said.parent is not None
    outputs: list[Pcm | Finished] = []
    scores = deque(clauses(said.text))
    old = deque(_kept(said))
    for word in words_of(said.text):
        new = any(c.new[0] < word.span[1] and word.span[0] < c.new[1] for c in said.changes)
        sound = np.full(WORD, 1000 + take if new else old.popleft(), np.int16)
        stop = word.end
        ended = [scores.popleft() for s in list(scores) if s.start + s.samples <= stop]
        span = ((word.start, stop),) if new else ()
        outputs.append(
            Pcm(said.request, said.epoch, word.start, sound, (word,), 1, tuple(ended), span)
        )
    return [*outputs, Finished(said.request, said.epoch, len(words_of(said.text)) * WORD, 1)]


def _kept(said: Utterance) -> list[int]:
    """Numbers of the parent's words that no change is over."""
    assert said.parent is not None
    return [
        word.index
        for word in words_of(said.parent.text)
        if not any(c.old[0] < word.span[1] and word.span[0] < c.old[1] for c in said.changes)
    ]
