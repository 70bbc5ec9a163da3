"""What of a parent's take a new one goes on from: its frames before the first change."""

from __future__ import annotations

from typing import Final

from engine.families.qwen3_omni.frames import FRAME, LATE, KeptFrames, WordFrames, codes_of
from engine.families.qwen3_omni.prompt import Kept, Unchanged
from engine.scores import BadScore
from engine.types import Utterance, Word

MARGIN: Final = 4
SHARE: Final = 8
"""A word's times are an estimate that gets worse along a take: as many frames, and one more for so
many frames before it, are made again before the first word that changed."""


def kept_of(utterance: Utterance) -> Kept | Unchanged | None:
    """None where the take is made from its beginning. All after the first change is made again:
    where words end is not known well enough to join what follows them.

    Raises BadScore for a parent that this family didn't make.
    """
    parent = utterance.parent
    if parent is None:
        return None
    try:
        codes = codes_of(parent.scores)
    except ValueError as error:
        raise BadScore(f"this score was not made by this family: {error}") from error
    words = [word for score in parent.scores for word in score.words]
    if not utterance.changes:
        return Unchanged(KeptFrames(0, len(codes), _told(words)))
    said = _before(words, utterance.changes[0].old[0])
    frames = _sure(said[-1].end if said else 0, len(codes))
    if frames <= 0:
        return None
    told = _told([word for word in said if _frame(word.end) <= frames])
    chars = told[-1].span[1] if told else 0
    return Kept(codes[:frames], KeptFrames(0, frames, told), chars)


def _before(words: list[Word], char: int) -> list[Word]:
    """Words that end before a change at `char`; one that only touches it may be part of it."""
    return [word for word in words if word.span[1] < char]


def _sure(sample: int, frames: int) -> int:
    """Frames that surely lie before a sample of an estimated time."""
    at = min(_frame(sample), frames)
    return at - MARGIN - at // SHARE


def _frame(sample: int) -> int:
    """The frame in which a sample lies."""
    return (sample + LATE) // FRAME


def _told(words: list[Word]) -> tuple[WordFrames, ...]:
    """Words before any change, so that their spans are those of the new text too."""
    return tuple(
        WordFrames(at, word.text, _frame(word.start), _frame(word.end), word.span)
        for at, word in enumerate(words)
    )
