"""`voice-server config explain`: what a file and assignments come to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from engine.build import check_installed
from engine.devices import Machine
from engine.errors import GraphError
from engine.placement import resolve
from engine.plan import Plan, PlannedEdge, PlannedProcess, plan
from voice_server import config, explaining, families, hosting
from voice_server.config import Config


@click.group("config")
def command() -> None:
    """Looks at configurations."""


@command.command("explain")
@click.argument("file", type=click.Path(path_type=Path, exists=True), required=False)
@click.option("--set", "assignments", multiple=True, metavar="KEY.PATH=VALUE")
def explain(file: Path | None, assignments: tuple[str, ...]) -> None:
    """Prints the whole configuration that FILE comes to, and what would run where and why.

    The plan stands in comments, so that the output is a configuration. Exit status 1: it can't run
    here, which is then said last.
    """
    settings = config.load(file, assignments)
    click.echo(config.resolved(settings), nl=False)
    graph, topology = families.graph(settings), hosting.topology(settings)
    placement = resolve(graph, topology)
    lines = _lines(settings, plan(graph, placement))
    for line in (*lines, *explaining.lines(settings, graph, placement)):
        click.echo(f"# {line}" if line else "#")
    try:
        check_installed(resolve(graph, topology, Machine.here()))
    except GraphError as error:
        raise click.ClickException(f"can't run here: {error}") from error


def _lines(settings: Config, planned: Plan) -> Iterator[str]:
    yield ""
    yield f"{settings.engine.family}, launched as {planned.launcher}"
    yield "  server, on this host: the coordinator, sessions and sockets"
    for process in planned.processes:
        yield f"  {_process(process, planned.launcher)}"
    yield ""
    yield "edges"
    for edge in planned.edges:
        yield f"  {_edge(edge)}"


def _process(process: PlannedProcess, launcher: str) -> str:
    where = "in the server" if launcher == "threads" else f"on {process.host}"
    devices = ", ".join(process.devices)
    share = "" if process.memory is None else f", {100 * process.memory:g} % of its memory each"
    cores = "any core" if not process.cores else f"cores {', '.join(map(str, process.cores))}"
    threads = "1 compute thread" if process.threads == 1 else f"{process.threads} compute threads"
    stages = ", ".join(process.stages)
    return f"{process.name}, {where}: {stages}; {devices}{share}; {cores}; {threads} a stage"


def _edge(edge: PlannedEdge) -> str:
    return f"{edge.source} -> {edge.target} ({edge.kind}): {edge.transport}, as {edge.why}"
