"""How the stages of a graph are grouped and copied. Changing it changes speed, never samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.errors import GraphError
from engine.graph import Graph, Worker
from engine.messages import StageAddress


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class StagePlace(_Strict):
    """process: the group that the stage belongs to; without one it is a group of its own."""

    process: str | None = Field(default=None, min_length=1)


class ProcessGroup(_Strict):
    """replicas: how many copies of the group there are; a request is bound to one of them."""

    replicas: int = Field(default=1, ge=1, le=256)


class Topology(_Strict):
    """The default is each stage in threads of this process, in as many replicas as it asks for.

    threads: compute threads of each runner. max_requests: requests that may be under way at once,
    which bounds every queue between the stages.
    """

    launcher: Literal["threads"] = "threads"
    stages: Mapping[str, StagePlace] = Field(default_factory=dict)
    processes: Mapping[str, ProcessGroup] = Field(default_factory=dict)
    threads: int = Field(default=1, ge=1, le=1024)
    max_requests: int = Field(default=1024, ge=1)


@dataclass(frozen=True, slots=True)
class Group:
    """Stages that are copied together."""

    name: str
    stages: tuple[str, ...]
    replicas: int


@dataclass(frozen=True, slots=True)
class Placement:
    """A topology worked out for a graph."""

    groups: tuple[Group, ...]
    threads: int
    max_requests: int

    def group_of(self, stage: str) -> Group:
        """Raises KeyError for a stage that the graph lacks."""
        for group in self.groups:
            if stage in group.stages:
                return group
        raise KeyError(stage)

    def addresses(self) -> tuple[StageAddress, ...]:
        return tuple(
            StageAddress(stage, replica)
            for group in self.groups
            for replica in range(group.replicas)
            for stage in group.stages
        )

    def worker(self, address: StageAddress) -> Worker:
        return Worker(address.replica, self.threads)


def parse_topology(data: Mapping[str, object]) -> Topology:
    """A Topology from what YAML gave. Raises GraphError naming the key."""
    try:
        return Topology.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"]) or "topology"
        raise GraphError(f"{key}: {first['msg']}") from error


def resolve(graph: Graph, topology: Topology) -> Placement:
    """Raises GraphError, naming the key, for a stage or a group that isn't there."""
    for name in topology.stages:
        if name not in graph.names:
            raise GraphError(f"stages.{name}: no such stage; stages are {', '.join(graph.names)}")
    members: dict[str, list[str]] = {}
    for name in graph.upstream_first():
        members.setdefault(_group_name(topology, name), []).append(name)
    for name in topology.processes:
        if name not in members:
            raise GraphError(
                f"processes.{name}: no stage is in it; groups are {', '.join(members)}"
            )
    groups = (
        Group(name, tuple(stages), _replicas(graph, topology, name, stages))
        for name, stages in members.items()
    )
    return Placement(tuple(groups), topology.threads, topology.max_requests)


def _replicas(graph: Graph, topology: Topology, name: str, stages: Sequence[str]) -> int:
    """What the topology says, else what the stage that needs the most copies asks for."""
    told = topology.processes.get(name)
    return told.replicas if told else max(graph.stage(stage).copies for stage in stages)


def _group_name(topology: Topology, stage: str) -> str:
    place = topology.stages.get(stage)
    return place.process if place is not None and place.process is not None else stage
