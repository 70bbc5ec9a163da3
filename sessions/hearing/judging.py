"""Who listens, and what is made of what was heard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.types import Int16
from sessions.hearing.comparing import Heard, compared
from sessions.hearing.passages import Passage


class Judge(Protocol):
    """Hears words. Neither method keeps the event loop from its work for more than moments."""

    @property
    def ready(self) -> bool:
        """Whether it can hear already."""
        ...

    async def hear(self, sound: Int16, sample_rate: int) -> str:
        """The words in some seconds of speech. Raises JudgeFailed."""
        ...

    def normalise(self, text: str) -> str:
        """Text as what is heard is compared with it."""
        ...


class JudgeFailed(Exception):
    """The recogniser could not listen; the message says why."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """right: whether all changed words were heard. wrong: of how many passages that is not so.
    words: heard in the changed words' place."""

    right: bool
    wrong: int
    words: str


async def judged(
    judge: Judge, samples: Int16, sample_rate: int, parts: Sequence[Passage]
) -> Verdict:
    """Of a take's sound. Raises JudgeFailed."""
    heard: list[Heard] = []
    for part in parts:
        got = await judge.hear(samples[part.start : part.stop], sample_rate)
        heard.append(compared(part.old, part.new, got, judge.normalise))
    wrong = sum(not one.right for one in heard)
    return Verdict(not wrong, wrong, " … ".join(one.words for one in heard))
