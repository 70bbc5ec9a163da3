"""What supervising comes to wherever the replicas run: they are started, joined to each other,
watched and started again."""

from __future__ import annotations

import asyncio
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

from engine.errors import StageFailed
from engine.graph import Graph
from engine.launch.child import SUPERVISOR, Assignment
from engine.launch.control import Broken, Joined, PeerGone, Ready, Word
from engine.launch.replica import Replica
from engine.messages import Died, Inbound, Mail, News, Revived, StageAddress, StreamItem
from engine.placement import Placement
from engine.stats import ProcessStats, StageStats
from engine.trace import Span, Spans, Traced
from engine.transport.direct import LoopMailbox
from engine.transport.node import PROCESS, Envelope, Origin
from engine.transport.wire import Wire

PATIENCE_S = 10.0
"""How long a process may take to end once it is told to."""

logger = logging.getLogger(__name__)
R = TypeVar("R", bound=Replica)


class Supervisor(ABC, Generic[R]):
    """Implements `Launched`, and the coordinator's `Post`. Everything is called on the loop.

    A process is joined to those it shares an edge with and to this one when it is ready, and is
    worked with once all of them have said so. When one dies, each of the others hears it in order
    with the work from here, so that what they do for a request is never mixed up with what the dead
    one had still sent.
    """

    def __init__(
        self,
        graph: Graph,
        placement: Placement,
        mailbox: LoopMailbox,
        node: Wire,
        spans: Spans | None = None,
    ) -> None:
        self._spans = spans
        self._graph = graph
        self._placement = placement
        self._mailbox = mailbox
        self._loop = asyncio.get_running_loop()
        self._members = [
            self._make(number, group, addresses)
            for number, (group, addresses) in enumerate(_replicas(placement), SUPERVISOR + 1)
        ]
        self._numbers = {
            address: member.number for member in self._members for address in member.addresses
        }
        self._neighbours = _neighbours(graph, self._numbers)
        self._restarts: dict[int, asyncio.TimerHandle] = {}
        self._closing = False
        self._wire = node

    @abstractmethod
    def _make(self, number: int, group: str, addresses: tuple[StageAddress, ...]) -> R:
        """A replica that is to be."""

    @abstractmethod
    async def _open(self) -> None:
        """Before any replica is started."""

    @abstractmethod
    def _launch(self, member: R, assignment: Assignment) -> None:
        """Starts its next life, whose words go to `_heed` and whose end to `_bury`."""

    @abstractmethod
    def _pair(self, member: R, other: R | None) -> None:
        """Has two talk to each other; `other` is None for this process."""

    @abstractmethod
    def _forget(self, member: R) -> None:
        """Listens no longer to a life that is over."""

    @abstractmethod
    def _endpoint(self, member: R) -> str:
        """Where its next life is to receive."""

    @abstractmethod
    async def _shut(self) -> None:
        """After all replicas have ended."""

    async def start(self) -> None:
        """Returns when every process is worked with. If one can't be, raises its EngineError and
        leaves none behind."""
        try:
            await self._open()
            for member in self._members:
                self._start(member)
            for member in self._members:
                await member.up
        except BaseException:  # Cancelled or failed alike: none may be left behind. It goes on up.
            await self.close()
            raise

    def to_stage(self, address: StageAddress, message: Inbound) -> None:
        self._wire.send(self._numbers[address], self._graph.names.index(address.stage), message)

    def to_coordinator(self, mail: News, *, patient: bool = False) -> None:
        self._mailbox.put(mail)

    def mail_waiting(self) -> int:
        return self._mailbox.depth()

    def stats(self) -> tuple[StageStats, ...]:
        return tuple(stats for member in self._members for stats in member.stats())

    def processes(self) -> tuple[ProcessStats, ...]:
        return tuple(member.process_stats() for member in self._members)

    def drain(self) -> None:
        for member in self._members:
            member.drain()

    async def close(self) -> None:
        if self._closing:
            return
        self._closing = True
        for timer in self._restarts.values():
            timer.cancel()
        for member in self._members:
            member.stop()
        await asyncio.gather(*(member.ended(PATIENCE_S) for member in self._members))
        await self._shut()

    def _start(self, member: R) -> None:
        self._restarts.pop(member.number, None)
        assignment = Assignment(
            self._graph,
            self._placement,
            member.next_origin(),
            self._endpoint(member),
            member.addresses,
            self._numbers,
            traced=self._spans is not None,
        )
        self._launch(member, assignment)

    def _heed(self, member: R, word: Word) -> None:
        match word:
            case Ready(windows=windows):
                member.know(dict(windows))
                self._join(member)
            case Joined(peer=peer):
                self._settle(member.origin, peer)
            case Broken(error=error):
                member.error = error
            case _:
                raise AssertionError(f"a process of stages says nothing like {word}")

    def _join(self, member: R) -> None:
        """Joins it to whoever is there already; those who come later will join it."""
        member.become_joining()
        self._pair(member, None)
        for other in self._members:
            if other.number in self._neighbours[member.number] and other.joined:
                self._pair(member, other)
        self._check(member)

    def _settle(self, who: Origin, peer: Origin) -> None:
        for member in self._members:
            member.settled(who, peer)
            self._check(member)

    def _check(self, member: R) -> None:
        """Works with it once nobody has to join it any more."""
        if member.become_ready():
            for address in member.addresses:
                self._mailbox.put(Revived(address))

    def _bury(self, member: R) -> None:
        """Others first: they must know before the coordinator says what becomes of its requests."""
        if self._closing:
            self._forget(member)
            return
        error = member.error or StageFailed(f"{member.name} died")
        origin, began, worked = member.origin, member.started_at, member.ready
        self._forget(member)
        member.become_dead(error)
        self._wire.drop(origin.number, origin.starts)
        for other in self._members:
            other.dropped(origin)
            if other.alive:
                self._wire.send(other.number, PROCESS, PeerGone(origin, member.addresses, error))
            self._check(other)
        if worked:  # Else the coordinator knows that it is not there.
            for address in member.addresses:
                self._mailbox.put(Died(address, error))
        self._plan_restart(member, self._loop.time() - began)

    def _plan_restart(self, member: R, lived_s: float) -> None:
        wait = member.backoff.next(lived_s)
        logger.error("%s; it is started again in %.1f s", member.error, wait)
        timer = self._loop.call_later(wait, self._start, member)
        self._restarts[member.number] = timer

    def _take(self, envelope: Envelope) -> None:
        message = envelope.message
        if not isinstance(message, Traced):
            if self._spans is not None and isinstance(message, Mail):
                self._spans.add(_transfer(envelope, message))
            # What an envelope for the server holds is its mail, which its type can't say.
            self._mailbox.deliver(message)  # type: ignore[arg-type]  # see above
        elif self._spans is not None:
            self._spans.add(message.spans)


def _replicas(placement: Placement) -> Sequence[tuple[str, tuple[StageAddress, ...]]]:
    return [
        (group.name, tuple(StageAddress(stage, replica) for stage in group.stages))
        for group in placement.groups
        for replica in range(group.replicas)
    ]


def _neighbours(graph: Graph, numbers: dict[StageAddress, int]) -> dict[int, frozenset[int]]:
    """The processes that each process shares an edge with."""
    found: dict[int, set[int]] = {number: set() for number in numbers.values()}
    edges = {(stage.name, edge.target) for stage in graph.stages for edge in stage.to}
    for here, number in numbers.items():
        for there, other in numbers.items():
            if (here.stage, there.stage) in edges and number != other:
                found[number].add(other)
                found[other].add(number)
    return {number: frozenset(others) for number, others in found.items()}


def _transfer(envelope: Envelope, mail: Mail) -> tuple[Span, ...]:
    """Sound on its way to the client, on the track of requests."""
    if not isinstance(mail.message, StreamItem):
        return ()
    now, detail = time.monotonic(), f"{envelope.size} bytes"
    name = f"from {mail.sender.stage}"
    job = mail.message.job
    return (Span("transfer", name, envelope.sent, now, "server", None, job, detail),)
