"""What the commands that speak share: a session at a server, and errors in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import click
from rich.console import Console

from voice_server import families, local
from voice_server.client import ClientError, ConnectFailed, SyncSession, connect_sync
from voice_server.client.telling import Teller
from voice_server.config import Config
from voice_server.readiness import Condition, Loading
from voice_server.serving import CannotListen
from voice_server.wire.messages import Encoding, FrameMs


class Failed(click.ClickException):
    """Ends the command with a plain message."""

    exit_code = 1


class AskedWrongly(Failed):
    """What was asked makes no sense."""

    exit_code = 2


class NoServer(Failed):
    """No server or engine could be had; trying again later may help."""

    exit_code = 3


@contextmanager
def plain_errors() -> Iterator[None]:
    """Ends the command where the SDK or a server of its own gives up."""
    try:
        yield
    except (ConnectFailed, local.NotReady, CannotListen) as error:
        raise NoServer(str(error)) from error
    except ClientError as error:
        raise Failed(str(error)) from error


def check_options(url: str | None, settings_given: bool) -> None:
    """Raises UsageError for settings of an engine that is another's."""
    if url is not None and settings_given:
        raise click.UsageError("--config and --set are for an engine of its own, not for --url")


def own_server(settings: Config, capacity: int) -> Config:
    """For a server of our own: any free port, and no measuring of how much it could carry."""
    server = settings.server.model_copy(update={"host": "127.0.0.1", "port": 0})
    engine = settings.engine.model_copy(update={"capacity": capacity})
    return settings.model_copy(update={"server": server, "engine": engine})


@contextmanager
def session(
    url: str | None, own: Config, format: Encoding, frame_ms: FrameMs
) -> Iterator[tuple[SyncSession, Teller]]:
    """A session at `url`, or at a server that is started for it, and who tells how it goes."""
    with ExitStack() as stack:
        teller = stack.enter_context(Teller(Console(stderr=True)))
        if url is None:
            running = local.running(own, families.loader(own), lambda now: _tell(teller, now))
            url = stack.enter_context(running)
        connected = connect_sync(url, format=format, frame_ms=frame_ms, on_notice=teller.notice)
        yield stack.enter_context(connected), teller


def _tell(teller: Teller, condition: Condition) -> None:
    if isinstance(condition, Loading):
        teller.step(condition.step, condition.fraction)
