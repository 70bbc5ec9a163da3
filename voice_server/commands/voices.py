"""`voice-server voices`: who can speak."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from voice_server import config, families


@click.command("voices")
@click.option("--config", "file", type=click.Path(path_type=Path), help="A YAML file of settings.")
@click.option(
    "--set", "assignments", multiple=True, metavar="KEY.PATH=VALUE", help="One setting; repeatable."
)
@click.option("--json", "as_json", is_flag=True, help="Prints JSON.")
def command(file: Path | None, assignments: tuple[str, ...], as_json: bool) -> None:
    """Lists the voices of the model family that is configured."""
    voices = families.voices(config.load(file, assignments))
    if as_json:
        click.echo(json.dumps([asdict(voice) for voice in voices], indent=2))
        return
    table = Table("voice", "name", "language", "gender", "about")
    for voice in voices:
        table.add_row(voice.id, voice.name, voice.language, voice.gender, ", ".join(voice.tags))
    Console().print(table)
