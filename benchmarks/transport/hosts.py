"""Hand-over cost of a window between two actors of Ray, beside that between two processes.

Both actors are on a cluster of this host alone, so what a network takes comes on top. Timed as in
`python -m benchmarks.transport`: arrays one at a time (latency), then as many as a stage may have
out (each: time of the run over their number). Needs the extra ray.

    python -m benchmarks.transport.hosts [--json FILE]
"""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from benchmarks.transport.__main__ import PROCESSES, hand_overs
from benchmarks.transport.running import run
from engine.topology import Topology, parse_topology

SIZES = (4_096, 40_000, 2**20)
OUTSTANDING = 8
ARRAYS = 400
RAY = parse_topology({"launcher": "ray", "ray": {"address": "local"}})


@dataclass(frozen=True, slots=True)
class Row:
    """Medians in µs. carried: by what."""

    carried: str
    size: int
    latency: float
    each: float


async def measure() -> list[Row]:
    return [
        await _row(carried, topology, size)
        for size in SIZES
        for carried, topology in (("processes", PROCESSES), ("ray", RAY))
    ]


async def _row(carried: str, topology: Topology, size: int) -> Row:
    latency, _ = await hand_overs(size, 1, topology, ARRAYS)
    _, each = await hand_overs(size, OUTSTANDING, topology, ARRAYS)
    return Row(carried, size, latency, each)


def show(rows: list[Row]) -> None:
    table = Table(title="Hand-over between two stages, median µs")
    for name in ("bytes", "carried by", "latency", f"each of {OUTSTANDING} at once"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(str(row.size), row.carried, f"{row.latency:.0f}", f"{row.each:.0f}")
    Console().print(table)


if __name__ == "__main__":
    run("Hand-over cost between actors of Ray", ("ray", "pyzmq", "numpy"), measure, show)
