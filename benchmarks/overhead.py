"""What coordinator and stages add: a pipeline of three stages in threads that computes nothing.

A request is one word; the time is from `submit` to its one window of sound, and the floor beside it
is that of three bare threads that hand one object on and back to the loop. Each of `concurrent`
callers submits its next request when the last one has ended.

    python -m benchmarks.overhead [--json FILE]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from queue import SimpleQueue

import numpy as np
from rich.console import Console
from rich.table import Table

from engine.build import start
from engine.coordinator import Coordinator
from engine.costs import WindowCosts
from engine.family import LoadedFamily
from engine.graph import Edge, Graph, StageSpec, Streaming, Vocoder, Worker
from engine.runners import Ready, StreamRunner, VocoderRunner
from engine.types import Epoch, FamilyInfo, Pcm, RequestId, Utterance, Voice

CONCURRENT = (1, 16, 64, 256)
REQUESTS = 2000
WARM_UP = 100


@dataclass(slots=True)
class Held:
    """A state that holds items until they are asked for."""

    utterance: Utterance
    items: list[object] = field(default_factory=list)


class Pass:
    """Hands on what it is given."""

    def open(self, utterance: Utterance) -> Held:
        return Held(utterance)

    def push(self, state: Held, item: object) -> None:
        state.items.append(item)

    def end(self, state: Held) -> None:
        """Nothing is held back for the end."""

    def step(self, state: Held) -> object | None:
        return state.items.pop(0) if state.items else None

    def close(self, state: Held) -> None:
        state.items.clear()


class Silence(Pass):
    """One window of silence for each item."""

    window = np.zeros(1920, np.int16)

    exact = False

    def sizes(self) -> tuple[int, ...]:
        return (1,)

    def costs(self) -> WindowCosts:
        return WindowCosts(((1, 0.0),))

    def ready(self, state: Held) -> Ready | None:
        return Ready(0, len(state.items), False, ()) if state.items else None

    def decode(self, states: Sequence[Held], frames: int) -> list[Pcm]:
        return [self._window(state) for state in states]

    def _window(self, state: Held) -> Pcm:
        state.items.pop(0)
        return Pcm(state.utterance.request, state.utterance.epoch, 0, self.window, frames=1)

    def max_batch(self) -> int:
        return 16


def make_pass(worker: Worker) -> StreamRunner[Held, object, object]:
    return Pass()


def make_silence(worker: Worker) -> VocoderRunner[Held, object]:
    return Silence()


def family() -> LoadedFamily:
    info = FamilyInfo("none", "none", 24000, 1920, (Voice("v", "V", "en", "female"),), ("speak",))
    stages = (
        StageSpec("thinker", Streaming(make_pass), (Edge("talker"),)),
        StageSpec("talker", Streaming(make_pass), (Edge("code2wav"),)),
        StageSpec("code2wav", Vocoder(make_silence, 24000), end=True),
    )
    return LoadedFamily(info, Graph(stages, "thinker"))


@dataclass(frozen=True, slots=True)
class Row:
    """Milliseconds from submit to sound, and requests a second."""

    concurrent: int
    p50_ms: float
    p95_ms: float
    a_second: float


async def one(engine: Coordinator, name: str) -> float:
    begun = time.perf_counter()
    first = 0.0
    async for output in engine.submit(Utterance(RequestId(name), Epoch(0), "word", "v")):
        if isinstance(output, Pcm):
            first = time.perf_counter() - begun
    return first


async def caller(engine: Coordinator, number: int, count: int) -> list[float]:
    return [await one(engine, f"{number}-{i}") for i in range(count)]


async def measure(concurrent: int) -> Row:
    engine = await start(family())
    await caller(engine, -1, WARM_UP)
    begun = time.perf_counter()
    each = max(2, REQUESTS // concurrent)
    rows = await asyncio.gather(*(caller(engine, n, each) for n in range(concurrent)))
    wall = time.perf_counter() - begun
    await engine.idle()
    engine.check_integrity()
    await engine.close()
    times = sorted(1000 * t for row in rows for t in row)
    p95 = times[int(0.95 * len(times))]
    return Row(concurrent, statistics.median(times), p95, len(times) / wall)


async def bare_threads() -> float:
    """Median ms for an object to pass three threads and come back to the loop."""
    loop = asyncio.get_running_loop()
    back: asyncio.Queue[object] = asyncio.Queue()
    queues: list[SimpleQueue[object]] = [SimpleQueue() for _ in range(3)]

    def hop(number: int) -> None:
        while (item := queues[number].get()) is not None:
            if number < 2:
                queues[number + 1].put(item)
            else:
                loop.call_soon_threadsafe(back.put_nowait, item)

    threads = [threading.Thread(target=hop, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    times = []
    for _ in range(REQUESTS):
        begun = time.perf_counter()
        queues[0].put(begun)
        await back.get()
        times.append(1000 * (time.perf_counter() - begun))
    for queue, thread in zip(queues, threads, strict=True):
        queue.put(None)
        thread.join()
    return statistics.median(times)


def show(rows: list[Row], floor: float) -> None:
    table = Table(title="Added latency of three stages in threads")
    for name in ("concurrent", "p50 ms", "p95 ms", "requests/s"):
        table.add_column(name, justify="right")
    for row in rows:
        cells = (f"{row.p50_ms:.3f}", f"{row.p95_ms:.3f}", f"{row.a_second:.0f}")
        table.add_row(str(row.concurrent), *cells)
    console = Console()
    console.print(table)
    factor = rows[0].p50_ms / floor
    console.print(
        f"three bare threads, one at once: {floor:.3f} ms; one request {factor:.1f} times"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Added latency of coordinator and stages")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    rows = [asyncio.run(measure(concurrent)) for concurrent in CONCURRENT]
    floor = asyncio.run(bare_threads())
    show(rows, floor)
    if chosen.json is not None:
        figures = {"rows": [asdict(row) for row in rows], "bare_threads_ms": floor}
        chosen.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
