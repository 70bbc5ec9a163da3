"""Qwen3-Omni's vocoder at its real size: exact streaming beside windows with 25 frames of context.

Random weights from a fixed seed; one thread; every round times every way once, in turn.

python -m benchmarks.code2wav [--rounds N] [--dtypes float32,bfloat16] [--json] [--out DIR]
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import torch
from rich.console import Console
from rich.table import Table

from benchmarks import report
from benchmarks.code2wav.ways import PUSHES, Models, Timed, Way, timed, ways
from benchmarks.machine import Machine, machine

PACKAGES: Final = ("voice-server", "torch", "transformers")
REAL_TIME: Final = 12.5
"""Frames a second."""
BETTER: Final = {4: 4.5, 10: 3.0}
"""By how much exact streaming must be faster than windows of the same new frames."""
EXACT: Final = 1e-4
DTYPES: Final = ("float32", "bfloat16")


@dataclass(frozen=True, slots=True)
class Options:
    """rounds: how often every way is timed. dtypes: of weights and arithmetic. json: printed
    instead of tables."""

    rounds: int
    dtypes: tuple[str, ...]
    json: bool
    out: Path


@dataclass(frozen=True, slots=True)
class Result:
    """error: of streamed sound against whole, over the standard deviation; None if not float32."""

    machine: Machine
    parameters: int
    threads: int
    error: float | None
    timed: list[Timed]
    goals: list[report.Goal]


def measure(options: Options, told: Callable[[str], None]) -> Result:
    """Builds the models and times every way."""
    about = machine(PACKAGES)
    torch.set_num_threads(1)
    models = Models(options.dtypes)
    told(f"{models.parameters / 1e6:.0f} M parameters")
    error = models.error("float32") if "float32" in options.dtypes else None
    found = {way: Timed(way, [], []) for way in ways(options.dtypes)}
    for way in found:
        timed(models.call(way))
    for number in range(options.rounds):
        for way, times in found.items():
            cpu, wall = timed(models.call(way))
            times.cpu.append(cpu)
            times.wall.append(wall)
        told(f"round {number + 1} of {options.rounds}")
    every = list(found.values())
    goals = _goals(every, options.dtypes, error)
    return Result(about, models.parameters, 1, error, every, goals)


def better(every: Sequence[Timed], dtype: str, push: int) -> list[float]:
    """How many times faster than windows exact streaming was, round by round."""
    windows, exact = (_of(every, Way(dtype, exact, push)) for exact in (False, True))
    return [a / b for a, b in zip(windows.cpu, exact.cpu, strict=True)]


def _of(every: Sequence[Timed], way: Way) -> Timed:
    return next(one for one in every if one.way == way)


def _goals(every: Sequence[Timed], dtypes: Sequence[str], error: float | None) -> list[report.Goal]:
    goals = []
    for dtype in dtypes:
        for push, bound in BETTER.items():
            ratio = statistics.median(better(every, dtype, push))
            what = f"{dtype}, push {push}: exact over windows"
            goals.append(report.Goal(what, f"{bound:g} ×", f"{ratio:.2f} ×", ratio >= bound))
    if "bfloat16" in dtypes:
        rate = _of(every, Way("bfloat16", True, 1)).rate
        what, bound = "bfloat16, push 1, one core", f"{REAL_TIME:g} frames/s"
        goals.append(report.Goal(what, bound, f"{rate:.1f}", rate >= REAL_TIME))
    if error is not None:
        what = "float32, streamed against whole"
        goals.append(report.Goal(what, f"{EXACT:g} of std", f"{error:.1e}", error <= EXACT))
    return goals


def show(result: Result, console: Console) -> None:
    """Prints the tables."""
    rounds = report.runs(len(result.timed[0].cpu))
    table = Table(title=f"New frames a second of one core, medians of {rounds}")
    table.add_column("way")
    for name in ("push", "frames/s", "slowest", "fastest", "times the windows"):
        table.add_column(name, justify="right")
    for one in result.timed:
        way, rates = one.way, sorted(one.way.frames / cpu for cpu in one.cpu)
        single = way.exact and way.streams == 1 and way.push in PUSHES
        ratios = better(result.timed, way.dtype, way.push) if single else []
        ratio = statistics.median(ratios) if ratios else None
        figures = (f"{one.rate:.1f}", f"{rates[0]:.1f}", f"{rates[-1]:.1f}")
        cells = (str(way.push), *figures, report.figure(ratio, "{:.2f}"))
        table.add_row(f"{way.dtype}, {way.name}", *cells)
    console.print(table, report.goals(result.goals))
    console.print(report.told(result.machine), highlight=False)


def asked() -> Options:
    """Reads the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.code2wav", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="times that each way is timed")
    parser.add_argument("--dtypes", default=",".join(DTYPES), help="float32, bfloat16 or both")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--out", type=Path, default=Path("bench"), help="folder for the file")
    given = parser.parse_args()
    dtypes = tuple(given.dtypes.split(","))
    if not set(dtypes) <= set(DTYPES):
        parser.error(f"--dtypes: expected {' or '.join(DTYPES)}")
    return Options(given.rounds, dtypes, given.json, given.out)


def main() -> None:
    options, console = asked(), report.console()
    told = Console(stderr=True).print if options.json else console.print
    result = measure(options, told)
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / "code2wav.json"
    report.write(result, file)
    if options.json:
        print(file.read_text(), end="")
        return
    show(result, console)
    console.print(f"Written to {file}", highlight=False)


if __name__ == "__main__":
    main()
