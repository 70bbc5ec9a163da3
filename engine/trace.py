"""The life of requests over stages and processes, for Perfetto or Chrome's own viewer.

Spans are made where things happen and written by the server's process; their clock is monotonic,
which all processes of a host share.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Literal, TypeAlias

from engine.messages import Job, Outgoing, Result, Sendable, StageAddress, StreamItem, Taken
from engine.types import Pcm

OFTEN_S = 0.5
"""How often what was gathered is written."""
Kind: TypeAlias = Literal["request", "transfer", "queue", "run"]


@dataclass(frozen=True, slots=True)
class Span(Sendable):
    """begun, ended: monotonic seconds. process: the group and replica, or the server. stage: None
    where it is of no stage. job: None for a run that made nothing. detail: for people."""

    kind: Kind
    name: str
    begun: float
    ended: float
    process: str
    stage: str | None
    job: Job | None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Traced(Sendable):
    """Spans of a process of stages, on their way to the server's."""

    spans: tuple[Span, ...]


class Spans:
    """Gathers spans from all threads of a process until they are drained."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spans: list[Span] = []

    def add(self, spans: Sequence[Span]) -> None:
        with self._lock:
            self._spans += spans

    def drain(self) -> tuple[Span, ...]:
        with self._lock:
            spans, self._spans = self._spans, []
        return tuple(spans)


@dataclass(slots=True)
class _Life:
    """arrived: when each item came that the runner has not taken. items: made so far."""

    arrived: deque[float] = field(default_factory=deque)
    items: int = 0


class StageTrace:
    """What one stage tells: how long items waited and what each run made. Used by its thread."""

    def __init__(self, process: str, address: StageAddress, spans: Spans) -> None:
        self._process = process
        self._stage = address.stage
        self._spans = spans
        self._lives: dict[Job, _Life] = {}

    def arrived(self, job: Job, now: float) -> None:
        """An item of a request has come."""
        self._lives.setdefault(job, _Life()).arrived.append(now)

    def ran(self, begun: float, ended: float, outgoing: Sequence[Outgoing]) -> None:
        """A call of the scheduler that made `outgoing`."""
        made: list[Span] = []
        for message in outgoing:
            made += self._told(message, begun, ended)
        self._spans.add(made or [self._span("run", "nothing", begun, ended, None)])

    def over(self, job: Job) -> None:
        """Nothing more comes of a request."""
        self._lives.pop(job, None)

    def _told(self, message: Outgoing, begun: float, ended: float) -> Iterator[Span]:
        life = self._lives.setdefault(message.job, _Life())
        match message:
            case Taken(job=job):
                yield from self._waited(life, job, begun, 1)
            case StreamItem(job=job, item=item):
                yield self._span("run", _name(item, life.items), begun, ended, job, _detail(item))
                life.items += 1
            case Result(job=job):
                yield from self._waited(life, job, begun, len(life.arrived))
                self.over(job)
            case _:
                return

    def _waited(self, life: _Life, job: Job, until: float, count: int) -> Iterator[Span]:
        for _ in range(min(count, len(life.arrived))):
            yield self._span("queue", "queue", life.arrived.popleft(), until, job)

    def _span(
        self, kind: Kind, name: str, begun: float, ended: float, job: Job | None, detail: str = ""
    ) -> Span:
        return Span(kind, name, begun, max(begun, ended), self._process, self._stage, job, detail)


def _name(item: object, number: int) -> str:
    return f"window {number}" if isinstance(item, Pcm) else f"item {number}"


def _detail(item: object) -> str:
    return f"samples from {item.start}: {len(item.samples)}" if isinstance(item, Pcm) else ""


class TraceFile:
    """Writes spans as Chrome trace events. Runs are on their stage's track; what overlaps, such as
    waiting, is on a track of its request's own."""

    def __init__(self, file: Path) -> None:
        self._out = file.open("w", encoding="utf-8")
        self._lock = threading.Lock()
        self._processes: dict[str, int] = {}
        self._tracks: dict[tuple[str, str], int] = {}
        self._written = 0

    def __enter__(self) -> TraceFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def write(self, spans: Sequence[Span]) -> None:
        """From any thread; nothing once it is closed."""
        with self._lock:
            if not self._out.closed:
                for span in spans:
                    self._write(span)
                self._out.flush()

    async def follow(self, spans: Spans) -> None:
        """Writes what `spans` gathers until it is cancelled, and then the rest."""
        try:
            while True:
                await asyncio.sleep(OFTEN_S)
                self.write(spans.drain())
        finally:
            self.write(spans.drain())

    def close(self) -> None:
        with self._lock:
            if not self._out.closed:
                self._out.write("\n]\n" if self._written else "[]\n")
                self._out.close()

    def _write(self, span: Span) -> None:
        place = {"pid": self._process(span.process), "tid": self._track(span)}
        request = "" if span.job is None else f"{span.job.request}/{span.job.epoch}"
        common = {"name": span.name, "cat": span.kind, **place}
        detail = {"request": request, "detail": span.detail}
        begun, ended = round(1e6 * span.begun, 1), round(1e6 * span.ended, 1)
        if span.kind == "run":
            self._event({**common, "ph": "X", "ts": begun, "dur": ended - begun, "args": detail})
            return
        number = f"{span.kind} {span.stage} {request} {self._written}"
        self._event({**common, "ph": "b", "id": number, "ts": begun, "args": detail})
        self._event({**common, "ph": "e", "id": number, "ts": ended})

    def _process(self, name: str) -> int:
        if name not in self._processes:
            self._processes[name] = len(self._processes) + 1
            self._named("process_name", name, self._processes[name], 0)
        return self._processes[name]

    def _track(self, span: Span) -> int:
        key = (span.process, span.stage or "requests")
        if key not in self._tracks:
            self._tracks[key] = len(self._tracks) + 1
            self._named("thread_name", key[1], self._process(span.process), self._tracks[key])
        return self._tracks[key]

    def _named(self, what: str, name: str, process: int, track: int) -> None:
        place = {"pid": process, "tid": track}
        self._event({"name": what, "ph": "M", **place, "args": {"name": name}})

    def _event(self, event: dict[str, object]) -> None:
        self._out.write((",\n" if self._written else "[\n") + json.dumps(event))
        self._written += 1
