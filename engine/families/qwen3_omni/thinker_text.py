"""Text that comes in pieces, handed on where a tokenizer would cut it anyway."""

from __future__ import annotations

import re
from typing import Final

_BLANKS: Final = re.compile(r"\s+")


class Pieces:
    """Pieces of text, each ending with a letter that something else follows. Byte-pair tokenizers
    of this family never join a letter with what follows it, so the tokens of the pieces are those
    of the whole, however it was pushed.
    """

    def __init__(self) -> None:
        self._pending = ""

    def push(self, text: str) -> str:
        """What can be tokenised now; may be empty."""
        held = self._pending + text
        cut = next((at for at in range(len(held) - 1, 0, -1) if _ends_word(held, at)), 0)
        self._pending = held[cut:]
        return held[:cut]

    def end(self) -> str:
        """What was left."""
        held, self._pending = self._pending, ""
        return held


def _ends_word(text: str, at: int) -> bool:
    return text[at - 1].isalpha() and not text[at].isalpha()


def spoken(piece: str, *, first: bool, last: bool) -> str:
    """A piece as it is to be tokenised: blanks, and what was blanked out, are one space."""
    text = _BLANKS.sub(" ", piece)
    if first:
        text = text.lstrip()
    return text.rstrip() if last else text
