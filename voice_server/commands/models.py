"""`voice-server models`: gets model files and makes them ready, so that serving starts at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from voice_server import config, families
from voice_server.config import Config
from voice_server.hosting import Progress as Tell

F = TypeVar("F", bound=Callable[..., None])


@click.group("models")
def command() -> None:
    """Gets the model's files and makes them ready."""


def _settings(function: F) -> F:
    """The options that say which configuration is meant."""
    for option in (
        click.option("--config", "file", type=click.Path(path_type=Path)),
        click.option("--set", "assignments", multiple=True, metavar="KEY.PATH=VALUE"),
    ):
        function = option(function)
    return function


@command.command("get")
@_settings
def get(file: Path | None, assignments: tuple[str, ...]) -> None:
    """Fetches the files that the installed packages do not bring, such as voices."""
    _run(families.fetch, config.load(file, assignments))


@command.command("prepare")
@_settings
def prepare(file: Path | None, assignments: tuple[str, ...]) -> None:
    """Fetches what is missing and prepares the graphs, once."""
    settings = config.load(file, assignments)
    _run(families.fetch, settings)
    _run(families.prepare, settings)


def _run(work: Callable[[Config, Tell], Path], settings: Config) -> None:
    with _bar() as tell:
        done = work(settings, tell)
    click.echo(f"Ready in {done}")


@contextmanager
def _bar() -> Iterator[Tell]:
    """A progress bar on a terminal, a line a step elsewhere."""
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("starting", total=1.0)

        def tell(step: str, fraction: float | None) -> None:
            progress.update(task, description=step, completed=fraction or 0.0)

        yield tell
