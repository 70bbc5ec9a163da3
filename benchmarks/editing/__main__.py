"""What edits are worth: exact outside the change, heard right, DNSMOS, joins, first audio, cost.

python -m benchmarks.editing [--voices a,b] [--each N] [--minutes M] [--json] [--out DIR]

Each edit is kept under DIR/editing as soon as it is judged, and a later run goes on from there, so
that a long run can be done in parts; --fresh begins anew.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from benchmarks import report
from benchmarks.editing.cases import CHAINS
from benchmarks.editing.judging import Trial
from benchmarks.editing.running import Asked, kept, run
from benchmarks.editing.summary import Figures, Right, Row, summed
from benchmarks.machine import Machine, machine

VOICES: Final = "af_heart,am_michael,bf_emma,bm_george"
PACKAGES: Final = ("voice-server", "faster-whisper", "jiwer", "speechmos", "whisper-normalizer")


@dataclass(frozen=True, slots=True)
class Result:
    """All that was found so far; left: chains in a voice that are still to be done."""

    machine: Machine
    settings: tuple[str, ...]
    left: int
    figures: Figures
    goals: list[report.Goal]
    trials: list[Trial]


def show(result: Result, console: Console) -> None:
    """Prints the tables."""
    figures = result.figures
    console.print(_kinds(figures.rows))
    for right in figures.rows[-1].right:
        _show_wrong(right, console)
    if figures.joined is not None:
        joined = figures.joined
        told = f"{joined.joins} joins, median {joined.median:.2f}; {joined.natural} word boundaries"
        console.print(f"{told}, median {joined.natural_median:.2f}", highlight=False)
    if figures.declared is not None:
        told = f"of {figures.declared.edits} edits of one word, {100 * figures.declared.over:.0f} %"
        console.print(f"{told} declare a second or more", highlight=False)
    if figures.told is not None:
        one = figures.told
        told = f"{one.at_once} right at once, {one.mended} mended, {one.wrong} never right"
        console.print(f"By the server's own recogniser: {told}", highlight=False)
    console.print(report.goals(result.goals))
    console.print(report.told(result.machine), highlight=False)
    if result.left:
        console.print(f"{result.left} lines are left: run it again to go on", highlight=False)


def _kinds(rows: Iterable[Row]) -> Table:
    table = Table(title="Edits by kind")
    names = ("edits", "exact", "right: base", "right: tiny", "DNSMOS: parent −", "whole −")
    for name in ("kind", *names, "changed s", "of the line", "first audio ms", "cost"):
        table.add_column(name)
    for row in rows:
        right = (f"{one.right} of {one.asked}" for one in row.right)
        gaps = (f"{row.gap:+.3f}", f"{row.whole_gap:+.3f}")
        made = (f"{row.changed_s:.2f}", f"{100 * row.share:.0f} %")
        costs = (report.figure(row.first_ms, "{:.0f}"), f"{100 * row.cost:.0f} %")
        table.add_row(row.kind, str(row.edits), str(row.exact), *right, *gaps, *made, *costs)
    return table


def _show_wrong(right: Right, console: Console) -> None:
    for text, voice, heard in right.wrong:
        told = f"{right.recogniser}, {voice}: {text!r}, heard {heard!r}"
        console.print(told, highlight=False, markup=False)


def _asked(given: argparse.Namespace) -> Asked:
    voices = tuple(given.voices.split(","))
    return Asked(
        chains=CHAINS[:: given.skip],
        voices=voices,
        each=min(given.each, len(voices)),
        threads=given.threads,
        folder=given.out / "editing",
        sound=given.sound,
        until=60 * given.minutes,
        settings=tuple(given.settings),
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.editing", description=__doc__)
    parser.add_argument("--voices", default=VOICES, help="separated by commas")
    parser.add_argument("--each", type=int, default=1, help="by how many voices each line is said")
    parser.add_argument("--skip", type=int, default=1, help="every how many-th line is taken")
    parser.add_argument("--threads", type=int, default=1, help="of each model that judges")
    parser.add_argument("--minutes", type=float, default=1e6, help="begin nothing more after that")
    parser.add_argument("--sound", action="store_true", help="keep the sound too")
    parser.add_argument("--fresh", action="store_true", help="keep nothing of earlier runs")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    report.add_settings(parser)
    parser.add_argument("--out", type=Path, default=Path("bench"), help="folder for the files")
    return parser


def main() -> None:
    given = _parser().parse_args()
    console, about, asked = report.console(), machine(PACKAGES), _asked(given)
    if given.fresh:
        for file in asked.folder.glob("*.json"):
            file.unlink()
    left = run(asked, (lambda step: None) if given.json else console.print)
    trials = kept(asked)
    figures = summed(trials)
    result = Result(about, asked.settings, left, figures, figures.goals(), trials)
    report.write(result, given.out / "editing.json")
    if given.json:
        print(json.dumps(asdict(result), indent=1, ensure_ascii=False))
    else:
        show(result, console)
        console.print(f"Written to {given.out}/editing.json", highlight=False)


if __name__ == "__main__":
    main()
