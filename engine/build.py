"""From a family and a topology to an engine that runs."""

from __future__ import annotations

import asyncio

from engine.coordinator import Coordinator
from engine.family import Family
from engine.graph import Graph
from engine.launch.threads import ThreadLauncher
from engine.messages import StageAddress
from engine.record import TEXTS_OUT
from engine.topology import Placement, Topology, resolve
from engine.transport.direct import DirectPost, LoopMailbox
from engine.transport.inbox import Inbox


async def start(family: Family, topology: Topology | None = None) -> Coordinator:
    """Returns when every stage is ready. None is the default topology.

    Raises GraphError for a topology that doesn't fit the graph, and whatever EngineError kept a
    runner from being made; then nothing is left running.
    """
    graph = family.graph
    placement = resolve(graph, topology or Topology())
    mailbox = LoopMailbox(asyncio.get_running_loop())
    inboxes = {address: _inbox(graph, placement, address) for address in placement.addresses()}
    post = DirectPost(inboxes, mailbox)
    coordinator = Coordinator(family.info, graph, placement, post)
    mailbox.open(coordinator.receive)
    launcher = ThreadLauncher(graph, placement, inboxes, post)
    await launcher.start()
    coordinator.serve(launcher)
    return coordinator


def _inbox(graph: Graph, placement: Placement, address: StageAddress) -> Inbox:
    """Its bound is what all requests together can have on their way to one replica."""
    name = f"stage:{address.stage}/{address.replica}"
    return Inbox(name, placement.max_requests * _messages_a_request(graph, address.stage))


def _messages_a_request(graph: Graph, name: str) -> int:
    """NewRequest, one CreditUpdate, Abort twice; items and Done of each edge in, acks of each out.

    Twice that, for the last messages to a request that ended may still be unread when the next one
    comes.
    """
    into = sum((graph.stage(source).outstanding or 0) + 1 for source, _ in graph.sources(name))
    own = graph.stage(name)
    acks = (len(own.to) + own.end) * (own.outstanding or 0)
    return 2 * (4 + max(into, TEXTS_OUT + 1) + acks)
