"""`voice-server serve`: the server and the studio."""

from __future__ import annotations

import logging
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import click
from rich.console import Console
from rich.status import Status

from engine.trace import TraceFile
from voice_server import config, families, serving
from voice_server.app import App
from voice_server.readiness import Broken, Condition, Loading, Ready, Stopping


@click.command("serve")
@click.option("--host", help="Address to listen on.")
@click.option("--port", type=int, help="Port to listen on, 0 for any free one.")
@click.option("--data", type=click.Path(path_type=Path), help="Folder for what the server keeps.")
@click.option("--model", help="Model of the family that is configured: a path or a hub id.")
@click.option(
    "--trace", type=click.Path(path_type=Path), help="Writes what stages do when, for Perfetto."
)
@click.option("--config", "file", type=click.Path(path_type=Path), help="A YAML file of settings.")
@click.option(
    "--set", "assignments", multiple=True, metavar="KEY.PATH=VALUE", help="One setting; repeatable."
)
def command(
    host: str | None,
    port: int | None,
    data: Path | None,
    model: str | None,
    trace: Path | None,
    file: Path | None,
    assignments: tuple[str, ...],
) -> None:
    """Starts the server and prints the studio's address."""
    flags = {"server.host": host, "server.port": port, "data": data}
    given = [f"{key}={value}" for key, value in flags.items() if value is not None]
    settings = families.with_model(config.load(file, [*given, *assignments]), model)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    try:
        listening = serving.listen(settings.server)
    except serving.CannotListen as error:
        raise click.ClickException(str(error)) from error
    with (
        listening,
        _tracing(trace) as spans,
        Console(stderr=True).status("starting") as status,
    ):
        app = App(settings, families.loader(settings), spans)
        app.readiness.tell(_Teller(status))
        status.console.print(
            f"Studio: {serving.address(listening)}", highlight=False, soft_wrap=True
        )
        app.server().run(sockets=[listening])


def _tracing(file: Path | None) -> AbstractContextManager[TraceFile | None]:
    if file is None:
        return nullcontext()
    try:
        return TraceFile(file)
    except OSError as error:
        raise click.ClickException(f"{file}: can't be written ({error.strerror})") from error


class _Teller:
    """Says on the terminal how the server stands."""

    def __init__(self, status: Status) -> None:
        self._status = status

    def __call__(self, condition: Condition) -> None:
        console = self._status.console
        match condition:
            case Loading(step, fraction):
                part = "" if fraction is None else f" {100 * fraction:.0f} %"
                self._status.update(f"{step}{part}")
            case Ready(scheduler):
                self._status.stop()
                voices, takes = len(scheduler.engine.info.voices), scheduler.stats().capacity
                console.print(
                    f"Ready: {voices} voices, {takes} takes at once.",
                    highlight=False,
                    soft_wrap=True,
                )
            case Broken(reason):
                self._status.stop()
                console.print(
                    f"The engine is not there: {reason}",
                    highlight=False,
                    markup=False,
                    soft_wrap=True,
                )
            case Stopping():
                self._status.stop()
                console.print("Stopping once all is played; Ctrl+C again to stop now.")
