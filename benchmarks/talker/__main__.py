"""Qwen3-Omni's talker at its real size: what a step costs by the rows that are in it.

Random weights from a fixed seed; every round times every number of rows once, in turn, and a frame
of transformers' own `generate`.

python -m benchmarks.talker [--rows 1,2,4] [--rounds N] [--dtype bfloat16] [--layers N]
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import torch
from rich.console import Console
from rich.table import Table

from benchmarks import report
from benchmarks.machine import Machine, machine
from benchmarks.talker.real import LAYERS, talker
from benchmarks.talker.steps import Ours, Theirs

PACKAGES: Final = ("voice-server", "torch", "transformers")
ROWS: Final = (1, 2, 4, 8, 16, 32, 64)
MANY: Final = 16
DEARER: Final = 4.0
"""How many times what a step of one row costs, one of MANY may."""
FRAMES: Final = 3
"""Of transformers', in a round."""


@dataclass(frozen=True, slots=True)
class Options:
    """rounds: how often everything is timed. layers: of the talker's, LAYERS are published."""

    rows: tuple[int, ...]
    rounds: int
    dtype: str
    layers: int
    threads: int
    theirs: bool
    out: Path


@dataclass(frozen=True, slots=True)
class Step:
    """Seconds of a step with so many rows, by round."""

    rows: int
    seconds: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Result:
    """theirs: seconds a frame of transformers' `generate`, one row, by round."""

    machine: Machine
    dtype: str
    layers: int
    threads: int
    parameters: int
    steps: list[Step]
    theirs: list[float]
    goals: list[report.Goal]


def measure(options: Options, told: Callable[[str], None]) -> Result:
    """Builds the talker and times it."""
    about = machine(PACKAGES)
    torch.set_num_threads(options.threads)
    module = talker(getattr(torch, options.dtype), options.layers)
    parameters = sum(weight.numel() for weight in module.parameters())
    told(f"{parameters / 1e6:.0f} M parameters")
    ours, theirs = Ours(module, max(options.rows)), Theirs(module)
    steps, reference = [Step(rows) for rows in options.rows], list[float]()
    for step in steps:
        ours.seconds(step.rows)
    for number in range(options.rounds):
        for step in steps:
            step.seconds.append(ours.seconds(step.rows))
        if options.theirs:
            reference.append(theirs.seconds(FRAMES))
        told(f"round {number + 1} of {options.rounds}")
    goals = _goals(steps)
    return Result(
        about,
        options.dtype,
        options.layers,
        options.threads,
        parameters,
        steps,
        reference,
        goals,
    )


def _goals(steps: list[Step]) -> list[report.Goal]:
    by_rows = {step.rows: statistics.median(step.seconds) for step in steps}
    what, bound = f"a step of {MANY} rows", f"at most {DEARER:g} of one row"
    if not {1, MANY} <= by_rows.keys():
        return [report.Goal(what, bound, "–", None)]
    dearer = by_rows[MANY] / by_rows[1]
    return [report.Goal(what, bound, f"{dearer:.2f}", dearer <= DEARER)]


def show(result: Result, console: Console) -> None:
    """Prints the tables."""
    whole = "" if result.layers == LAYERS else f" of {LAYERS}"
    title = (
        f"A step of the talker: {result.parameters / 1e6:.0f} M parameters, {result.layers}{whole} "
        f"layers, {result.dtype}, {report.runs(len(result.steps[0].seconds))}, "
        f"{result.threads} thread(s)"
    )
    table = Table(title=title)
    for name in ("rows", "ms, median", "ms, least to most", "× one row", "frames/s"):
        table.add_column(name, justify="right")
    one = next((statistics.median(s.seconds) for s in result.steps if s.rows == 1), None)
    for step in result.steps:
        table.add_row(str(step.rows), *_cells(step.seconds, one), f"{_rate(step):.2f}")
    if result.theirs:
        cells = _cells(result.theirs, one)
        rate = 1 / statistics.median(result.theirs)
        table.add_row("1, transformers", *cells, f"{rate:.2f}")
    console.print(table, report.goals(result.goals))
    console.print(report.told(result.machine), highlight=False)


def _cells(seconds: list[float], one: float | None) -> tuple[str, str, str]:
    middle = statistics.median(seconds)
    spread = f"{1000 * min(seconds):.0f} to {1000 * max(seconds):.0f}"
    times = None if one is None else middle / one
    return f"{1000 * middle:.0f}", spread, report.figure(times, "{:.2f}")


def _rate(step: Step) -> float:
    return step.rows / statistics.median(step.seconds)


def asked() -> Options:
    """Reads the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.talker", description=__doc__)
    parser.add_argument("--rows", default=",".join(map(str, ROWS)), help="by commas")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--dtype", choices=("bfloat16", "float32"), default="bfloat16")
    parser.add_argument("--layers", type=int, default=LAYERS, help="fewer take less memory")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--no-theirs", action="store_true", help="leave transformers out")
    parser.add_argument("--out", type=Path, default=Path("bench"), help="folder for the file")
    given = parser.parse_args()
    rows = tuple(sorted({int(part) for part in given.rows.split(",")}))
    places = (given.dtype, given.layers, given.threads, not given.no_theirs, given.out)
    return Options(rows, given.rounds, *places)


def main() -> None:
    options, console = asked(), report.console()
    result = measure(options, console.print)
    show(result, console)
    options.out.mkdir(parents=True, exist_ok=True)
    report.write(result, options.out / "talker.json")
    console.print(f"Written to {options.out}/talker.json", highlight=False)


if __name__ == "__main__":
    main()
