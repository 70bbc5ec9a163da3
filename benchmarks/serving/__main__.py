"""Many clients at once of the server with Qwen3-Omni's voice: frames a second, first audio, RTF.

The server is a process of its own on loopback; clients are the Python SDK's, in this one.

python -m benchmarks.serving --random real|tiny | --model FOLDER [--folder DIR] [--config FILE]
    [--at 1,2,4] [--seconds S] [--characters N] [--until S] [--graphs yes|no]
    [--device cuda:0] [--set K=V] [--json] [--out DIR] [--name NAME]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from benchmarks import report
from benchmarks.machine import Machine, machine
from benchmarks.server import Server, serving
from benchmarks.serving import accelerator, summary
from benchmarks.serving.checkpoint import WEIGHTS, Size, write
from benchmarks.serving.clients import Clients, Level, opened

PACKAGES: Final = ("voice-server", "torch", "transformers", "numpy", "websockets", "uvicorn")
AT: Final = "1,2,4,8,16,32,64"
CONFIGS: Final = Path(__file__).parents[2] / "configs"
WARM: Final = 30
"""Characters of what is said before all."""
JUDGED: Final = "H200"
"""The figures to beat were measured on one; others are not held against them."""


@dataclass(frozen=True, slots=True)
class Options:
    """model: a checkpoint's folder or hub id. random: how large, if its weights are. at: clients at
    once. seconds: how long they go on asking, at each level. characters: of a take, on average.
    until: seconds after which no more level is begun. device: of talker and code2wav. name: of the
    file."""

    model: str
    random: Size | None
    config: Path
    at: tuple[int, ...]
    seconds: float
    characters: int
    until: float
    graphs: bool
    device: str
    settings: list[str]
    json: bool
    out: Path
    name: str

    @property
    def weights(self) -> str:
        """In words, for the report."""
        return self.model if self.random is None else WEIGHTS[self.random]

    def assignments(self) -> list[str]:
        """Settings of the server."""
        widest = max(self.at)
        return [
            "edits.check=false",
            f"server.max_connections={widest + 8}",
            f"limits.sessions={widest + 8}",
            f"engine.capacity={widest}",
            f"qwen3_omni.slots={widest}",
            f"qwen3_omni.graphs={str(self.graphs).lower()}",
            *(f"processes.{name}.devices=[{self.device!r}]" for name in ("talker", "code2wav")),
            *self.settings,
        ]


@dataclass(frozen=True, slots=True)
class Result:
    """start_s: of the server, with loading and capturing. memory_mib: that its processes have of
    the host's. left_out: clients at once that time ran out for."""

    machine: Machine
    accelerator: str
    weights: str
    config: str
    graphs: bool
    settings: list[str]
    start_s: float
    memory_mib: float
    rows: list[summary.Row]
    left_out: list[int]
    goals: list[report.Goal]


async def measure(
    options: Options, told: Callable[[str], None], keep: Callable[[Result], None]
) -> Result:
    """Starts a server and measures level by level. keep: gets what there is after each, should the
    rest take too long. Raises NotStarted."""
    begun, about, rows = time.perf_counter(), machine(PACKAGES), list[summary.Row]()
    with serving(options.assignments(), options.config, options.model) as server:
        start_s = time.perf_counter() - begun
        told(f"ready after {start_s:.1f} s")
        async with AsyncExitStack() as stack:
            clients = await opened(stack, server.address, max(options.at))
            await clients.together(max(options.at), 0.0, WARM)  # nobody compiles while we look
            for at in options.at:
                if time.perf_counter() < begun + options.until:
                    rows.append(summary.row(await _level(options, server, clients, at)))
                    told(f"× {at}: {rows[-1].takes} takes in {rows[-1].seconds:.1f} s")
                    keep(_result(options, about, start_s, server.rss_mib(), rows))
        return _result(options, about, start_s, server.rss_mib(), rows)


def _result(
    options: Options, about: Machine, start_s: float, memory_mib: float, rows: list[summary.Row]
) -> Result:
    name, measured = accelerator.name(options.device), [row.clients for row in rows]
    return Result(
        machine=about,
        accelerator=name,
        weights=options.weights,
        config=options.config.name,
        graphs=options.graphs,
        settings=options.settings,
        start_s=start_s,
        memory_mib=memory_mib,
        rows=rows,
        left_out=[at for at in options.at if at not in measured],
        goals=summary.goals(rows, JUDGED in name and options.random != "tiny"),
    )


