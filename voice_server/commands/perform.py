"""`voice-server perform`: a script to a scene in a folder, through the same socket as everyone."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast, get_args

import click

from sessions.script import Script, ScriptError, Wanted, parse
from voice_server import config, one_shot
from voice_server.client import RequestRefused
from voice_server.client.performing import Performed, SceneRequest, as_json, perform
from voice_server.config import Config

FOUNTAIN = frozenset({".fountain", ".spmd"})
"""How the names of Fountain files end."""
AHEAD = 2
"""Takes at once at a server of its own: a line, and the next."""


@click.command("perform")
@click.argument("script", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option(
    "--out", "-o", required=True, type=click.Path(file_okay=False, path_type=Path),
    help="The folder for scene.wav, stems/, scene.vtt, scene.srt and cast.json.",
)  # fmt: skip
@click.option("--cast", multiple=True, metavar="NAME=VOICE", help="A speaker's voice; repeatable.")
@click.option(
    "--direction", multiple=True, metavar="NAME=WORDS", help="How a speaker speaks; repeatable."
)
@click.option(
    "--format", type=click.Choice(get_args(Wanted)), default="auto", show_default=True,
    help="How the script is written.",
)  # fmt: skip
@click.option("--url", help="A server, such as ws://127.0.0.1:8765; an engine of its own if not.")
@click.option("--json", "as_text", is_flag=True, help="Prints figures, cast and lines as JSON.")
@click.option("--config", "file", type=click.Path(path_type=Path), help="Settings of its engine.")
@click.option("--set", "assignments", multiple=True, metavar="KEY.PATH=VALUE", help="One setting.")
def command(
    script: str,
    out: Path,
    cast: tuple[str, ...],
    direction: tuple[str, ...],
    format: str,
    url: str | None,
    as_text: bool,
    file: Path | None,
    assignments: tuple[str, ...],
) -> None:
    """Performs SCRIPT (- for standard input): plain (NAME: words), Fountain, or with speaker tags.

    Speakers without a voice get one that fits. The folder has all files at the end, or none.

    Exit status: 0 performed, 1 failed, 2 asked wrongly, 3 no server or engine to be had.
    """
    one_shot.check_options(url, file is not None or bool(assignments))
    own = one_shot.own_server(config.load(file, assignments), AHEAD)
    text, wanted = _text(script), _format(script, format)
    speakers = _speakers(_parsed(script, text, wanted))
    voices = _by_speaker("--cast", "VOICE", cast, speakers)
    directions = _by_speaker("--direction", "WORDS", direction, speakers)
    performed = _perform(url, own, SceneRequest(text, out, wanted, voices, directions))
    if as_text:
        click.echo(as_json(performed))


def _perform(url: str | None, own: Config, request: SceneRequest) -> Performed:
    with one_shot.plain_errors():
        try:
            with one_shot.session(url, own, "pcm16", 20) as (session, teller):
                return perform(session, request, teller)
        except RequestRefused as error:
            if error.field is None:
                raise
            raise one_shot.AskedWrongly(str(error)) from error


def _text(script: str) -> str:
    """Raises AskedWrongly for what is no text."""
    try:
        data = sys.stdin.buffer.read() if script == "-" else Path(script).read_bytes()
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        told = f"{_name(script)}, line {line}: this is not text in UTF-8"
        raise one_shot.AskedWrongly(told) from error
    except OSError as error:
        raise one_shot.AskedWrongly(f"{_name(script)} can't be read: {error}") from error


def _format(script: str, format: str) -> Wanted:
    """As asked; otherwise a file's name may say."""
    if format == "auto" and Path(script).suffix.lower() in FOUNTAIN:
        return "fountain"
    return cast(Wanted, format)


def _parsed(name: str, text: str, format: Wanted) -> Script:
    """Read here too, so that what is wrong is known before anything is started."""
    try:
        found = parse(text, format)
    except ScriptError as error:
        raise one_shot.AskedWrongly(f"{_name(name)}, {error}") from error
    if not found.dialogue:
        raise one_shot.AskedWrongly(f"{_name(name)} has no words to say (read as {found.format})")
    return found


def _name(script: str) -> str:
    return "standard input" if script == "-" else script


def _speakers(script: Script) -> tuple[str, ...]:
    return tuple(hint.name for hint in script.cast_hints)


def _by_speaker(
    option: str, what: str, given: Sequence[str], speakers: Sequence[str]
) -> dict[str, str]:
    """What was given for each speaker, by the script's own spelling."""
    spelt = {name.casefold(): name for name in speakers}
    found: dict[str, str] = {}
    for one in given:
        name, equals, value = (part.strip() for part in one.partition("="))
        if not (name and equals and value):
            raise one_shot.AskedWrongly(f"{option} {one!r}: expected NAME={what}")
        if name.casefold() not in spelt:
            told = f"nobody of that name speaks; the speakers are {', '.join(speakers)}"
            raise one_shot.AskedWrongly(f"{option} {one!r}: {told}")
        found[spelt[name.casefold()]] = value
    return found
