"""Stages as processes of this host, which talk by ZeroMQ and shared memory."""

from __future__ import annotations

from engine.graph import Graph
from engine.launch.child import SUPERVISOR, Assignment
from engine.launch.control import Join
from engine.launch.member import Member
from engine.launch.supervisor import Supervisor
from engine.messages import StageAddress
from engine.placement import Placement
from engine.trace import Spans
from engine.transport.arena import ARENA_BYTES, close_all, nameless
from engine.transport.direct import LoopMailbox
from engine.transport.node import Endpoints, Node, Origin

AT_ONCE = 64
"""Messages read in one turn of the loop, so that others get theirs."""


class ProcessLauncher(Supervisor[Member]):
    """A process for every replica. Implements `Launched`, and the coordinator's `Post`."""

    def __init__(
        self,
        graph: Graph,
        placement: Placement,
        mailbox: LoopMailbox,
        spans: Spans | None = None,
    ) -> None:
        self._endpoints = Endpoints()
        self._node = Node(Origin(SUPERVISOR), self._endpoints.new(), keep=False)
        super().__init__(graph, placement, mailbox, self._node, spans)

    def _make(self, number: int, group: str, addresses: tuple[StageAddress, ...]) -> Member:
        return Member(number, addresses[0].replica, group, addresses)

    async def _open(self) -> None:
        self._loop.add_reader(self._node.fileno(), self._read)

    def _endpoint(self, member: Member) -> str:
        return self._endpoints.new()

    def _launch(self, member: Member, assignment: Assignment) -> None:
        control = member.start(assignment)
        self._loop.add_reader(control.socket, self._hear, member)

    def _hear(self, member: Member) -> None:
        words = member.read()
        for word in words or ():
            self._heed(member, word)
        if words is None:
            self._bury(member)

    def _pair(self, member: Member, other: Member | None) -> None:
        """Two arenas, one each way."""
        there, back = nameless(ARENA_BYTES), nameless(ARENA_BYTES)
        origin = other.origin if other is not None else self._node.me
        endpoint = other.endpoint if other is not None else self._node.endpoint
        member.send(Join(origin, endpoint), (there, back))
        member.expects(member.origin, origin)
        if other is None:
            self._node.connect(member.origin, member.endpoint, back, there)
        else:
            other.send(Join(member.origin, member.endpoint), (back, there))
            member.expects(origin, member.origin)
        close_all((there, back))

    def _forget(self, member: Member) -> None:
        if member.control is not None:
            self._loop.remove_reader(member.control.socket)
            member.control.close()
            member.control = None

    async def _shut(self) -> None:
        self._read()
        for member in self._members:
            self._forget(member)
        self._loop.remove_reader(self._node.fileno())
        self._node.close()
        self._endpoints.close()

    def _read(self) -> None:
        """All mail that is there; the descriptor tells only that there is more than before."""
        for _ in range(AT_ONCE):
            envelope = self._node.receive()
            if envelope is None:
                return
            self._take(envelope)
        if not self._closing:
            self._loop.call_soon(self._read_if_open)

    def _read_if_open(self) -> None:
        if not self._closing:
            self._read()
