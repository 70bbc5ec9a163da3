"""`voice-server config explain`: what a file and assignments come to."""

from __future__ import annotations

from pathlib import Path

import click

from voice_server import config


@click.group("config")
def command() -> None:
    """Looks at configurations."""


@command.command("explain")
@click.argument("file", type=click.Path(path_type=Path, exists=True), required=False)
@click.option("--set", "assignments", multiple=True, metavar="KEY.PATH=VALUE")
def explain(file: Path | None, assignments: tuple[str, ...]) -> None:
    """Prints the whole configuration that FILE comes to, defaults included."""
    click.echo(config.resolved(config.load(file, assignments)), nl=False)
