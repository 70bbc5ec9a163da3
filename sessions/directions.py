"""Directions, understood on behalf of a session, and what is told of how they were understood."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

from engine.types import Performance
from sessions import events
from sessions.directing import Context, Directed, Meaning, concepts, direct

LONG = 4_000
"""Characters of text from which on a direction is understood in a thread: it may take a tenth of a
second, in which nothing else would be sent."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to know of a command that stops nothing."""

    code: str
    message: str


class Directions:
    """meaning: asked for phrases outside the vocabulary, if there is one."""

    def __init__(self, meaning: Meaning | None = None) -> None:
        self._meaning = meaning

    async def understood(self, direction: str, base: Performance, context: Context) -> Directed:
        """The performance that is asked for, said of one that is `base`."""
        if len(context.text) < LONG:
            return self.at_once(direction, base, context)
        return await asyncio.to_thread(direct, direction, base, context, self._meaning)

    def at_once(self, direction: str, base: Performance, context: Context) -> Directed:
        """The same, for a text that isn't long."""
        return direct(direction, base, context, self._meaning)


def warm_up() -> None:
    """Reads the vocabulary, so that the first direction need not: a tenth of a second."""
    direct("a little slower", Performance(), Context("Good morning."))
    next(concepts())


def moved(directed: Directed) -> tuple[events.Moved, ...]:
    """Which words moved what."""
    return tuple(
        events.Moved(
            one.phrase,
            {change.lever: (change.before, change.after) for change in one.changes},
            one.scope,
        )
        for one in directed.moved
    )


def remarks(directed: Directed) -> Iterator[Remark]:
    """What wasn't understood, and what can't be done."""
    if directed.ignored:
        quoted = ", ".join(f"“{phrase}”" for phrase in directed.ignored)
        yield Remark("direction_not_understood", f"not understood, and left out: {quoted}")
    for one in directed.impossible:
        yield Remark("direction_impossible", one.message)
