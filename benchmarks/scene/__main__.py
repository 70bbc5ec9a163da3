"""A long scene through the server's socket: its memory, its voices, and whether a player starves.

python -m benchmarks.scene [--minutes M] [--threads N] [--json] [--out DIR]
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from benchmarks import report
from benchmarks.directing.speaker import Encoder
from benchmarks.machine import Machine, machine
from benchmarks.scene.likeness import likeness
from benchmarks.scene.performing import perform
from benchmarks.scene.player import Gap
from benchmarks.scene.rows import Likeness, Memory, Performed
from benchmarks.scene.script import lines
from benchmarks.scene.summary import goals, growth
from benchmarks.server import serving

PACKAGES: Final = ("voice-server", "onnxruntime", "openvino", "numpy", "torch", "Resemblyzer")
ROWS: Final = 12
"""Of the table of memory."""


@dataclass(frozen=True, slots=True)
class Result:
    """All that a run found, but for its sound. growth_mib: from after the first five minutes to the
    end; None for a shorter run."""

    machine: Machine
    settings: list[str]
    first_s: float
    wall_s: float
    sound_s: float
    heard_s: float
    rtf: float
    lines: int
    in_order: bool
    again: int
    same: int
    cast: dict[str, str]
    warnings: list[str]
    gaps: list[Gap]
    told_s: float
    took_s: float
    least_lead_s: float | None
    growth_mib: float | None
    memory: list[Memory]
    likeness: list[Likeness]
    goals: list[report.Goal]


def measure(
    minutes: float, settings: list[str], threads: int, told: Callable[[str], None]
) -> Result:
    """Performs about so many minutes. Raises NotStarted, NotInstalled, and what the SDK raises."""
    about, encoder, said = machine(PACKAGES), Encoder(threads), lines(minutes)
    with serving(settings) as server:
        done = asyncio.run(perform(server, said, told))
    rows = likeness(encoder, done.first, done.last, done.sample_rate)
    return _result(about, settings, done, rows, len(said))


def _result(
    about: Machine, settings: list[str], done: Performed, rows: list[Likeness], expected: int
) -> Result:
    return Result(
        machine=about,
        settings=settings,
        first_s=done.first_s,
        wall_s=done.wall_s,
        sound_s=done.sound_s,
        heard_s=done.heard_s,
        rtf=done.wall_s / done.sound_s,
        lines=done.lines,
        in_order=done.in_order,
        again=done.again,
        same=done.same,
        cast=done.cast,
        warnings=done.warnings,
        gaps=done.gaps,
        told_s=done.told_s,
        took_s=done.took_s,
        least_lead_s=done.least_lead_s,
        growth_mib=growth(done.memory),
        memory=done.memory,
        likeness=rows,
        goals=goals(done, rows, expected),
    )


def show(result: Result, console: Console) -> None:
    """Prints the tables."""
    title = (
        f"{result.lines} lines, {result.heard_s / 60:.1f} minutes, made in {result.wall_s:.0f} s; "
        f"least lead from the second line on {report.figure(result.least_lead_s, '{:.1f} s')}"
    )
    console.print(title, highlight=False)
    console.print(_memory(result.memory), _likeness(result.likeness), report.goals(result.goals))
    for warning in result.warnings:
        console.print(warning, highlight=False)
    console.print(report.told(result.machine), highlight=False)


def _memory(memory: Sequence[Memory]) -> Table:
    table = Table(title="The server's memory")
    for name in ("minutes heard", "seconds gone", "MiB"):
        table.add_column(name, justify="right")
    step = max(1, -(-len(memory) // ROWS))
    for one in (*memory[:-1:step], memory[-1]):
        table.add_row(f"{one.heard_s / 60:.1f}", f"{one.wall_s:.0f}", f"{one.rss_mib:.1f}")
    return table


def _likeness(rows: Sequence[Likeness]) -> Table:
    table = Table(title="Likeness of voices: two of the first minute, first and last, other people")
    for name in ("speaker", "voice", "first", "last", "within", "to first", "to others", "nearest"):
        table.add_column(name)
    for row in rows:
        alike = (report.figure(v, "{:.3f}") for v in (row.within, row.to_first, row.to_others))
        counts = (str(row.first), str(row.last))
        table.add_row(row.speaker, row.voice, *counts, *alike, f"{row.nearest} of {row.last}")
    return table


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scene", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60, help="of the scene, about")
    parser.add_argument("--threads", type=int, default=1, help="of the speaker encoder")
    report.add_settings(parser)
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--out", type=Path, default=Path("bench"), help="folder for the file")
    given = parser.parse_args()
    console = Console(stderr=True) if given.json else report.console()
    result = measure(given.minutes, given.settings, given.threads, console.print)
    if given.json:
        print(json.dumps(asdict(result), indent=1, ensure_ascii=False))
    else:
        show(result, console)
    given.out.mkdir(parents=True, exist_ok=True)
    report.write(result, given.out / "scene.json")
    console.print(f"Written to {given.out}/scene.json", highlight=False)


if __name__ == "__main__":
    main()
