"""So many clients at once, each with a session of its own, each asking again as it is answered."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from benchmarks import texts
from benchmarks.scoring import Arrival, Heard, Outcome, Refused
from engine.families.qwen3_omni.frames import FRAME, LATE
from voice_server.client import ClientError, Notice, Session, connect

SHARES: Final = (1.0, 0.8, 1.2, 0.9, 1.1, 0.95, 1.05)
"""Of the usual length, for takes in turn: were all the same, all would begin and end together."""
LEAD_MS: Final = 10_000
"""Clients take all sound as it comes and want the longest lead, as a program that writes a file."""
FRAME_MS: Final = 60
"""Of a packet."""
WAIT_S: Final = 300.0


@dataclass(frozen=True, slots=True)
class Level:
    """What so many clients at once heard. wall_s: from their first request to their last packet.
    client_cpu: of a core, that this process used meanwhile; near 1, it is what was measured.
    server_cpu: the same of the server's processes together."""

    clients: int
    wall_s: float
    client_cpu: float
    server_cpu: float
    outcomes: list[Outcome] = field(repr=False)

    @property
    def heard(self) -> list[Heard]:
        return [outcome for outcome in self.outcomes if isinstance(outcome, Heard)]

    @property
    def refused(self) -> list[Refused]:
        return [outcome for outcome in self.outcomes if isinstance(outcome, Refused)]

    @property
    def frames(self) -> int:
        return sum(-(-(take.arrivals[-1].until + LATE) // FRAME) for take in self.heard)


class Clients:
    """Open sessions with a server, of which the first so many are used at a level."""

    def __init__(self, sessions: Sequence[Session]) -> None:
        self._sessions = sessions
        self._numbers = count()

    async def together(self, clients: int, seconds: float, characters: int) -> list[Outcome]:
        """Each speaks at least once, and again until so much time is over; then it hears its take
        out. characters: of a take, on average; of random weights' takes each is a frame, 80 ms."""
        until = time.perf_counter() + seconds
        outcomes: list[Outcome] = []

        async def one(session: Session) -> None:
            while True:
                outcomes.append(await self._said(session, characters))
                if time.perf_counter() >= until:
                    return

        await asyncio.gather(*(one(session) for session in self._sessions[:clients]))
        return outcomes

    async def _said(self, session: Session, characters: int) -> Outcome:
        number = next(self._numbers)
        try:
            async with asyncio.timeout(WAIT_S):
                return await heard(session, story(number, characters), number)
        except ClientError as error:
            return Refused(str(error))
        except TimeoutError:
            return Refused(f"not heard out within {WAIT_S:g} s")


def story(number: int, characters: int) -> str:
    """What the take of that number says: its share of so many characters, in one sentence."""
    length = round(SHARES[number % len(SHARES)] * characters)
    first = number % len(texts.SENTENCES)
    told = ", ".join(
        sentence.rstrip(".") for sentence in (*texts.SENTENCES[first:], *texts.SENTENCES)
    )
    return told[: length - 1].rstrip(" ,").ljust(length - 1, "e") + "."


async def heard(session: Session, text: str, seed: int) -> Outcome:
    """One take, with the time of each packet's arrival."""
    asked_at, samples, arrivals = time.perf_counter(), 0, list[Arrival]()
    take = await session.speak(text, seed=seed)
    async for block in take:
        samples += len(block)
        arrivals.append(Arrival(time.perf_counter() - asked_at, samples))
    if not samples:
        return Refused("no sound came")
    return Heard(tuple(arrivals), session.audio.sample_rate, 2 * samples)


def silent(notice: Notice) -> None:
    """Warnings, such as of a take that was cut off, change nothing that is measured."""


async def opened(stack: AsyncExitStack, address: str, sessions: int) -> Clients:
    """So many sessions, open until the stack is left."""
    opening = [
        stack.enter_async_context(
            connect(address, format="pcm16", frame_ms=FRAME_MS, lead_ms=LEAD_MS, on_notice=silent)
        )
        for _ in range(sessions)
    ]
    return Clients([await one for one in opening])
