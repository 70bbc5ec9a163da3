"""What a placement comes to, to be shown: every process, and how each edge is carried and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.graph import Graph
from engine.messages import CLIENT
from engine.placement import HERE, Group, Placement, Seat
from engine.transport.arena import INLINE_BYTES

SERVER = "server"
DIRECT = "the object itself"
IPC = f"ZeroMQ ipc, arrays over {INLINE_BYTES // 1024} KiB in shared memory"
RAY = "Ray, whatever has gathered in one call"


@dataclass(frozen=True, slots=True)
class PlannedProcess:
    """stages: each with its scheduler, in this process. cores: none for any."""

    name: str
    host: str
    stages: tuple[str, ...]
    devices: tuple[str, ...]
    memory: float | None
    cores: tuple[int, ...]
    threads: int


@dataclass(frozen=True, slots=True)
class PlannedEdge:
    """source, target: stages, or the client. kind: stream or payload."""

    source: str
    target: str
    kind: str
    transport: str
    why: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The processes beside the server's own, and the edges in the order of the graph."""

    launcher: str
    processes: tuple[PlannedProcess, ...]
    edges: tuple[PlannedEdge, ...]


def plan(graph: Graph, placement: Placement) -> Plan:
    """What `placement` comes to."""
    processes = (
        _process(group, replica, seat)
        for group in placement.groups
        for replica, seat in enumerate(group.seats)
    )
    return Plan(placement.launcher, tuple(processes), tuple(_edges(graph, placement)))


def _process(group: Group, replica: int, seat: Seat) -> PlannedProcess:
    name = f"{group.name}/{replica}"
    host = seat.host or "this host"
    return PlannedProcess(
        name, host, group.stages, seat.devices, group.memory, seat.cores, group.threads
    )


def _edges(graph: Graph, placement: Placement) -> Iterator[PlannedEdge]:
    server = Group(SERVER, (), (Seat(),))
    entry = placement.group_of(graph.entry)
    yield _edge(placement, (CLIENT, server), (graph.entry, entry), "stream")
    for name in graph.upstream_first():
        stage, group = graph.stage(name), placement.group_of(name)
        for edge in stage.to:
            target = placement.group_of(edge.target)
            yield _edge(placement, (name, group), (edge.target, target), edge.kind)
        if stage.end:
            yield _edge(placement, (name, group), (CLIENT, server), "stream")


def _edge(
    placement: Placement, source: tuple[str, Group], target: tuple[str, Group], kind: str
) -> PlannedEdge:
    (source_name, here), (target_name, there) = source, target
    transport, why = _transport(placement, here, there)
    return PlannedEdge(source_name, target_name, kind, transport, why)


def _transport(placement: Placement, here: Group, there: Group) -> tuple[str, str]:
    if placement.launcher == "threads":
        return DIRECT, "both are threads of the server's process"
    if here is there:
        return DIRECT, f"both are in {here.name}, and a request stays in one replica"
    if placement.launcher == "ray":
        return RAY, f"{_whereabouts(here)} and {_whereabouts(there)}"
    return IPC, f"{here.name} and {there.name} are processes of one host"


def _whereabouts(group: Group) -> str:
    hosts = sorted({seat.host if seat.host != HERE else "this host" for seat in group.seats})
    return f"{group.name} is on {' and '.join(hosts)}"
