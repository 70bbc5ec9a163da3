"""What the engine's own figures say of how many takes it carries: read for `sessions.capacity`."""

from __future__ import annotations

import time
from collections import defaultdict

from engine.coordinator import Coordinator
from engine.devices import Machine
from engine.placement import HERE, Group, Seat
from sessions.capacity import Clocks, Vocoder


def clocks(engine: Coordinator) -> Clocks:
    """What the capacity is measured by: the engine has its processes to itself meanwhile."""
    cores = len(Machine.here().cores)

    def busiest() -> float:
        busy = [stage.busy for stage in engine.stats().stages]
        return max(busy) / max(sum(busy), 1e-9)

    def cpu() -> float:
        return time.process_time() + sum(one.cpu for one in engine.stats().processes)

    def before() -> float:
        return sum(stage.busy for stage in engine.stats().stages if stage.windows is None)

    def vocoder() -> Vocoder | None:
        return _vocoder(engine, cores)

    return Clocks(time.monotonic, cpu, busiest, cores, vocoder, before, engine.idle)


def _vocoder(engine: Coordinator, cores: int) -> Vocoder | None:
    """Of several copies, what the slowest costs: any take may be bound to it."""
    made = [stage for stage in engine.stats().stages if stage.windows is not None]
    loads = [stage.windows.load for stage in made if stage.windows is not None]
    if not made:
        return None
    return Vocoder(max(loads), copies(engine.placement.group_of(made[0].address.stage), cores))


def copies(group: Group, cores: int) -> int:
    """Replicas that can compute beside each other. Those on the same cores share them, and carry
    together what one does alone. cores: of this host; of others, only those that are named to a
    replica are known."""
    hosts: defaultdict[str, list[Seat]] = defaultdict(list)
    for seat in group.seats:
        hosts[seat.host].append(seat)
    return sum(_apart(group, host, seats, cores) for host, seats in hosts.items())


def _apart(group: Group, host: str, seats: list[Seat], cores: int) -> int:
    pinned = all(seat.cores for seat in seats)
    theirs = len({core for seat in seats for core in seat.cores})
    there = theirs if pinned else cores if host == HERE else 1
    return max(1, min(len(seats), there // group.threads))
