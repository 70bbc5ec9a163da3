"""Text that knows where in the script each of its characters stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sessions.script.model import Run


@dataclass(frozen=True, slots=True)
class Marked:
    """`at` has, for each character of `text`, its offset in the script."""

    text: str
    at: tuple[int, ...]

    @classmethod
    def of(cls, text: str, offset: int) -> Marked:
        return cls(text, tuple(range(offset, offset + len(text))))

    def __len__(self) -> int:
        return len(self.text)

    def __getitem__(self, part: slice) -> Marked:
        return Marked(self.text[part], self.at[part])

    def __add__(self, other: Marked) -> Marked:
        return Marked(self.text + other.text, self.at + other.at)

    def strip(self) -> Marked:
        start = len(self.text) - len(self.text.lstrip())
        return self[start : max(start, len(self.text.rstrip()))]

    def without(self, spans: Iterable[tuple[int, int]]) -> Marked:
        """Without the characters of `spans`, which go up and don't overlap."""
        parts, kept = [], 0
        for start, end in spans:
            parts.append(self[kept:start])
            kept = end
        return concatenated([*parts, self[kept:]])

    def joined(self, other: Marked, by: str) -> Marked:
        """With `other` after it and the one character `by` between them, unless one is empty."""
        if not self.text or not other.text:
            return self + other
        return self + Marked(by, (self.at[-1] + 1,)) + other

    def single_spaced(self) -> Marked:
        """With runs of blanks within a line made one space."""
        spans = [(m.start() + 1, m.end()) for m in _BLANKS.finditer(self.text)]
        thin = self.without(spans)
        return Marked(_BLANK.sub(" ", thin.text), thin.at)

    def runs(self) -> tuple[Run, ...]:
        """Where the text and the script part."""
        return tuple(
            Run(index, offset)
            for index, offset in enumerate(self.at)
            if index == 0 or offset != self.at[index - 1] + 1
        )


def concatenated(parts: Sequence[Marked]) -> Marked:
    """All parts in a row."""
    text = "".join(part.text for part in parts)
    return Marked(text, tuple(offset for part in parts for offset in part.at))


EMPTY = Marked("", ())
_BLANKS = re.compile(r"[^\S\n]{2,}")
_BLANK = re.compile(r"[^\S\n]")
