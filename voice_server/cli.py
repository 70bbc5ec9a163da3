"""The command line. Each module of `voice_server.commands` is one command, named as the module is;
it is imported when asked for, so that `--help` and light commands stay quick.
"""

from __future__ import annotations

import importlib
import pkgutil

import click

from engine.errors import EngineError
from voice_server import commands
from voice_server.config import ConfigError


class AskedWrongly(click.ClickException):
    """What was asked makes no sense; nothing was tried."""

    exit_code = 2


class Commands(click.Group):
    """Finds its commands in the package; a module's `command` is the command."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of all commands."""
        return sorted(found.name for found in pkgutil.iter_modules(commands.__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; None makes click say that there is none."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command = importlib.import_module(f"{commands.__name__}.{cmd_name}").command
        assert isinstance(command, click.Command), f"{cmd_name}: `command` is not a command"
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Runs the command; what goes wrong is said in plain words, without a traceback."""
        try:
            return super().invoke(ctx)
        except ConfigError as error:
            raise AskedWrongly(str(error)) from error
        except EngineError as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="voice-server")
def program() -> None:
    """A realtime voice session server: write lines, hear them at once.

    Exit status: 0 done, 1 failed, 2 asked wrongly.
    """


def main() -> None:
    """The entry point."""
    program()
