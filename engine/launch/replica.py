"""One replica of a group as its supervisor sees it over all its lives, whatever it runs in."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping

from engine.errors import EngineError
from engine.launch.backoff import Backoff
from engine.launch.control import Word
from engine.messages import StageAddress
from engine.stats import ProcessState, ProcessStats, StageStats, WindowStats
from engine.transport.node import Origin


class Replica(ABC):
    """What is known of it, and how it goes from state to state.

    number: of its process in the engine. up: set once the first life is ready, or can't be.
    backoff: before it is started again. endpoint: where this life receives.
    """

    def __init__(
        self, number: int, replica: int, group: str, addresses: tuple[StageAddress, ...]
    ) -> None:
        self.number = number
        self.name = f"{group}/{replica}"
        self.addresses = addresses
        self.error: EngineError | None = None
        self.endpoint = ""
        self.origin = Origin(number, -1)
        self.started_at = 0.0
        self.backoff = Backoff()
        self.joined = False
        self.up: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._group = group
        self._replica = replica
        self._state: ProcessState = "started"
        self._waits: set[tuple[Origin, Origin]] = set()

    @property
    def alive(self) -> bool:
        return self._state != "dead"

    @property
    def ready(self) -> bool:
        return self._state in ("ready", "draining")

    def next_origin(self) -> Origin:
        return Origin(self.number, self.origin.starts + 1)

    def begin_life(self, me: Origin, endpoint: str, state: ProcessState) -> None:
        """What was of the life before is over."""
        self.origin, self.endpoint = me, endpoint
        self.error, self.joined, self._state = None, False, state
        self.started_at = asyncio.get_running_loop().time()

    def become_started(self) -> None:
        """For one that was not there when its life began."""
        self._state = "started"

    def become_joining(self) -> None:
        self.joined = True

    def expects(self, who: Origin, peer: Origin) -> None:
        """It is not ready before `who` has joined `peer`."""
        self._waits.add((who, peer))

    def settled(self, who: Origin, peer: Origin) -> None:
        self._waits.discard((who, peer))

    def dropped(self, gone: Origin) -> None:
        """Nobody waits for a process that died."""
        self._waits = {pair for pair in self._waits if gone not in pair}

    def become_ready(self) -> bool:
        """Whether it is ready as of now."""
        if not self.joined or self._waits or self._state != "started":
            return False
        self._state = "ready"
        if not self.up.done():
            self.up.set_result(None)
        return True

    def become_dead(self, error: EngineError) -> None:
        self.error, self._state, self.joined = error, "dead", False
        self._waits.clear()
        self.kill()
        if not self.up.done():
            self.up.set_exception(error)
            self.up.exception()  # Whoever starts them looks at the first that failed only.

    def drain(self) -> None:
        if self._state == "ready":
            self._state = "draining"

    def end_life(self) -> None:
        self._state = "dead"

    def process_stats(self) -> ProcessStats:
        alive = self.alive
        return ProcessStats(
            group=self._group,
            replica=self._replica,
            state=self._state,
            pid=self.pid() if alive else 0,
            starts=self.origin.starts + 1,
            cpu=self.cpu() if alive else 0.0,
        )

    @abstractmethod
    def pid(self) -> int:
        """0 while there is none."""

    @abstractmethod
    def cpu(self) -> float:
        """Seconds of computing of this life."""

    @abstractmethod
    def stats(self) -> tuple[StageStats, ...]:
        """None of a process that is gone: it holds nothing."""

    @abstractmethod
    def know(self, windows: Mapping[StageAddress, WindowStats]) -> None:
        """What windows cost this life of it, as it says once its runners are made."""

    @abstractmethod
    def send(self, word: Word, descriptors: tuple[int, ...] = ()) -> None:
        """To one that is gone it does nothing."""

    @abstractmethod
    def kill(self) -> None:
        """Ends it by force; does nothing to one that is gone."""

    @abstractmethod
    def stop(self) -> None:
        """Tells it to end, or ends it where it can't listen yet."""

    @abstractmethod
    async def ended(self, patience: float) -> None:
        """Returns when it is gone; ends it by force after `patience` seconds."""
