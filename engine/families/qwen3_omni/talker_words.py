"""Where words are in a take. The talker tells of no word when it is said, so this is an estimate:
the frames of a take shared out by how long its words are written."""

from __future__ import annotations

import re
from typing import Final

from engine.families.qwen3_omni.frames import WordFrames

_WORD: Final = re.compile(r"\S+")
_PAUSES: Final = {",": 3, ";": 4, ":": 4, "—": 4, "…": 6, ".": 6, "!": 6, "?": 6}
"""How many letters a pause after a mark is as long as."""


def words_of(text: str) -> list[tuple[int, int]]:
    """Characters [from, to) of each word; what has no letter or digit is none."""
    found = (match.span() for match in _WORD.finditer(text))
    return [(start, stop) for start, stop in found if any(map(str.isalnum, text[start:stop]))]


def shared_out(
    text: str, frames: tuple[int, int], chars: int = 0, index: int = 0
) -> tuple[WordFrames, ...]:
    """The words of `text` from character `chars` on, numbered from `index`, over frames
    [first, last); each has the share of its letters, a pause after it not counted in."""
    first, last = frames
    spans = [span for span in words_of(text) if span[0] >= chars]
    weights = [_weight(text[start:stop]) for start, stop in spans]
    scale = (last - first) / max(1, sum(said + pause for said, pause in weights))
    words, at = [], 0
    for number, ((start, stop), (said, pause)) in enumerate(zip(spans, weights, strict=True)):
        begin, end = first + round(at * scale), first + round((at + said) * scale)
        words.append(WordFrames(index + number, text[start:stop], begin, end, (start, stop)))
        at += said + pause
    return tuple(words)


def _weight(word: str) -> tuple[int, int]:
    letters = sum(map(str.isalnum, word))
    return letters + 1, _PAUSES.get(word.rstrip("\"')]”’")[-1:], 0)
