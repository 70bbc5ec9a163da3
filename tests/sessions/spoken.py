"""Words as an engine would have told them, for tests."""

from __future__ import annotations

import re

from engine.types import Word


def words_of(text: str) -> list[Word]:
    found = re.finditer(r"\S+", text)
    return [
        Word(number, word.group(), 100 * number, 100 * number + 90, word.span())
        for number, word in enumerate(found)
    ]
