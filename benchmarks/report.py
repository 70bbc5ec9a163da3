"""What the reports of all benchmarks share: cells, goals, the file."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.table import Table

from benchmarks.machine import Machine

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

WIDTH: Final = 170


@dataclass(frozen=True, slots=True)
class Goal:
    """Something that must be reached. met: None if the run could not tell."""

    what: str
    bound: str
    measured: str
    met: bool | None


def console() -> Console:
    """Wide enough for the tables, also where the output is a file."""
    usual = Console()
    return usual if usual.is_terminal else Console(width=WIDTH)


def add_settings(parser: ArgumentParser) -> None:
    """Lets the command line set what the server under test is set to."""
    told = "a setting of the server; repeatable"
    parser.add_argument(
        "--set", dest="settings", action="append", default=[], metavar="KEY.PATH=VALUE", help=told
    )


def figure(value: float | None, pattern: str, factor: float = 1) -> str:
    """A cell; a dash for what was not measured."""
    return "–" if value is None else pattern.format(factor * value)


def runs(count: int) -> str:
    """Runs, in words."""
    return "1 run" if count == 1 else f"{count} runs"


def goals(reached: Iterable[Goal]) -> Table:
    """What had to be reached beside what was."""
    table = Table(title="To reach")
    for name in ("what", "bound", "measured", "met"):
        table.add_column(name)
    for goal in reached:
        met = {True: "yes", False: "NO", None: "?"}[goal.met]
        table.add_row(goal.what, goal.bound, goal.measured, met)
    return table


def told(about: Machine) -> str:
    """On what it was measured, in one line."""
    versions = ", ".join(f"{name} {version}" for name, version in about.versions.items())
    return (
        f"{about.date}, {about.processor}, {about.cores} cores, {about.memory_gib:g} GiB, load "
        f"{about.load:g} before; Python {about.python}, commit {about.commit}; {versions}."
    )


def write(result: DataclassInstance, file: Path) -> None:
    """The whole result as JSON, every take with it."""
    file.write_text(json.dumps(asdict(result), indent=1, ensure_ascii=False) + "\n")
