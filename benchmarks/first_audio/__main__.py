"""First audio, real-time factor and underruns through the socket, beside public peers.

python -m benchmarks.first_audio [--runs N] [--concurrency 1,2,4] [--quick] [--out DIR]
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import report
from benchmarks.first_audio import making, rounds, summary, systems, weights
from benchmarks.machine import Machine, machine
from benchmarks.server import NotStarted, Server, serving

PACKAGES = ("voice-server", "kokoro-onnx", "fastkokoro", "onnxruntime", "openvino", "numpy")


@dataclass(frozen=True, slots=True)
class Missing:
    """A peer that could not be started, and why."""

    system: str
    reason: str


@dataclass(frozen=True, slots=True)
class Result:
    """All that a run found. capacity: takes that the server said it carries at once."""

    machine: Machine
    runs: int
    settings: list[str]
    capacity: float
    goals: list[report.Goal]
    rows: list[summary.Row]
    missing: list[Missing]
    rounds: list[rounds.Round]


@dataclass(frozen=True, slots=True)
class Options:
    """runs: of every case. peers: whether they run beside ours. settings: of our server. out: a
    folder for the files."""

    runs: int
    concurrency: tuple[int, ...]
    texts: tuple[str, ...]
    peers: bool
    settings: list[str]
    out: Path


async def measure(options: Options, console: Console) -> Result:
    """Starts everything, runs the rounds, stops everything."""
    about = machine(PACKAGES)
    widest = max(options.concurrency)
    cases = [rounds.Case(text, width) for text in options.texts for width in options.concurrency]
    with serving(options.settings) as server:
        async with AsyncExitStack() as stack:
            started, missing = await _start(stack, server, widest, options.peers)
            capacity = server.metrics()["voice_capacity"]
            console.print(f"{', '.join(system.name for system in started)}: warming up")
            await rounds.warm_up(started, widest)
            made = await rounds.all_rounds(
                started, cases, options.runs, lambda r: _tell(r, console)
            )
    rows, goals = summary.rows(made), summary.goals(made)
    return Result(about, options.runs, options.settings, capacity, goals, rows, missing, made)


async def _start(
    stack: AsyncExitStack, server: Server, slots: int, peers: bool
) -> tuple[list[systems.System], list[Missing]]:
    ready = [
        await stack.enter_async_context(systems.ours(summary.OURS, server, "reading", slots)),
        await stack.enter_async_context(systems.ours(summary.LIVE, server, "live", slots)),
    ]
    missing = []
    for name, opening in _peers(stack) if peers else ():
        try:
            ready.append(await stack.enter_async_context(opening))
        except (NotStarted, OSError) as error:
            missing.append(Missing(name, str(error)))
    return ready, missing


def _peers(
    stack: AsyncExitStack,
) -> list[tuple[str, AbstractAsyncContextManager[systems.System]]]:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    files = weights.written(folder, (rounds.VOICE,))
    return [
        (summary.WHOLE, systems.kokoro_onnx(files)),
        (summary.STREAMING, systems.fastkokoro(files)),
    ]


def _tell(done: rounds.Round, console: Console) -> None:
    case = f"run {done.run + 1}: {done.case.text} × {done.case.concurrent}"
    console.print(f"{case}, {done.system}{'' if done.heard else ': none heard'}", highlight=False)
    for take in done.heard:
        console.print(f"  {making.line(take)}", highlight=False)


def show(result: Result, console: Console) -> None:
    """Prints the tables."""
    title = f"Through the socket, {report.runs(result.runs)}; first audio as median / p95 (range)"
    table = Table(title=title)
    columns = ("said", "system", "first audio s", "RTF p50 / p95", "underrun ms", "c50 c100 c200")
    for name in (*columns, "CPU s / s", "kbit/s", "queued", "refused", "others"):
        table.add_column(name, justify="left" if name in ("said", "system") else "right")
    for row in result.rows:
        table.add_row(*_cells(row))
    for peer in result.missing:
        table.add_row("–", peer.system, f"not run: {peer.reason}")
    console.print(table)
    console.print(report.goals(result.goals))
    console.print(report.told(result.machine), f"Capacity {result.capacity:.0f}.", highlight=False)


def _cells(row: summary.Row) -> Sequence[str]:
    first, rtf, shares = row.first_audio_s, row.rtf, (row.c50, row.c100, row.c200)
    spread = "–" if first is None else f"{first.p50:.2f} / {first.p95:.2f}"
    ends = "" if first is None else f" ({first.least:.2f}–{first.most:.2f})"
    return (
        f"{row.text} × {row.concurrent}",
        row.system,
        spread + ends,
        "–" if rtf is None else f"{rtf.p50:.2f} / {rtf.p95:.2f}",
        report.figure(row.underrun_s, "{:.0f}", 1000),
        " ".join(report.figure(share, "{:.0f}", 100) for share in shares),
        report.figure(row.cpu_rtf, "{:.3f}"),
        report.figure(row.kbit_s, "{:.0f}"),
        str(row.queued),
        str(row.refused),
        f"{row.others:.2f}",
    )


def asked() -> Options:
    """Reads the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_audio", description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="of every case")
    parser.add_argument("--concurrency", default="1,2,4", help="takes at once, such as 1,2,4")
    parser.add_argument("--texts", default="sentence,paragraph", help="sentence, paragraph or both")
    parser.add_argument("--quick", action="store_true", help="one run, without the peers")
    report.add_settings(parser)
    parser.add_argument("--out", type=Path, default=Path("bench"), help="folder for the files")
    given = parser.parse_args()
    widths = tuple(int(width) for width in given.concurrency.split(","))
    options = Options(
        given.runs, widths, tuple(given.texts.split(",")), True, given.settings, given.out
    )
    return replace(options, runs=1, peers=False) if given.quick else options


def main() -> None:
    from benchmarks.first_audio import plot

    options, console = asked(), report.console()
    options.out.mkdir(parents=True, exist_ok=True)
    result = asyncio.run(measure(options, console))
    show(result, console)
    report.write(result, options.out / "first_audio.json")
    plot.draw(result.rows, options.out / "first_audio.png")
    console.print(f"Written to {options.out}/first_audio.json and .png", highlight=False)


if __name__ == "__main__":
    main()
