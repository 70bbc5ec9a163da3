"""A thousand short takes in one session, some of them cancelled: what is left afterwards.

python -m benchmarks.takes [--takes N] [--together N] [--no-cancels] [--out DIR]
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from benchmarks import report
from benchmarks.machine import Machine, machine
from benchmarks.server import Server, serving
from benchmarks.takes.holding import Moment, idle
from benchmarks.takes.saying import say_many
from voice_server.client import connect

WARM_UP: Final = 100
EACH: Final = 100
"""Takes between two looks."""
GROWTH_MIB: Final = 16.0
"""What the allocator keeps of the largest moment so far may come to a little more each time."""
PACKAGES: Final = ("voice-server", "onnxruntime", "openvino", "numpy")


@dataclass(frozen=True, slots=True)
class Options:
    """takes: after the warm-up. together: at once. cancels: whether some are cancelled."""

    takes: int
    together: int
    cancels: bool
    settings: list[str]
    out: Path


@dataclass(frozen=True, slots=True)
class Result:
    """All that a run found. moments: the first after the warm-up, then as takes went on, each with
    nothing under way. after: with the session closed. ended: takes by what the client was told.
    counted: takes by what /metrics says, the warm-up's included."""

    machine: Machine
    settings: list[str]
    seconds: float
    ended: dict[str, int]
    counted: dict[str, int]
    moments: list[Moment]
    after: Moment
    goals: list[report.Goal]


async def measure(options: Options, told: Callable[[str], None]) -> Result:
    """Runs all takes in one session of a server of its own. Raises NotStarted."""
    about = machine(PACKAGES)
    with serving(options.settings) as server:
        begun, ended, moments = time.monotonic(), Counter[str](), []
        async with connect(server.address) as session:
            for numbers in _stretches(WARM_UP + options.takes):
                ended += await say_many(session, numbers, options.together, options.cancels)
                now = await idle(server, numbers.stop)
                moments.append(now)
                told(f"{now.takes} takes: {now.rss_mib:.1f} MiB, held {now.held or 'nothing'}")
        after = await idle(server, numbers.stop)
        counted = _counted(server)
    seconds = time.monotonic() - begun
    goals = _goals(moments, after, dict(ended), counted)
    return Result(about, options.settings, seconds, dict(ended), counted, moments, after, goals)


def _stretches(takes: int) -> list[range]:
    edges = [*range(0, takes, EACH), takes]
    return [range(a, b) for a, b in pairwise(edges)]


def _counted(server: Server) -> dict[str, int]:
    told = server.metrics()
    names = ("started", "done", "cancelled", "failed")
    return {name: int(told[f"voice_takes_total{{outcome={name}}}"]) for name in names}


def _goals(
    moments: list[Moment], after: Moment, ended: dict[str, int], counted: dict[str, int]
) -> list[report.Goal]:
    held = {key: value for moment in (*moments, after) for key, value in moment.held.items()}
    growth = moments[-1].rss_mib - moments[0].rss_mib
    agree = counted["started"] == sum(ended.values()) and not counted["failed"]
    agree = agree and all(counted[name] == number for name, number in ended.items())
    said = f"client {_listed(ended)}; server {_listed(counted)}"
    kept = f"{growth:+.1f} MiB"
    return [
        report.Goal("held when idle", "nothing", str(held or "nothing"), not held),
        report.Goal("memory, idle", f"+{GROWTH_MIB:g} MiB at most", kept, growth <= GROWTH_MIB),
        report.Goal("threads", "as before", *_same([moments[0].threads, moments[-1].threads])),
        report.Goal("files", "as before", *_same([moments[0].handles, moments[-1].handles])),
        report.Goal("takes by their end", "the same, none failed", said, agree),
    ]


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in counts.items())


def _same(values: list[int]) -> tuple[str, bool]:
    return " → ".join(map(str, values)), values[-1] <= values[0]


def show(result: Result, console: Console) -> None:
    """Prints the tables."""
    table = Table(title=f"After so many short takes in one session ({result.seconds:.0f} s)")
    for name in ("takes", "memory MiB", "threads", "files", "held"):
        table.add_column(name, justify="right")
    for moment in (*result.moments, result.after):
        held = str(moment.held or "nothing")
        sizes = (f"{moment.rss_mib:.1f}", str(moment.threads), str(moment.handles))
        table.add_row(str(moment.takes), *sizes, held)
    console.print(table, report.goals(result.goals))
    console.print(report.told(result.machine), highlight=False)


def asked() -> Options:
    """Reads the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.takes", description=__doc__)
    parser.add_argument("--takes", type=int, default=1000, help="after a warm-up of 100")
    parser.add_argument("--together", type=int, default=2, help="at once")
    parser.add_argument("--no-cancels", action="store_true", help="hear every take out")
    report.add_settings(parser)
    parser.add_argument("--out", type=Path, default=Path("bench"), help="folder for the file")
    given = parser.parse_args()
    return Options(given.takes, given.together, not given.no_cancels, given.settings, given.out)


def main() -> None:
    options, console = asked(), report.console()
    result = asyncio.run(measure(options, console.print))
    show(result, console)
    options.out.mkdir(parents=True, exist_ok=True)
    report.write(result, options.out / "takes.json")
    console.print(f"Written to {options.out}/takes.json", highlight=False)


if __name__ == "__main__":
    main()
