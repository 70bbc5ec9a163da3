"""How large the inbox of a stage is."""

from __future__ import annotations

from collections.abc import Callable

from engine.graph import Graph
from engine.messages import StageAddress
from engine.placement import Placement
from engine.record import TEXTS_OUT
from engine.transport.inbox import FedInbox, Inbox


def make_inbox(
    graph: Graph,
    placement: Placement,
    address: StageAddress,
    feed: Callable[[float], None] | None = None,
    rouse: Callable[[], None] = lambda: None,
) -> Inbox:
    """Its bound is what all requests together can have on their way to one replica. feed,
    rouse: see `FedInbox`."""
    name = f"stage:{address.stage}/{address.replica}"
    bound = placement.max_requests * _messages_a_request(graph, address.stage)
    return Inbox(name, bound) if feed is None else FedInbox(name, bound, feed, rouse)


def _messages_a_request(graph: Graph, name: str) -> int:
    """NewRequest, one CreditUpdate, Abort twice; items and Done of each edge in, acks of each out.

    Twice that, for the last messages to a request that ended may still be unread when the next one
    comes.
    """
    into = sum((graph.stage(source).outstanding or 0) + 1 for source, _ in graph.sources(name))
    own = graph.stage(name)
    acks = (len(own.to) + own.end) * (own.outstanding or 0)
    return 2 * (4 + max(into, TEXTS_OUT + 1) + acks)
