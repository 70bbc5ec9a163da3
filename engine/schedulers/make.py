"""From what a graph says of a stage to the scheduler that runs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from engine.graph import (
    Autoregressive,
    Graph,
    Simple,
    StageSpec,
    Streaming,
    Threaded,
    Vocoder,
    Worker,
)
from engine.messages import CLIENT
from engine.schedulers.autoregressive import AutoregressiveScheduler
from engine.schedulers.base import Scheduler
from engine.schedulers.simple import Limit, SimpleScheduler
from engine.schedulers.streaming import StreamingScheduler
from engine.schedulers.threaded import ThreadedScheduler
from engine.schedulers.vocoder import VocoderScheduler


def make_scheduler(
    graph: Graph, name: str, worker: Worker, wake: Callable[[], None] = lambda: None
) -> Scheduler:
    """wake: makes the stage look again, from any thread. Makes the runner too, so it is called in
    the stage's own thread and may take seconds.

    Raises whatever the factory of the runner raises.
    """
    spec = graph.stage(name)
    match spec.work:
        case Streaming(factory=make, outstanding=outstanding):
            return StreamingScheduler(name, make(worker), _acking_targets(spec), outstanding)
        case Autoregressive(factory=take, outstanding=outstanding):
            return AutoregressiveScheduler(name, take(worker), _acking_targets(spec), outstanding)
        case Vocoder(factory=build, sample_rate=rate):
            frame, windows = worker.frame_samples, worker.windows
            return VocoderScheduler(name, build(worker), rate, frame, windows)
        case Simple(factory=start):
            whole = any(edge.kind == "payload" for _, edge in graph.sources(name))
            limit = Limit(spec.work.cost, spec.work.most)
            wait = spec.work.wait
            return SimpleScheduler(name, start(worker), whole=whole, wait=wait, limit=limit)
        case Threaded(factory=open_one, threads=threads):
            whole = any(edge.kind == "payload" for _, edge in graph.sources(name))
            runners = [open_one(worker) for _ in range(threads)]
            return ThreadedScheduler(name, runners, whole=whole, wake=wake)
        case _:
            assert_never(spec.work)


def _acking_targets(spec: StageSpec) -> tuple[str, ...]:
    """Those that say when they have taken an item; a payload edge carries only one."""
    streams = tuple(edge.target for edge in spec.to if edge.kind == "stream")
    return (*streams, CLIENT) if spec.end else streams
