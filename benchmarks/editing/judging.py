"""What an edit is worth, as numbers that can be kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from benchmarks.editing import joins
from benchmarks.editing.making import Heard, Made
from benchmarks.quality.opinion import opinion
from benchmarks.quality.recognisers import Recogniser, at_16k, normalised
from engine.types import Int16
from sessions.events import Recognised
from sessions.hearing.comparing import compared


@dataclass(frozen=True, slots=True)
class Listening:
    """By one recogniser. right: of the edit; whole_right: of the same words in the line made
    whole, without which `right` says nothing. words: heard in the changed words' place."""

    recogniser: str
    right: bool
    whole_right: bool
    words: str


@dataclass(frozen=True, slots=True)
class Trial:
    """One edit in one voice. exact: whether all outside `changed` is the parent's. one_word: at
    most one word out and one in. changed_s: declared, in seconds. natural: sharpness at the
    word boundaries of the line made whole. computed_s, whole_computed_s: of the server. told: what
    the server's own recogniser made of it, None where it has none."""

    kind: str
    voice: str
    old: str
    new: str
    step: int
    exact: bool
    one_word: bool
    changed_s: float
    duration_s: float
    heard: list[Listening]
    opinion: float
    parent_opinion: float
    whole_opinion: float
    joins: list[float]
    natural: list[float]
    first_audio_ms: float | None
    computed_s: float
    whole_computed_s: float
    told: Recognised | None = None


def judged(made: Made, hearing: Sequence[Recogniser]) -> Trial:
    """All figures of an edit."""
    rate, child = made.sample_rate, made.child
    waves = [at_16k(take.samples, rate) for take in (child, made.parent, made.whole)]
    changed = sum(stop - start for start, stop in child.changed or ())
    return Trial(
        kind=made.chain.kind,
        voice=made.voice,
        old=made.old,
        new=made.new,
        step=made.step,
        exact=is_exact(child, made.parent.samples),
        one_word=_one_word(made),
        changed_s=changed / rate,
        duration_s=len(child.samples) / rate,
        heard=[_listening(one, made, waves[0], waves[2]) for one in hearing],
        opinion=opinion(waves[0]),
        parent_opinion=opinion(waves[1]),
        whole_opinion=opinion(waves[2]),
        joins=joins.of_joins(made),
        natural=joins.of_words(made.whole, rate),
        first_audio_ms=child.first_audio_ms,
        computed_s=child.computed_s,
        whole_computed_s=made.whole.computed_s,
        told=child.told,
    )


def _listening(
    recogniser: Recogniser,
    made: Made,
    edited: NDArray[np.float32],
    whole: NDArray[np.float32],
) -> Listening:
    ours = compared(made.old, made.new, recogniser.hear(edited), normalised)
    theirs = compared(made.old, made.new, recogniser.hear(whole), normalised)
    return Listening(recogniser.name, ours.right, theirs.right, ours.words)


def _one_word(made: Made) -> bool:
    """Neither numbers, which are many words when spoken, nor marks alone."""
    old, new = (set(normalised(text).split()) for text in (made.old, made.new))
    words = [*(old - new), *(new - old)]
    few = len(old - new) <= 1 and len(new - old) <= 1
    return few and bool(words) and all(word.isalpha() for word in words)


def is_exact(child: Heard, parent: Int16) -> bool:
    """Whether each piece outside `changed` stands in the parent, in order, the first at its start
    and the last at its end."""
    if child.changed is None:
        return False
    edges = [0, *chain.from_iterable(child.changed), len(child.samples)]
    pieces = [child.samples[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
    at = 0
    for index, piece in enumerate(pieces):
        if index == len(pieces) - 1 and index:
            at = len(parent) - len(piece) if len(parent) - len(piece) >= at else -1
        elif index:
            at = _found(parent, piece, at)
        if at < 0 or not np.array_equal(parent[at : at + len(piece)], piece):
            return False
        at += len(piece)
    return len(pieces) > 1 or len(child.samples) == len(parent)


def _found(parent: Int16, piece: Int16, at: int) -> int:
    """Where a piece stands in the parent from sample `at` on; -1 if nowhere."""
    data, wanted = parent.tobytes(), piece.tobytes()
    place = data.find(wanted, 2 * at)
    while place % 2:
        place = data.find(wanted, place + 1) if place >= 0 else 0
    return place // 2 if place >= 0 else -1
