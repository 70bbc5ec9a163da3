"""A topology worked out for a graph, and every reason why it can't run, told before it starts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from engine.devices import Machine, kind_of
from engine.errors import GraphError
from engine.graph import Graph, Worker
from engine.messages import StageAddress
from engine.topology import Launcher, ProcessGroup, Topology

HERE = ""
"""The host that the server itself runs on."""
Cores: TypeAlias = tuple[int, ...]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Seat:
    """Where one replica of a group runs. devices: one a rank. cores: none for any."""

    host: str = HERE
    devices: tuple[str, ...] = ("cpu",)
    cores: Cores = ()


@dataclass(frozen=True, slots=True)
class Group:
    """Stages that are copied together. seats: one a replica. memory: share of each device that a
    replica may use. niceness: of its processes."""

    name: str
    stages: tuple[str, ...]
    seats: tuple[Seat, ...]
    ranks: int = 1
    threads: int = 1
    memory: float | None = None
    niceness: int = 0

    @property
    def replicas(self) -> int:
        return len(self.seats)


@dataclass(frozen=True, slots=True)
class Placement:
    """A topology worked out for a graph; groups are ordered along the edges.

    windows: codec frames of each window of sound, the last of which repeats; None where they follow
    what they cost. frame_samples: of one codec frame.
    """

    groups: tuple[Group, ...]
    max_requests: int
    launcher: Launcher = "threads"
    windows: tuple[int, ...] | None = None
    frame_samples: int = 1920
    _by_stage: dict[str, Group] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_stage = {stage: group for group in self.groups for stage in group.stages}
        object.__setattr__(self, "_by_stage", by_stage)

    def group_of(self, stage: str) -> Group:
        """Raises KeyError for a stage that the graph lacks."""
        return self._by_stage[stage]

    def addresses(self) -> tuple[StageAddress, ...]:
        return tuple(
            StageAddress(stage, replica)
            for group in self.groups
            for replica in range(group.replicas)
            for stage in group.stages
        )

    def worker(self, address: StageAddress) -> Worker:
        group = self.group_of(address.stage)
        seat = group.seats[address.replica]
        return Worker(
            address.replica,
            group.threads,
            seat.devices[0],
            group.memory,
            self.frame_samples,
            self.windows,
            group.replicas if self.launcher == "threads" else 1,
        )

    def seat(self, address: StageAddress) -> Seat:
        return self.group_of(address.stage).seats[address.replica]


def resolve(graph: Graph, topology: Topology, machine: Machine | None = None) -> Placement:
    """Raises GraphError, naming the key, for what can't run.

    machine: what there is on this host; None leaves it to be checked where the stages will run.
    """
    for name in topology.stages:
        if name not in graph.names:
            raise GraphError(f"stages.{name}: no such stage; stages are {', '.join(graph.names)}")
    members = _members(graph, topology)
    for name in topology.processes:
        if name not in members:
            raise GraphError(
                f"processes.{name}: no stage is in it; groups are {', '.join(members)}"
            )
    groups = tuple(_group(graph, topology, name, tuple(members[name])) for name in members)
    placement = Placement(groups, topology.max_requests, _launcher(topology), topology.windows)
    _check_local_edges(graph, placement)
    _check_hosts(placement)
    _check_memory(placement)
    if machine is not None:
        _check_machine(placement, machine)
    return placement


def _launcher(topology: Topology) -> Launcher:
    """The one asked for; else the one that can reach every host that is named."""
    hosts = any(group.hosts for group in topology.processes.values())
    return topology.launcher or ("ray" if hosts else "threads")


def _members(graph: Graph, topology: Topology) -> dict[str, list[str]]:
    """Stages by group. One that isn't told where to be follows an edge that can't be split."""
    members: dict[str, list[str]] = {}
    chosen: dict[str, str] = {}
    for name in graph.upstream_first():
        place = topology.stages.get(name)
        told = place.process if place is not None else None
        kept = [chosen[source] for source, edge in graph.sources(name) if edge.local]
        chosen[name] = told or (kept[0] if kept else name)
        members.setdefault(chosen[name], []).append(name)
    return members


def _group(graph: Graph, topology: Topology, name: str, stages: tuple[str, ...]) -> Group:
    told = topology.processes.get(name) or ProcessGroup()
    ranks = _ranks(graph, topology, stages)
    copies = max(graph.stage(stage).copies for stage in stages)
    replicas = told.replicas or copies
    devices = _devices(told, name, replicas, ranks)
    _check_devices(graph, name, stages, devices)
    hosts = _each(told.hosts, name, "hosts", replicas) or (HERE,) * replicas
    cores = _each(told.cores, name, "cores", replicas) or ((),) * replicas
    seats = (
        Seat(
            hosts[replica],
            devices[replica * ranks : (replica + 1) * ranks],
            _several(cores[replica]),
        )
        for replica in range(replicas)
    )
    threads = told.threads or topology.threads or _threads(graph, stages, cores)
    return Group(name, stages, tuple(seats), ranks, threads, told.memory, told.niceness)


def _threads(graph: Graph, stages: Sequence[str], cores: Sequence[int | Cores]) -> int:
    """As many as one of the stages asks for, but no more than its replicas have cores."""
    asked = max(graph.stage(stage).threads for stage in stages)
    return min([asked, *(len(_several(some)) for some in cores if some != ())])


def _ranks(graph: Graph, topology: Topology, stages: Sequence[str]) -> int:
    for stage in stages:
        ranks = topology.stages[stage].ranks if stage in topology.stages else 1
        if ranks == 1:
            continue
        if len(stages) > 1:
            others = ", ".join(other for other in stages if other != stage)
            raise GraphError(
                f"stages.{stage}.ranks: a stage over {ranks} ranks must be alone in its group, "
                f"but {others} is there too"
            )
        most = graph.stage(stage).max_ranks
        if ranks > most:
            raise GraphError(f"stages.{stage}.ranks: its runner can be spread over {most} at most")
        return ranks
    return 1


def _devices(told: ProcessGroup, name: str, replicas: int, ranks: int) -> tuple[str, ...]:
    wanted = replicas * ranks
    devices = told.devices or ("cpu",) * wanted
    if len(devices) != wanted:
        raise GraphError(
            f"processes.{name}.devices: {len(devices)} given for {replicas} replicas × {ranks} "
            f"ranks = {wanted}"
        )
    return devices


def _check_devices(graph: Graph, name: str, stages: Sequence[str], devices: Sequence[str]) -> None:
    for stage in stages:
        able = graph.stage(stage).devices
        for device in devices:
            if kind_of(device) not in able:
                raise GraphError(
                    f"processes.{name}.devices: {stage} can't run on {device}, only on "
                    f"{' or '.join(able)}"
                )


def _each(values: tuple[T, ...], name: str, key: str, replicas: int) -> tuple[T, ...]:
    if values and len(values) != replicas:
        raise GraphError(
            f"processes.{name}.{key}: {len(values)} given for {replicas} replicas; give one each"
        )
    return values


def _several(cores: int | Cores) -> Cores:
    return (cores,) if isinstance(cores, int) else cores


def _check_local_edges(graph: Graph, placement: Placement) -> None:
    for stage in graph.stages:
        for edge in stage.to:
            here, there = placement.group_of(stage.name), placement.group_of(edge.target)
            if edge.local and here is not there:
                raise GraphError(
                    f"stages.{edge.target}.process: what {stage.name} hands to {edge.target} "
                    f"can't leave its process, but {stage.name} is in {here.name} and "
                    f"{edge.target} in {there.name}"
                )


def _check_hosts(placement: Placement) -> None:
    for group in placement.groups:
        named = {seat.host for seat in group.seats} - {HERE}
        if named and placement.launcher != "ray":
            raise GraphError(
                f"processes.{group.name}.hosts: other hosts need launcher: ray, "
                f"not {placement.launcher}"
            )


def _check_memory(placement: Placement) -> None:
    shares: defaultdict[tuple[str, str], float] = defaultdict(float)
    for group in placement.groups:
        for seat in group.seats:
            for device in seat.devices:
                shares[seat.host, device] += group.memory or 0.0
                if shares[seat.host, device] > 1 + 1e-9:
                    raise GraphError(
                        f"processes.{group.name}.memory: the shares of {device} come to "
                        f"{shares[seat.host, device]:g}, which is over 1"
                    )


def _check_machine(placement: Placement, machine: Machine) -> None:
    for group in placement.groups:
        for seat in group.seats:
            if seat.host == HERE:
                check_seat(group, seat, machine)


def check_seat(group: Group, seat: Seat, machine: Machine) -> None:
    """Whether the machine that the seat is on has what it asks for. Raises GraphError naming the
    key."""
    where = "here" if seat.host == HERE else f"on {seat.host}"
    for device in seat.devices:
        if not machine.has(device):
            raise GraphError(
                f"processes.{group.name}.devices: there is no {device} {where}; there is "
                f"{', '.join(machine.devices())}"
            )
    absent = sorted(set(seat.cores) - machine.cores)
    if absent:
        raise GraphError(
            f"processes.{group.name}.cores: there is no core {absent[0]} {where}; there are "
            f"{', '.join(map(str, sorted(machine.cores)))}"
        )
