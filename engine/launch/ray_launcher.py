"""Stages as actors of Ray, on as many hosts as the topology names."""

from __future__ import annotations

import logging
import signal
import threading
from dataclasses import replace

from ray.exceptions import RayError

from engine.errors import EngineError, StageFailed
from engine.graph import Graph
from engine.launch.child import SUPERVISOR, Assignment
from engine.launch.control import Broken, Join, Lost, Said, Word
from engine.launch.ray_actor import courier
from engine.launch.ray_cluster import Cluster
from engine.launch.ray_member import RayMember
from engine.launch.supervisor import Supervisor
from engine.messages import Mail, StageAddress, StreamItem
from engine.placement import Placement
from engine.topology import RayCluster
from engine.trace import Spans, Traced
from engine.transport.direct import LoopMailbox
from engine.transport.node import Envelope, Origin
from engine.transport.ray_node import CONTROL, Courier, Entry, RayNode
from engine.types import Pcm

logger = logging.getLogger(__name__)


class RayLauncher(Supervisor[RayMember]):
    """An actor for every replica, at its place in one placement group. Implements `Launched`, and
    the coordinator's `Post`.

    A replica counts as dead for as long as there is no node for it, and is tried again as one that
    died is.
    """

    def __init__(
        self,
        graph: Graph,
        placement: Placement,
        where: RayCluster,
        mailbox: LoopMailbox,
        spans: Spans | None = None,
    ) -> None:
        self._cluster = Cluster(where.address)
        self._node = RayNode(Origin(SUPERVISOR), self._dial)
        super().__init__(graph, placement, mailbox, self._node, spans)

    def _make(self, number: int, group: str, addresses: tuple[StageAddress, ...]) -> RayMember:
        placed = self._placement.group_of(addresses[0].stage)
        seat = placed.seats[addresses[0].replica]
        return RayMember(number, placed, seat, addresses, self._cluster, self._node)

    async def _open(self) -> None:
        await self._cluster.open([(member.group, member.seat) for member in self._members])
        _keep_ends()

    def _endpoint(self, member: RayMember) -> str:
        return self._cluster.unique(f"{member.name}:{member.next_origin().starts}")

    def _launch(self, member: RayMember, assignment: Assignment) -> None:
        member.begin_life(assignment.me, assignment.endpoint, "dead")
        member.life = self._loop.create_task(self._live(member, assignment))

    async def _live(self, member: RayMember, assignment: Assignment) -> None:
        """One life, from asking Ray for an actor to its end."""
        try:
            await self._follow(member, assignment)
        except EngineError as error:
            member.error = member.error or error
        except RayError as error:
            logger.warning("%s: %s", member.name, error)
        except Exception as error:  # The end of a task: the replica is buried and started again.
            logger.exception("%s can't be followed", member.name)
            member.error = StageFailed(f"{member.name}: {error!r}")
        self._bury(member)

    async def _follow(self, member: RayMember, assignment: Assignment) -> None:
        await member.make(member.number - SUPERVISOR - 1, assignment)
        self._node.connect(member.origin, member.endpoint)
        while (batch := await member.take()) is not None:
            for entry in batch[0]:
                self._hear(member, entry)

    def _dial(self, peer: Origin, endpoint: str) -> Courier:
        """To the actor that was just made."""
        actor = self._of(peer).actor
        assert actor is not None, "an actor is made before it is joined"

        def lost() -> None:
            self._loop.call_soon_threadsafe(self._end, peer)

        return courier(actor, endpoint, self._node.me, lost)

    def _of(self, peer: Origin) -> RayMember:
        return self._members[peer.number - SUPERVISOR - 1]

    def _end(self, peer: Origin) -> None:
        """Of one that can't be reached by all: what was lost on the way would be waited for."""
        member = self._of(peer)
        if member.origin == peer:
            member.kill()

    def _hear(self, member: RayMember, entry: Entry) -> None:
        envelope = self._node.opened(member.origin, entry)
        if envelope is None:
            return
        if envelope.to == CONTROL:
            # What an envelope of that address holds is a word, which its type can't say.
            self._heed_word(member, envelope.message)  # type: ignore[arg-type]  # see above
        else:
            self._take(_by_our_clock(envelope, member.offset))

    def _heed_word(self, member: RayMember, word: Word) -> None:
        match word:
            case Broken(error=error):
                raise error
            case Lost(peer=peer):
                self._end(peer)
            case Said(level=level, name=name, text=text):
                logging.getLogger(name).log(level, "%s: %s", member.name, text)
            case _:
                self._heed(member, word)

    def _pair(self, member: RayMember, other: RayMember | None) -> None:
        """The server is joined to an actor from its beginning."""
        if other is None:
            return
        member.send(Join(other.origin, other.endpoint))
        member.expects(member.origin, other.origin)
        other.send(Join(member.origin, member.endpoint))
        member.expects(other.origin, member.origin)

    def _forget(self, member: RayMember) -> None:
        """Its life has ended, and with it what listened to it."""

    async def _shut(self) -> None:
        self._node.close()
        await self._cluster.close()


def _keep_ends() -> None:
    """Puts this program's own handler of SIGTERM back in its place. Ray puts one before it that
    prints a stack and has the kernel end the process three seconds later, where a server that is
    told to stop still plays what it began."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGTERM))
        signal.siginterrupt(signal.SIGTERM, False)


def _by_our_clock(envelope: Envelope, offset: float) -> Envelope:
    """An actor tells its spans, and when it began a window, by its host's clock."""
    match envelope.message:
        case Traced(spans=spans):
            ours = (replace(s, begun=s.begun + offset, ended=s.ended + offset) for s in spans)
            return replace(envelope, message=Traced(tuple(ours)))
        case Mail(message=StreamItem(item=Pcm(began=float(began)) as pcm) as item) as mail:
            item = replace(item, item=replace(pcm, began=began + offset))
            return replace(envelope, message=replace(mail, message=item))
        case _:
            return envelope
