"""What a model family gives the engine. `engine.families.<name>.load.load(config)` returns one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from engine.graph import Graph
from engine.types import FamilyInfo


class Family(Protocol):
    """info: what the rooms above may know. graph: the stages and the factories of their runners."""

    @property
    def info(self) -> FamilyInfo: ...

    @property
    def graph(self) -> Graph: ...


@dataclass(frozen=True, slots=True)
class LoadedFamily:
    """A family as two plain values; what most `load` functions return."""

    info: FamilyInfo
    graph: Graph
