"""What is to be measured, and what of it is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from benchmarks.directing.asked import DEGREES, LADDERS, by_degree
from benchmarks.directing.keeping import Kept
from benchmarks.directing.rows import Row, Told
from benchmarks.directing.taking import meant


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure. judged: directions of which all is measured. laddered: those of which each
    degree's sound is. seconds: after which no further take is begun, None for no end."""

    voices: Sequence[str]
    sentences: Sequence[str]
    judged: Sequence[str]
    laddered: Sequence[str]
    threads: int = 1
    seconds: float | None = None
    settings: Sequence[str] = ()

    def directions(self) -> list[str]:
        """All, each once; the undirected take is none of them."""
        degrees = [by_degree(ladder, degree) for ladder, degree in product(self.laddered, DEGREES)]
        return list(dict.fromkeys([*self.judged, *degrees]))

    def asked(self) -> Iterator[tuple[str, str]]:
        """Sentence by sentence, so that a part of a run has heard every voice."""
        yield from ((voice, text) for text in self.sentences for voice in self.voices)

    def is_judged(self, direction: str) -> bool:
        return not direction or direction in self.judged

    def missing(self, kept: Kept, voice: str, text: str) -> list[str]:
        """Directions that are not measured as they are understood now."""
        wanted = [Told(voice, text, direction) for direction in self.directions()]
        return [told.direction for told in wanted if not self._is_kept(kept.find(told), told)]

    def rows(self, kept: Kept) -> list[Row]:
        """What is measured of it, the undirected takes too."""
        each = (
            kept.find(Told(voice, text, direction))
            for voice, text in self.asked()
            for direction in ("", *self.directions())
        )
        return [row for row in each if row is not None]

    def _is_kept(self, row: Row | None, told: Told) -> bool:
        if row is None or row.performance != meant(told):
            return False
        return row.judged is not None or not self.is_judged(told.direction)


def laddered(directions: Sequence[str]) -> list[str]:
    """Those that are measured by degrees too."""
    return [ladder.direction for ladder in LADDERS if ladder.direction in directions]
