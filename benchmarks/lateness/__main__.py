"""How late packets leave the socket while both stages are saturated, by topology.

Each server makes long takes far ahead of what is heard, so that code2wav never rests; what the
listeners are sent is due by the clock all the same. Beside them others say a word again and again,
whose statistics the talker measures, and go on to the next once it sounds, so that the talker
doesn't rest either. The server's own histogram says how late each packet was, so a figure is the
upper bound of the bucket that the 99th percentile falls in.

    python -m benchmarks.lateness [--seconds N] [--takes N] [--words N] [--json FILE]
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.table import Table

from benchmarks import report, texts
from benchmarks.machine import Machine, machine
from benchmarks.server import Server, serving
from voice_server.client import Session, connect

STAGES: Final = ("thinker", "talker", "code2wav")
TOGETHER: Final = ("launcher=processes", *(f"stages.{s}.process=engine" for s in STAGES))
TOPOLOGIES: Final = {
    "laptop": (),
    "two-core": (*TOGETHER, "processes.engine.replicas=1", "processes.engine.niceness=5"),
}
"""As in configs/, as assignments."""
AHEAD: Final = ("engine.capacity=8", "delivery.make_ahead_ms=3600000")
BUSIEST: Final = 0.9
BUSY: Final = 0.85
"""The parts of the time that the busier of talker and code2wav, and each of them, have to be at
work, or they were not saturated."""
SATURATED: Final = ("talker", "code2wav")
WORDS: Final = ("Oh.", "Yes.", "No.", "Well.", "Now.", "So.")
BOUND_S: Final = 0.005


@dataclass(frozen=True, slots=True)
class Row:
    """p50_s, p99_s: upper bounds of lateness. busy: part of the time, of each stage."""

    topology: str
    packets: int
    p50_s: float
    p99_s: float
    busy: dict[str, float]
    underruns: int


@dataclass(frozen=True, slots=True)
class Result:
    machine: Machine
    seconds: float
    takes: int
    words: int
    rows: list[Row]


def quantile(before: dict[str, float], after: dict[str, float], part: float) -> float:
    """The upper bound, in seconds, of the bucket that this part of the packets is in."""
    found = sorted(_buckets(after).items())
    counts = [(bound, count - _buckets(before)[bound]) for bound, count in found]
    total = counts[-1][1]
    return next((bound for bound, count in counts if count >= part * total), math.inf)


def _buckets(figures: dict[str, float]) -> dict[float, float]:
    """Cumulative counts by upper bound."""
    name = "voice_lateness_seconds_bucket{le="
    return {
        float(key[len(name) : -1]): value for key, value in figures.items() if key.startswith(name)
    }


async def listen(session: Session, number: int, seconds: float) -> None:
    """One take of endless paragraphs, heard for so long."""
    text = " ".join(texts.PARAGRAPHS[(number + step) % len(texts.PARAGRAPHS)] for step in range(40))
    take = await session.speak(text)
    try:
        async with asyncio.timeout(seconds):
            async for _ in take:
                pass
    except TimeoutError:
        await take.cancel()


async def say_words(session: Session, number: int) -> None:
    """One word after the other, each given up once it sounds."""
    for turn in itertools.count(number):
        take = await session.speak(WORDS[turn % len(WORDS)])
        async for _ in take:
            break
        await take.cancel()


async def load(
    server: Server, takes: int, words: int, seconds: float
) -> tuple[dict[str, float], ...]:
    """What /metrics says once all is under way, and so many seconds later."""
    async with connect(server.socket) as session:
        ends = [
            asyncio.create_task(listen(session, number, seconds + 6)) for number in range(takes)
        ]
        ends += [asyncio.create_task(say_words(session, number)) for number in range(words)]
        await asyncio.sleep(4)
        before = await asyncio.to_thread(server.metrics)
        await asyncio.sleep(seconds)
        after = await asyncio.to_thread(server.metrics)
        for end in ends:
            end.cancel()
        await asyncio.gather(*ends, return_exceptions=True)
    return before, after


def measure(topology: str, takes: int, words: int, seconds: float) -> Row:
    with serving((*AHEAD, *TOPOLOGIES[topology])) as server:
        before, after = asyncio.run(load(server, takes, words, seconds))
    grown = {key: value - before.get(key, 0.0) for key, value in after.items()}
    busy = {
        key.partition("{")[2].rstrip("}"): round(value / seconds, 2)
        for key, value in grown.items()
        if key.startswith("voice_stage_busy_seconds_total")
    }
    return Row(
        topology,
        int(grown["voice_packets_total"]),
        quantile(before, after, 0.5),
        quantile(before, after, 0.99),
        busy,
        int(grown["voice_underruns_total{source=server}"]),
    )


def show(result: Result) -> None:
    beside = f" and {result.words} say words beside" if result.words else ""
    title = f"Lateness of packets while {result.takes} takes are made far ahead{beside}"
    table = Table(title=title)
    for name in ("topology", "packets", "p50 under", "p99 under", "underruns", "stages at work"):
        table.add_column(name)
    for row in result.rows:
        busy = ", ".join(f"{name} {100 * part:.0f} %" for name, part in row.busy.items())
        late = (f"{1000 * row.p50_s:g} ms", f"{1000 * row.p99_s:g} ms")
        table.add_row(row.topology, str(row.packets), *late, str(row.underruns), busy)
    console = report.console()
    console.print(table)
    console.print(report.goals(_goals(result)))
    console.print(report.told(result.machine))


def _goals(result: Result) -> list[report.Goal]:
    row = next(row for row in result.rows if row.topology == "two-core")
    most = {
        stage: max((part for name, part in row.busy.items() if stage in name), default=0.0)
        for stage in SATURATED
    }
    saturated = min(most.values()) >= BUSY and max(most.values()) >= BUSIEST
    met = row.p99_s <= BOUND_S
    # Packets of sound that was made too late are late too, and tell nothing of the socket.
    told = saturated and (met or not row.underruns)
    return [
        report.Goal(
            "p99 on two-core", "5 ms", f"under {1000 * row.p99_s:g} ms", met if told else None
        )
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description="Lateness of packets under load, by topology")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--takes", type=int, default=3)
    parser.add_argument("--words", type=int, default=3, help="how many say words beside")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    on = machine(("voice-server", "onnxruntime", "openvino", "pyzmq"))
    rows = [
        measure(topology, chosen.takes, chosen.words, chosen.seconds) for topology in TOPOLOGIES
    ]
    result = Result(on, chosen.seconds, chosen.takes, chosen.words, rows)
    show(result)
    if chosen.json is not None:
        report.write(result, chosen.json)


if __name__ == "__main__":
    main()
