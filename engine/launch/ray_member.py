"""One actor of stages as its supervisor sees it, over all its lives."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from importlib.metadata import version
from typing import Final

from engine.errors import StageFailed
from engine.launch.child import Assignment
from engine.launch.control import Stop, Word
from engine.launch.page import Page
from engine.launch.ray_actor import Actor, Batch, Hello
from engine.launch.ray_cluster import PLACING_S, Cluster
from engine.launch.replica import Replica
from engine.messages import StageAddress
from engine.placement import Group, Seat
from engine.stats import StageStats, WindowStats
from engine.transport.arena import close_all
from engine.transport.ray_node import CONTROL, RayNode

SILENT_S: Final = 10.0
"""A ready actor of which nothing is heard for so long is taken for dead: where a cable was pulled,
no connection ends."""


class RayMember(Replica):
    """Owns the actor, and a copy of its page of figures. offset: seconds from the actor's monotonic
    clock to the server's."""

    def __init__(
        self,
        number: int,
        group: Group,
        seat: Seat,
        addresses: tuple[StageAddress, ...],
        cluster: Cluster,
        node: RayNode,
    ) -> None:
        super().__init__(number, addresses[0].replica, group.name, addresses)
        self.group = group
        self.seat = seat
        self.life: asyncio.Task[None] | None = None
        self.offset = 0.0
        self._cluster = cluster
        self._node = node
        self.actor: Actor | None = None
        self._pid = 0
        page = Page.make(len(addresses))
        self._page = Page(page, addresses)
        close_all((page,))

    async def make(self, index: int, assignment: Assignment) -> None:
        """Has the actor made for a life that has begun. index: of its place among all replicas.
        Raises an EngineError, or Ray's own error when the actor dies meanwhile."""
        orders = assignment.packed()
        actor = await self._cluster.make(index, self.group, self.seat, assignment.endpoint)
        self.actor = actor
        hello = await self._greeted(actor)
        self._check(hello)
        self.offset = await _offset(actor)
        self._pid = hello.pid
        self.become_started()
        await actor.begin.remote(orders, self.offset)

    async def take(self) -> Batch | None:
        """What the actor has to say next; None when it has ended. Raises StageFailed when nothing
        is heard of it, and Ray's own error when it is dead."""
        if self.actor is None:
            raise StageFailed(f"{self.name} died")
        try:
            async with asyncio.timeout(SILENT_S if self.ready else None):
                batch: Batch | None = await self.actor.take.remote()
        except TimeoutError:
            raise StageFailed(f"{self.name} was not heard of for {SILENT_S:g} s") from None
        if batch is not None and batch[1]:
            self._page.write(batch[1])
        return batch

    def send(self, word: Word, descriptors: tuple[int, ...] = ()) -> None:
        self._node.send(self.number, CONTROL, word)

    def kill(self) -> None:
        if self.actor is not None:
            self._cluster.kill(self.actor)
            self.actor = None

    def stop(self) -> None:
        if self.joined:
            self.send(Stop())
        elif self.life is not None:
            self.life.cancel()

    async def ended(self, patience: float) -> None:
        if self.life is not None:
            await asyncio.wait([self.life], timeout=patience)
            self.life.cancel()
        self.kill()
        self.end_life()

    def stats(self) -> tuple[StageStats, ...]:
        return self._page.stats() if self.joined else ()

    def know(self, windows: Mapping[StageAddress, WindowStats]) -> None:
        self._page.know(windows)

    def pid(self) -> int:
        return self._pid

    def cpu(self) -> float:
        return self._page.cpu()

    async def _greeted(self, actor: Actor) -> Hello:
        try:
            async with asyncio.timeout(PLACING_S):
                hello: Hello = await actor.hello.remote()
                return hello
        except TimeoutError:
            raise StageFailed(f"{self.name} was not placed within {PLACING_S:g} s") from None

    def _check(self, hello: Hello) -> None:
        ours = version("voice-server")
        if hello.version != ours:
            where = self.seat.host or "this host"
            raise StageFailed(
                f"{self.name}: voice-server is {hello.version} on {where}, and {ours} here"
            )


async def _offset(actor: Actor) -> float:
    """Seconds from the actor's monotonic clock to this one; 0 where they may be one, as on one host
    they are."""
    began = time.monotonic()
    hello: Hello = await actor.hello.remote()
    ended = time.monotonic()
    offset = (began + ended) / 2 - hello.clock
    return offset if abs(offset) > (ended - began) / 2 else 0.0
