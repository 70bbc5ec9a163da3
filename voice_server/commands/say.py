"""`voice-server say`: one text to a sound file, through the same socket as everyone."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import cast

import click

from voice_server import config, one_shot
from voice_server.client.recording import container
from voice_server.client.saying import Request, figures, say
from voice_server.wire.messages import Encoding, FrameMs


@click.command("say")
@click.argument("text")
@click.option("--voice", help="A voice of `voice-server voices`.")
@click.option("--direction", metavar="WORDS", help='How to say it, such as "softly, a bit slower".')
@click.option("--out", "-o", type=click.Path(path_type=Path), help="wav, flac, ogg, opus or mp3.")
@click.option("--url", help="A server, such as ws://127.0.0.1:8765; an engine of its own if not.")
@click.option("--json", "as_json", is_flag=True, help="Prints figures and words as JSON.")
@click.option("--seed", type=int, help="The same seed gives the same samples.")
@click.option("--format", type=click.Choice(["opus", "pcm16"]), default="pcm16", show_default=True)
@click.option("--frame-ms", type=click.Choice(["20", "40", "60"]), default="20", show_default=True)
@click.option("--config", "file", type=click.Path(path_type=Path), help="Settings of its engine.")
@click.option("--set", "assignments", multiple=True, metavar="KEY.PATH=VALUE", help="One setting.")
def command(
    text: str,
    voice: str | None,
    direction: str | None,
    out: Path | None,
    url: str | None,
    as_json: bool,
    seed: int | None,
    format: str,
    frame_ms: str,
    file: Path | None,
    assignments: tuple[str, ...],
) -> None:
    """Speaks TEXT (- for standard input) into a file.

    Exit status: 0 spoken, 1 failed, 2 asked wrongly, 3 no server or engine to be had.
    """
    if out is None and not as_json:
        raise click.UsageError("say where the sound goes with --out, or ask for figures by --json")
    one_shot.check_options(url, file is not None or bool(assignments))
    own = one_shot.own_server(config.load(file, assignments), capacity=1)
    text = sys.stdin.read() if text == "-" else text
    request = Request(text, voice, seed, direction, out)
    with one_shot.plain_errors():
        if out is not None:
            container(out)
        sound = cast(Encoding, format), cast(FrameMs, int(frame_ms))
        with one_shot.session(url, own, *sound) as (session, teller):
            spoken = say(session, request, teller)
    if as_json:
        click.echo(json.dumps(figures(spoken), ensure_ascii=False, indent=2))
