"""Hand-over cost between two stage processes, beside what nothing can go under, in one run.

A hand-over is timed from the end of the step that made the array to the push into the runner of
the next stage: pickling, shared memory, ZeroMQ, both stage loops and schedulers. Arrays go one at a
time (latency), then as many as a stage may have out (stream: time of the run over their number).
Floors and hand-overs take turns, so that a machine that changes its pace changes that of both.

    python -m benchmarks.transport [--json FILE]
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.transport import floor
from benchmarks.transport.family import family
from benchmarks.transport.running import run
from engine import build
from engine.coordinator import Coordinator
from engine.topology import Topology, parse_topology
from engine.types import Epoch, Failed, Pcm, RequestId, Utterance

SMALL, LARGE = 4096, 2**20
ARRAYS = 2000
ROUNDS = 3
TWICE, HALF_MORE = 2.0, 1.5
PROCESSES = parse_topology({"launcher": "processes"})


@dataclass(frozen=True, slots=True)
class Row:
    """Medians in µs. of: what the floor is. factor, stream_factor: latency and stream over it.
    most: what that may be."""

    size: int
    latency: float
    stream: float
    of: str
    floor: float
    factor: float
    stream_factor: float
    most: float


async def handed_over(engine: Coordinator, name: str, arrays: int) -> tuple[list[float], float]:
    """µs of each hand-over, and µs of the whole run for each."""
    begun = time.perf_counter()
    found: list[float] = []
    async for output in engine.submit(Utterance(RequestId(name), Epoch(0), str(arrays), "v")):
        if isinstance(output, Failed):
            raise output.error
        if isinstance(output, Pcm):
            found += (output.samples.view(np.int64) / 1000).tolist()
    return found, 1e6 * (time.perf_counter() - begun) / arrays


async def hand_overs(
    size: int, outstanding: int, topology: Topology = PROCESSES, arrays: int = ARRAYS
) -> tuple[float, float]:
    """Medians of latency and of time for each, in µs."""
    engine = await build.start(family(size, outstanding), topology)
    try:
        await handed_over(engine, "warm", arrays // 10)
        found, each = await handed_over(engine, "timed", arrays)
        await engine.idle()
        engine.check_integrity()
    finally:
        await engine.close()
    return statistics.median(found), each


async def measure() -> list[Row]:
    trips, copies, warm = [], [], []
    latencies: dict[int, list[float]] = {SMALL: [], LARGE: []}
    streams: dict[int, list[float]] = {SMALL: [], LARGE: []}
    for _ in range(ROUNDS):
        trips += floor.round_trips(SMALL)
        copies += floor.copies(LARGE)
        warm += floor.copies_in_cache(LARGE)
        for size in (SMALL, LARGE):
            latencies[size].append((await hand_overs(size, 1))[0])
            streams[size].append((await hand_overs(size, 8))[1])
    floors = {
        (SMALL, "bare round trip"): (floor.median_us(trips), TWICE),
        (LARGE, "memory copy"): (floor.median_us(copies), HALF_MORE),
        (LARGE, "copy within the cache"): (floor.median_us(warm), float("nan")),
    }
    return [
        Row(
            size,
            statistics.median(latencies[size]),
            statistics.median(streams[size]),
            of,
            least,
            statistics.median(latencies[size]) / least,
            statistics.median(streams[size]) / least,
            most,
        )
        for (size, of), (least, most) in floors.items()
    ]


def show(rows: list[Row]) -> None:
    table = Table(title="Hand-over between two stage processes, median µs")
    for name in ("bytes", "latency", "stream", "floor", "", "latency ×", "stream ×", "at most"):
        table.add_column(name, justify="right")
    for row in rows:
        figures = (f"{row.latency:.1f}", f"{row.stream:.1f}", f"{row.floor:.1f}")
        factors = (f"{row.factor:.2f}", f"{row.stream_factor:.2f}", f"{row.most:g}")
        table.add_row(str(row.size), *figures, row.of, *factors)
    Console().print(table)


if __name__ == "__main__":
    run("Hand-over cost between two stage processes", ("pyzmq", "numpy"), measure, show)
