"""Whether takes can be spoken yet: what `/readyz` answers, and what sockets wait for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from sessions.scheduler import SessionScheduler


@dataclass(frozen=True, slots=True)
class Loading:
    """step: what is being done, in words. fraction: how much of it, from 0 to 1, if known."""

    step: str
    fraction: float | None = None


@dataclass(frozen=True, slots=True)
class Ready:
    """Takes can be spoken."""

    scheduler: SessionScheduler


@dataclass(frozen=True, slots=True)
class Broken:
    """The engine could not be started; `reason` says what to do."""

    reason: str


@dataclass(frozen=True, slots=True)
class Stopping:
    """The server is about to stop: those who are here may finish."""

    scheduler: SessionScheduler | None


Condition: TypeAlias = Loading | Ready | Broken | Stopping


class Readiness:
    """Holds the condition and wakes whoever waits for another one. Used on the event loop."""

    def __init__(self) -> None:
        self.now: Condition = Loading("starting")
        self._told: list[Callable[[Condition], None]] = []
        self._settled = asyncio.Event()

    def become(self, condition: Condition) -> None:
        """From now on it is so. What is stopping stays so."""
        if isinstance(self.now, Stopping):
            return
        self.now = condition
        if not isinstance(condition, Loading):
            self._settled.set()
        for tell in self._told:
            tell(condition)

    def tell(self, listener: Callable[[Condition], None]) -> None:
        """Calls `listener` with every condition from now on."""
        self._told.append(listener)

    async def settled(self) -> Condition:
        """The condition, once it is another than loading."""
        await self._settled.wait()
        return self.now

    def reasons(self) -> tuple[str, ...]:
        """Why takes can't be spoken now; none if they can."""
        match self.now:
            case Ready():
                return ()
            case Loading(step, None):
                return (f"loading: {step}",)
            case Loading(step, fraction):
                return (f"loading: {step} ({100 * (fraction or 0.0):.0f} %)",)
            case Broken(reason):
                return (reason,)
            case Stopping():
                return ("stopping",)
