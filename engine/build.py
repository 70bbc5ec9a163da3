"""From a family and a topology to an engine that runs."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, assert_never

from engine.coordinator import Coordinator
from engine.devices import Machine
from engine.errors import GraphError
from engine.family import Family
from engine.launch.inboxes import make_inbox
from engine.launch.threads import ThreadLauncher
from engine.placement import Placement, resolve
from engine.topology import RayCluster, Topology
from engine.trace import Spans
from engine.transport.direct import DirectPost, LoopMailbox

if TYPE_CHECKING:
    from engine.launch.processes import ProcessLauncher
    from engine.launch.ray_launcher import RayLauncher

NO_RAY = "launcher: ray needs the extra ray: pip install 'voice-server[ray]'"


async def start(
    family: Family, topology: Topology | None = None, spans: Spans | None = None
) -> Coordinator:
    """Returns when every stage is ready. None is the default topology. spans: what all stages do is
    put there, to be drained now and then.

    Raises GraphError for a topology that doesn't fit the graph or this machine, and whatever
    EngineError kept a runner from being made; then nothing is left running.
    """
    topology = topology or Topology()
    placement = replace(
        resolve(family.graph, topology, Machine.here()),
        frame_samples=family.info.frame_samples,
    )
    check_installed(placement)
    mailbox = LoopMailbox(asyncio.get_running_loop())
    match placement.launcher:
        case "threads":
            return await _in_threads(family, placement, mailbox, spans)
        case "processes":
            return await _in_processes(family, placement, mailbox, spans)
        case "ray":
            return await _on_ray(family, placement, topology.ray, mailbox, spans)
        case _:
            assert_never(placement.launcher)


def check_installed(placement: Placement) -> None:
    """Raises GraphError when its launcher's extra is missing."""
    if placement.launcher == "ray" and find_spec("ray") is None:
        raise GraphError(NO_RAY)


async def _in_threads(
    family: Family, placement: Placement, mailbox: LoopMailbox, spans: Spans | None
) -> Coordinator:
    graph = family.graph
    inboxes = {address: make_inbox(graph, placement, address) for address in placement.addresses()}
    post = DirectPost(inboxes, mailbox)
    coordinator = Coordinator(family.info, graph, placement, post, spans)
    mailbox.open(coordinator.receive)
    launcher = ThreadLauncher(graph, placement, inboxes, post, spans)
    await launcher.start()
    coordinator.serve(launcher)
    return coordinator


async def _in_processes(
    family: Family, placement: Placement, mailbox: LoopMailbox, spans: Spans | None
) -> Coordinator:
    # Imported here, as what is threads in one process needs none of it.
    from engine.launch.processes import ProcessLauncher

    launcher = ProcessLauncher(family.graph, placement, mailbox, spans)
    return await _supervised(family, placement, mailbox, launcher, spans)


async def _on_ray(
    family: Family,
    placement: Placement,
    where: RayCluster,
    mailbox: LoopMailbox,
    spans: Spans | None,
) -> Coordinator:
    # As above; Ray is an extra besides.
    from engine.launch.ray_launcher import RayLauncher

    launcher = RayLauncher(family.graph, placement, where, mailbox, spans)
    return await _supervised(family, placement, mailbox, launcher, spans)


async def _supervised(
    family: Family,
    placement: Placement,
    mailbox: LoopMailbox,
    launcher: ProcessLauncher | RayLauncher,
    spans: Spans | None,
) -> Coordinator:
    coordinator = Coordinator(family.info, family.graph, placement, launcher, spans)
    mailbox.open(coordinator.receive)
    await launcher.start()
    coordinator.serve(launcher)
    return coordinator
