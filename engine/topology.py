"""How the stages of a graph are grouped, copied and placed, as YAML says it. Changing it changes
speed, never samples (but for `windows`, with a family whose sound is only nearly independent of
them). What it comes to for a graph is worked out in `engine.placement`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.errors import GraphError

Launcher: TypeAlias = Literal["threads", "processes", "ray"]
Core: TypeAlias = Annotated[int, Field(ge=0)]
Cores: TypeAlias = Annotated[tuple[Core, ...], Field(strict=False, min_length=1)]
Device: TypeAlias = Annotated[str, Field(pattern=r"^(cpu|cuda:\d+)$")]
Windows: TypeAlias = Annotated[
    tuple[Annotated[int, Field(ge=1)], ...], Field(strict=False, min_length=1)
]
Name: TypeAlias = Annotated[str, Field(min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True
    )


class StagePlace(_Strict):
    """Where a stage is."""

    process: Name | None = None
    """group that the stage belongs to; without one it is a group of its own"""
    ranks: int = Field(default=1, ge=1, le=64)
    """devices that one replica of the stage is spread over"""


class ProcessGroup(_Strict):
    """Stages that are copied together."""

    replicas: int | None = Field(default=None, ge=1, le=256)
    """copies of the group; a request is bound to one of them; as many as its stages ask for"""
    devices: tuple[Device, ...] = Field(default=(), strict=False)
    """cpu or cuda:N for every rank of every replica, replica by replica; cpu if none is given"""
    hosts: tuple[Name, ...] = Field(default=(), strict=False)
    """the node of every replica, by its label `host`; this host if none is given"""
    cores: tuple[Core | Cores, ...] = Field(default=(), strict=False)
    """the cores of every replica, one number or a list each; any core if none is given"""
    threads: int | None = Field(default=None, ge=1, le=1024)
    """compute threads of each of its runners"""
    niceness: int = Field(default=0, ge=0, le=19)
    """how far its processes stand back for the server's, which has the sockets to serve"""
    memory: float | None = Field(default=None, gt=0, le=1)
    """share of each device's memory that one replica may use"""


class RayCluster(_Strict):
    """Where the nodes are, for a topology that Ray places."""

    address: Name = "auto"
    """host:port of the cluster's head; auto is RAY_ADDRESS, or else the cluster that this host
    belongs to, or else one of this host alone that ends with the server; local is always that"""


class Topology(_Strict):
    """The default is each stage in threads of this process, in as many replicas as it asks for."""

    launcher: Launcher | None = None
    """what the stages run in: threads of the server, processes of this host, or Ray's actors; if
    not given, threads, or Ray's actors where hosts are named"""
    stages: Mapping[str, StagePlace] = Field(default_factory=dict)
    """stages to process groups: stages.<stage>.process"""
    processes: Mapping[str, ProcessGroup] = Field(default_factory=dict)
    """groups: processes.<group>.replicas and where they run"""
    ray: RayCluster = RayCluster()
    """the cluster, where the launcher is ray"""
    threads: int | None = Field(default=None, ge=1, le=1024)
    """compute threads of each runner, where its group doesn't say; as many as its stage asks for"""
    max_requests: int = Field(default=1024, ge=1)
    """requests under way at once, which bounds every queue between the stages"""
    windows: Windows | None = None
    """codec frames of each window of sound, the last of which repeats; if not given, they follow
    what they cost and what else runs"""


def parse_topology(data: Mapping[str, object]) -> Topology:
    """A Topology from what YAML gave. Raises GraphError naming the key."""
    try:
        return Topology.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"]) or "topology"
        raise GraphError(f"{key}: {first['msg']}") from error