async def _level(options: Options, server: Server, clients: Clients, at: int) -> Level:
    begun, own, theirs = time.perf_counter(), time.process_time(), server.cpu_s()
    outcomes = await clients.together(at, options.seconds, options.characters)
    wall = time.perf_counter() - begun
    used = (time.process_time() - own) / wall
    return Level(at, wall, used, (server.cpu_s() - theirs) / wall, outcomes)


def show(result: Result, console: Console) -> None:
    """Prints the tables."""
    graphs = "with CUDA graphs" if result.graphs else "without CUDA graphs"
    where = f"{result.accelerator}, {graphs}" if result.accelerator != "cpu" else "on the CPU"
    table = Table(title=f"Through the socket, {where}, {result.weights}, {result.config}")
    for name in ("clients", "frames/s", "first audio p50 ms", "p95 ms", "RTF", "sound s/s"):
        table.add_column(name, justify="right")
    for name in ("never dry %", "longest underrun ms", "takes", "refused", "client", "server"):
        table.add_column(name, justify="right")
    for row in result.rows:
        table.add_row(*_cells(row))
    console.print(table)
    console.print(f"To beat: {summary.PEER}. ? where the machine or the weights are others.")
    console.print(report.goals(result.goals))
    left = f" No time for × {', '.join(map(str, result.left_out))}." if result.left_out else ""
    memory = f"Started in {result.start_s:.0f} s, {result.memory_mib:,.0f} MiB of the host's.{left}"
    console.print(report.told(result.machine), memory, highlight=False)


def _cells(row: summary.Row) -> list[str]:
    return [
        str(row.clients),
        *_figures(row.figures),
        f"{row.sound_s:.2f}",
        report.figure(row.c0, "{:.0f}", 100),
        report.figure(row.longest_ms, "{:,.0f}"),
        str(row.takes),
        str(sum(row.refused.values())),
        f"{row.client_cpu:.2f}",
        f"{row.server_cpu:.2f}",
    ]


def _figures(made: summary.Figures | None) -> list[str]:
    if made is None:
        return ["–"] * 4
    first = [f"{ms:,.1f}" for ms in (made.first_p50_ms, made.first_p95_ms)]
    return [f"{made.frames_s:,.1f}", *first, f"{made.rtf:.3f}"]


def asked(folder: Path) -> Options:
    """Reads the command line; makes the random checkpoint, if one is asked for, in `folder`."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serving", description=__doc__)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--model", help="folder of a checkpoint, or its id on the hub")
    which.add_argument("--random", choices=("real", "tiny"), help="weights made for this run")
    parser.add_argument("--folder", type=Path, help="keeps --random's weights, for other runs")
    parser.add_argument("--config", type=Path, help="colocated-gpu.yaml with a GPU, if not given")
    parser.add_argument("--at", default=AT, help=f"clients at once; {AT}")
    parser.add_argument("--seconds", type=float, default=10, help="of each level, at the least")
    parser.add_argument("--characters", type=int, default=150, help="of a take, on average")
    parser.add_argument("--until", type=float, default=3600, help="no level is begun after so long")
    parser.add_argument("--graphs", choices=("yes", "no"), default="yes")
    parser.add_argument("--device", help="of talker and code2wav; the first GPU if there is one")
    report.add_settings(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--out", type=Path, default=Path("bench"), help="folder for the file")
    parser.add_argument("--name", default="serving", help="of the file, without .json")
    given = parser.parse_args()
    device = given.device or accelerator.first()
    usual = "qwen3_omni.yaml" if device == "cpu" else "colocated-gpu.yaml"
    model = _made(given.random, given.folder or folder) if given.random else given.model
    return Options(
        model=model,
        random=given.random,
        config=given.config or CONFIGS / usual,
        at=tuple(int(at) for at in given.at.split(",")),
        seconds=given.seconds,
        characters=given.characters,
        until=given.until,
        graphs=given.graphs == "yes",
        device=device,
        settings=given.settings,
        json=given.json,
        out=given.out,
        name=given.name,
    )


def _made(size: Size, folder: Path) -> str:
    """The checkpoint of random weights in `folder`, made if it is not there."""
    if not (folder / "config.json").is_file():
        write(size, folder)
    return str(folder)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        options = asked(Path(folder))
        options.out.mkdir(parents=True, exist_ok=True)
        console = Console(stderr=True) if options.json else report.console()
        file = options.out / f"{options.name}.json"
        measuring = measure(
            options,
            lambda text: console.print(text, highlight=False),
            lambda result: report.write(result, file),
        )
        result = asyncio.run(measuring)
    report.write(result, file)
    if options.json:
        print(json.dumps(asdict(result), indent=1, ensure_ascii=False))
    else:
        show(result, console)
        console.print(f"Written to {file}", highlight=False)


if __name__ == "__main__":
    main()
