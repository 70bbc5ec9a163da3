"""The IO shell around a scheduler. It reads an inbox, lets the scheduler run, and routes what comes
out. It never asks what kind of scheduler it has."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from typing import assert_never

from engine.errors import EngineError, StageFailed
from engine.graph import Edge, Graph
from engine.intake import BreakOff, Feed, Intake, Path, Report, Step
from engine.messages import (
    CLIENT,
    Abort,
    Ack,
    Admitted,
    Chunk,
    Done,
    Error,
    Inbound,
    Job,
    Mail,
    Noticed,
    Outbound,
    Outgoing,
    Result,
    StageAddress,
    StreamItem,
    Taken,
)
from engine.schedulers.base import Scheduler
from engine.stats import StageStats
from engine.trace import StageTrace
from engine.transport.base import Post
from engine.transport.inbox import Inbox

logger = logging.getLogger(__name__)


class Stage:
    """Run by one thread, which owns all of it; `stats` may be read from any."""

    def __init__(
        self,
        graph: Graph,
        address: StageAddress,
        scheduler: Scheduler,
        inbox: Inbox,
        post: Post,
        trace: StageTrace | None = None,
        *,
        announced: bool = False,
    ) -> None:
        """announced: see `Intake`."""
        self.address = address
        self._spec = graph.stage(address.stage)
        self._streams_from = _stream_source(graph, address.stage)
        self._intake = Intake(graph, address.stage, announced=announced)
        self._scheduler = scheduler
        self._inbox = inbox
        self._post = post
        self._trace = trace
        self._running = False
        self._busy = 0.0
        self._admitted = 0
        self._items = 0

    def run(self) -> None:
        """Works until the inbox is closed."""
        while self.turn():
            pass

    def close(self) -> None:
        """Ends what the scheduler has started. Called by the thread that ran the stage."""
        self._scheduler.close()

    def turn(self) -> bool:
        """Waits for messages or a due run, then does what is to be done. False once closed."""
        messages = self._inbox.take(self._patience())
        if messages is None:
            return False
        now = time.monotonic()
        for message in messages:
            self._do(self._intake.take(message), now)
        due = self._scheduler.ready_at()
        if due is not None and due <= now:
            self._run_scheduler(now)
        return True

    def stats(self) -> StageStats:
        return StageStats(
            address=self.address,
            depth=self._inbox.depth(),
            bound=self._inbox.bound,
            owed=self._inbox.owed(),
            running=self._running,
            busy=self._busy,
            admitted=self._admitted,
            items=self._items,
            states=self._scheduler.open_states(),
            records=self._intake.records(),
            windows=self._scheduler.windows(),
        )

    def _patience(self) -> float | None:
        due = self._scheduler.ready_at()
        return None if due is None else max(0.0, due - time.monotonic())

    def _run_scheduler(self, now: float) -> None:
        self._running = True
        outgoing = self._scheduler.run_once(now)
        ended = time.monotonic()
        self._busy += ended - now
        self._running = False
        if self._trace is not None and outgoing:
            self._trace.ran(now, ended, outgoing)
        for message in outgoing:
            self._route(message, now)

    def _do(self, steps: Iterable[Step], now: float) -> None:
        for step in steps:
            match step:
                case Feed(message=message):
                    self._scheduler.feed(message, now)
                    if self._trace is not None:
                        _trace(self._trace, message, now)
                case Report(message=report):
                    self._report(report)
                case BreakOff(job=job, path=path):
                    self._end_edges(job, path, broken=True)
                case _:
                    assert_never(step)

    def _route(self, message: Outgoing, now: float) -> None:
        if self._intake.is_lost(message.job):
            return
        match message:
            case StreamItem():
                self._forward(message, now)
            case Taken(job=job):
                self._acknowledge(job)
            case Result(job=job):
                path = self._intake.path(job)
                self._intake.finished(job)
                self._end(message, path)
            case Error(job=job):
                self._do(self._intake.failed(job), now)
                self._report(message)
            case Admitted():
                self._admitted += 1
            case Noticed():
                self._report(message)
            case _:
                assert_never(message)

    def _forward(self, message: StreamItem, now: float) -> None:
        """To every edge that the request takes; what can't go there loses this request alone."""
        self._items += 1
        path = self._intake.path(message.job)
        try:
            for edge in path.edges:
                item = self._projected(edge, message.item)
                chunk = Chunk(message.job, self.address.stage, item)
                self._post.to_stage(path.binding.of(edge.target), chunk)
            if self._spec.end:
                self._report(message)
        except EngineError as error:
            self._do(self._intake.fault(message.job, error), now)
            return
        for edge in self._spec.to:
            if edge not in path.edges:
                # Nobody will take it there, so there is always room.
                self._scheduler.feed(Ack(message.job, edge.target), now)

    def _projected(self, edge: Edge, item: object) -> object:
        if edge.project is None:
            return item
        try:
            return edge.project(item)
        except Exception as error:
            logger.exception("%s: projection for %s", self.address.stage, edge.target)
            text = f"{self.address.stage}: projection for {edge.target}: {error!r}"
            raise StageFailed(text) from error

    def _acknowledge(self, job: Job) -> None:
        """Room for one more item on the edge that feeds this stage; nobody is woken for what no
        more items will come to."""
        if self._streams_from is None or not self._intake.is_wet(job, self._streams_from):
            return
        if self._streams_from == CLIENT:
            self._report(Taken(job))
        else:
            address = self._intake.path(job).binding.of(self._streams_from)
            self._post.to_stage(address, Ack(job, self.address.stage))

    def _end(self, result: Result, path: Path) -> None:
        """A result that comes before the end of an edge can wait for that of the stage behind it:
        the loop would be woken in the middle of the work, for what nobody waits for."""
        mail = Mail(self.address, result)
        self._post.to_coordinator(mail, patient=bool(path.edges))
        self._end_edges(result.job, path, broken=False)

    def _end_edges(self, job: Job, path: Path, *, broken: bool) -> None:
        for edge in path.edges:
            done = Done(job, self.address.stage, broken)
            self._post.to_stage(path.binding.of(edge.target), done)

    def _report(self, message: Outbound) -> None:
        self._post.to_coordinator(Mail(self.address, message))


def _trace(trace: StageTrace, message: Inbound, now: float) -> None:
    if isinstance(message, Chunk):
        trace.arrived(message.job, now)
    elif isinstance(message, Abort):
        trace.over(message.job)


def _stream_source(graph: Graph, name: str) -> str | None:
    """Who sends this stage a stream and so wants acknowledgements; None for whole payloads."""
    if name == graph.entry:
        return CLIENT
    return next((source for source, edge in graph.sources(name) if edge.kind == "stream"), None)
