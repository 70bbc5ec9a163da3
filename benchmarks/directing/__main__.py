"""What directions do to a take, and what they cost.

python -m benchmarks.directing [--words a,b] [--voices a,b] [--sentences N] [--no-degrees]
    [--resume] [--seconds S] [--threads N] [--json] [--out DIR]
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from benchmarks import report
from benchmarks.directing import asked
from benchmarks.directing.figures import Climb, Effect, climbs, effects, goals
from benchmarks.directing.keeping import Kept
from benchmarks.directing.measuring import measure
from benchmarks.directing.plan import Plan, laddered
from benchmarks.directing.rows import Row, Told
from benchmarks.directing.taking import meant
from benchmarks.machine import Machine, machine

PACKAGES: Final = (
    "voice-server",
    "faster-whisper",
    "jiwer",
    "speechmos",
    "swift-f0",
    "pyloudnorm",
    "Resemblyzer",
    "torch",
)

UNITS: Final[dict[asked.Measured, str]] = {
    "length": "%",
    "pitch": "semitones",
    "loudness": "dB",
    "range": "semitones",
}


@dataclass(frozen=True, slots=True)
class Result:
    """All that was found. rows: every take. whole: whether all that was asked is measured."""

    machine: Machine
    settings: list[str]
    whole: bool
    effects: list[Effect]
    climbs: list[Climb]
    goals: list[report.Goal]
    rows: list[Row]


def show(result: Result, console: Console) -> None:
    """Prints the tables."""
    console.print(_effects(result.effects))
    if result.climbs:
        console.print(_climbs(result.climbs))
    console.print(report.goals(result.goals))
    console.print(report.told(result.machine), highlight=False)


def _effects(made: list[Effect]) -> Table:
    table = Table(title="Directions, beside the undirected take; means")
    table.add_column("direction", no_wrap=True)
    names = ("takes", "length ×", "pitch st", "range st", "loud dB", "tilt dB", "voiced", "WER %")
    for name in (*names, "DNSMOS", "sd", "similarity", "least"):
        table.add_column(name, justify="right")
    for row in made:
        table.add_row(row.direction, *_cells(row))
    return table


def _cells(row: Effect) -> list[str]:
    return [
        str(row.takes),
        f"{row.length:.2f}",
        report.figure(row.pitch, "{:+.1f}"),
        report.figure(row.range, "{:+.1f}"),
        f"{row.loudness:+.1f}",
        f"{row.tilt:+.1f}",
        f"{row.voiced:.2f}",
        f"{100 * row.wer:.1f} ({100 * row.plain_wer:.1f})",
        f"{row.opinion:+.3f}",
        f"{row.spread:.2f}",
        f"{row.similarity:.3f}",
        f"{row.least:.3f}",
    ]


def _climbs(made: list[Climb]) -> Table:
    table = Table(title="By degrees; means")
    for name in ("direction", "measured", "a touch", "a little", "plain", "much", "rises"):
        table.add_column(name)
    for climb in made:
        ladder = climb.ladder
        changes = (f"{rung.change:+.2f}" for rung in climb.rungs)
        rises = "yes" if climb.rises else "NO"
        table.add_row(
            ladder.direction, f"{ladder.measured}, {UNITS[ladder.measured]}", *changes, rises
        )
    return table


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.directing", description=__doc__)
    parser.add_argument("--words", help="directions, separated by commas; all if not given")
    parser.add_argument("--voices", default=",".join(asked.VOICES), help="separated by commas")
    count = len(asked.SENTENCES)
    parser.add_argument("--sentences", type=int, default=count, help="how many sentences")
    told = "measure plain directions alone"
    parser.add_argument("--no-degrees", dest="degrees", action="store_false", help=told)
    parser.add_argument("--resume", action="store_true", help="keep what --out has already")
    parser.add_argument("--seconds", type=float, help="begin no take after so long")
    parser.add_argument("--threads", type=int, default=1, help="of each model that judges")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    report.add_settings(parser)
    parser.add_argument("--out", type=Path, default=Path("bench"), help="folder for the files")
    given = parser.parse_args()
    given.words = given.words.split(",") if given.words else list(asked.DIRECTIONS)
    for word in given.words:
        try:
            meant(Told("", asked.SENTENCES[0], word))
        except ValueError as error:
            parser.error(str(error))
    return given


def main() -> None:
    given, about = _options(), machine(PACKAGES)
    plan = Plan(
        voices=given.voices.split(","),
        sentences=asked.SENTENCES[: given.sentences],
        judged=given.words,
        laddered=laddered(given.words) if given.degrees else (),
        threads=given.threads,
        seconds=given.seconds,
        settings=given.settings,
    )
    partly = given.out / "directing.jsonl"
    if not given.resume:
        partly.unlink(missing_ok=True)
    console = Console(stderr=True) if given.json else report.console()
    result = _measured(plan, Kept(partly), about, console)
    if given.json:
        print(json.dumps(asdict(result), indent=1, ensure_ascii=False))
    else:
        show(result, console)
    if not result.whole:
        console.print("Not all is measured yet: go on with --resume")
    report.write(result, given.out / "directing.json")
    console.print(f"Written to {given.out}/directing.json", highlight=False)


def _measured(plan: Plan, kept: Kept, about: Machine, console: Console) -> Result:
    whole = measure(plan, kept, console.print)
    rows = plan.rows(kept)
    made, degrees = effects(rows, plan.judged), climbs(rows, plan.laddered)
    reached = goals(made, degrees) if made else []
    return Result(about, list(plan.settings), whole, made, degrees, reached, rows)


if __name__ == "__main__":
    main()
