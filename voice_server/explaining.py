"""What is known before the start of how fast this machine makes sound, in lines."""

from __future__ import annotations

from collections.abc import Iterator

from engine.devices import Machine
from engine.graph import Graph, Vocoder
from engine.placement import HERE, Group, Placement
from engine.schedulers.foreseeing import SENTENCE, lone
from engine.stats import WindowStats
from sessions import capacity
from voice_server import carrying, families
from voice_server.config import Config


def lines(config: Config, graph: Graph, placement: Placement) -> Iterator[str]:
    """Which arithmetic suits the processor, what windows cost, and what that comes to."""
    chosen = families.arithmetic(config)
    if chosen is not None:
        yield from ("", "arithmetic", f"  {chosen}")
    for stage in graph.stages:
        if isinstance(stage.work, Vocoder):
            yield from ("", "windows")
            for line in _windows(config, stage.name, placement.group_of(stage.name)):
                yield f"  {line}"


def _windows(config: Config, stage: str, group: Group) -> Iterator[str]:
    elsewhere = sorted({seat.host for seat in group.seats} - {HERE})
    if elsewhere:
        yield f"{stage} is on {' and '.join(elsewhere)}, where what they cost is measured and kept"
        return
    known = families.windows(config, group.threads)
    if isinstance(known, str):
        yield f"what they cost is not known yet: {known}"
        return
    threads = "1 thread" if group.threads == 1 else f"{group.threads} threads"
    costs = ", ".join(f"{n} in {1000 * seconds:.0f} ms" for n, seconds in known.measured.table)
    yield f"codec frames, with {threads}, as measured at an earlier start: {costs}"
    yield _alone(known)
    yield _together(known, carrying.copies(group, len(Machine.here().cores)))


def _alone(known: WindowStats) -> str:
    take = lone(known)
    sizes = ", ".join(map(str, take.windows))
    late = f", begun {take.hold:.1f} s late" if take.hold else ""
    return f"a sentence of {SENTENCE * known.frame_s:g} s alone gets windows of {sizes}{late}"


def _together(known: WindowStats, copies: int) -> str:
    most = capacity.carried(capacity.Vocoder(known.load, copies))
    by = "" if copies == 1 else f", by {copies} replicas that share no core"
    takes = "1 take" if most == 1 else f"{most} takes"
    return (
        f"{known.load:.2f} s of computing for a second of sound: {takes} at once at most{by}, less "
        "what the stages before take"
    )
