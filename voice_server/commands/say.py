"""`voice-server say`: one text to a sound file, through the same socket as everyone."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import cast

import click
from rich.console import Console

from voice_server import config, families, local
from voice_server.client import ClientError, ConnectFailed, connect_sync
from voice_server.client.recording import container
from voice_server.client.saying import Request, Spoken, Teller, figures, say
from voice_server.config import Config
from voice_server.readiness import Condition, Loading
from voice_server.serving import CannotListen
from voice_server.wire.messages import Encoding, FrameMs


class Failed(click.ClickException):
    """Ends the command with a plain message."""

    exit_code = 1


class NoServer(Failed):
    """No server or engine could be had; trying again later may help."""

    exit_code = 3


@click.command("say")
@click.argument("text")
@click.option("--voice", help="A voice of `voice-server voices`.")
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
    if url is not None and (file is not None or assignments):
        raise click.UsageError("--config and --set are for an engine of its own, not for --url")
    text = sys.stdin.read() if text == "-" else text
    with _plain_errors():
        if out is not None:
            container(out)
        own = None if url else _own(config.load(file, assignments))
        request = Request(text, voice, seed, out)
        spoken = _say(url, own, request, cast(Encoding, format), cast(FrameMs, int(frame_ms)))
    if as_json:
        click.echo(json.dumps(figures(spoken), ensure_ascii=False, indent=2))


@contextmanager
def _plain_errors() -> Iterator[None]:
    try:
        yield
    except (ConnectFailed, local.NotReady, CannotListen) as error:
        raise NoServer(str(error)) from error
    except ClientError as error:
        raise Failed(str(error)) from error


def _own(settings: Config) -> Config:
    """For a server of our own: any free port, and no measuring of how much it could carry."""
    server = settings.server.model_copy(update={"host": "127.0.0.1", "port": 0})
    engine = settings.engine.model_copy(update={"capacity": 1})
    return settings.model_copy(update={"server": server, "engine": engine})


def _say(
    url: str | None, own: Config | None, request: Request, format: Encoding, frame_ms: FrameMs
) -> Spoken:
    """Connects to `url`, or to a server that is started for it, and speaks."""
    with ExitStack() as stack:
        teller = stack.enter_context(Teller(Console(stderr=True), request.text))
        if own is not None:
            load = families.loader(own)
            url = stack.enter_context(local.running(own, load, lambda now: _tell(teller, now)))
        assert url is not None
        session = stack.enter_context(
            connect_sync(url, format=format, frame_ms=frame_ms, on_notice=teller.notice)
        )
        return say(session, request, teller)


def _tell(teller: Teller, condition: Condition) -> None:
    if isinstance(condition, Loading):
        teller.step(condition.step, condition.fraction)
