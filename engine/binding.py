"""Which replica of each group works for a request."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

from engine.errors import EngineStopped
from engine.messages import Binding, StageAddress
from engine.placement import Group, Placement


@dataclass(slots=True)
class _Load:
    """work: characters of text bound here and not done. bound: requests. lost: stages that died;
    while there are any, nothing is bound here."""

    work: int = 0
    bound: int = 0
    lost: set[str] = field(default_factory=set)


class Binder:
    """Binds a request to the replica with the least outstanding work, then the fewest requests,
    then the lowest number. What is bound is given back group by group with `release`."""

    def __init__(self, placement: Placement) -> None:
        self._placement = placement
        self._loads = {
            group.name: [_Load() for _ in range(group.replicas)] for group in placement.groups
        }

    def bind(self, stages: Set[str], work: int) -> Binding:
        """A replica of each group that the request touches, given the stages that it visits. Raises
        EngineStopped, naming the group, when a group has no replica left."""
        touched = [g for g in self._placement.groups if not stages.isdisjoint(g.stages)]
        chosen = [(group, self._choose(group)) for group in touched]
        for group, replica in chosen:
            load = self._loads[group.name][replica]
            load.work += work
            load.bound += 1
        return Binding(
            tuple(StageAddress(s, replica) for group, replica in chosen for s in group.stages)
        )

    def grow(self, binding: Binding, group: Group, work: int) -> None:
        """More work has come for a request that is bound in the group."""
        self._load(binding, group).work += work

    def release(self, binding: Binding, group: Group, work: int) -> None:
        """The request, with all its work, is over in this group."""
        load = self._load(binding, group)
        load.work -= work
        load.bound -= 1

    def lose(self, address: StageAddress) -> None:
        """Nothing is bound any more to the replica that this stage was part of."""
        group = self._placement.group_of(address.stage)
        self._loads[group.name][address.replica].lost.add(address.stage)

    def revive(self, address: StageAddress) -> None:
        """The stage is there again, and with the last of its replica's stages that replica."""
        group = self._placement.group_of(address.stage)
        self._loads[group.name][address.replica].lost.discard(address.stage)

    def missing(self) -> tuple[str, ...]:
        """The groups that no request can be bound in."""
        loads = self._loads.items()
        return tuple(name for name, of in loads if all(load.lost for load in of))

    def unbalanced(self) -> list[str]:
        """The groups whose counters are not back at zero, as text."""
        return [
            f"{name}/{replica}: {load.bound} bound, {load.work} outstanding"
            for name, loads in self._loads.items()
            for replica, load in enumerate(loads)
            if load.bound or load.work
        ]

    def _choose(self, group: Group) -> int:
        loads = self._loads[group.name]
        alive = [replica for replica, load in enumerate(loads) if not load.lost]
        if not alive:
            raise EngineStopped(f"{group.name}: no replica is left")
        return min(alive, key=lambda replica: (loads[replica].work, loads[replica].bound, replica))

    def _load(self, binding: Binding, group: Group) -> _Load:
        return self._loads[group.name][binding.of(group.stages[0]).replica]
