"""What a stage knows of the requests that pass through it: order on the way in, and the end.

Keeps chunks that come before their request, joins the payloads of several sources, and holds a
request's record until its state is closed and every edge into the stage is dry. So nothing stale
can come after, and there is no list of ended requests to keep.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias, assert_never

from engine.errors import EngineError, StageFailed
from engine.graph import Edge, Graph, Merge
from engine.messages import (
    CLIENT,
    Abort,
    Aborted,
    Ack,
    Binding,
    Chunk,
    CreditUpdate,
    Done,
    Error,
    Inbound,
    Job,
    NewRequest,
    SourceGone,
)


@dataclass(frozen=True, slots=True)
class Feed:
    """Give this to the scheduler."""

    message: Inbound


@dataclass(frozen=True, slots=True)
class Report:
    """Tell this to the coordinator."""

    message: Error | Aborted


@dataclass(frozen=True, slots=True)
class Path:
    """Where a request goes from here: the edges that it takes, and the replicas at their ends."""

    binding: Binding
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class BreakOff:
    """Tell the stages after this one that nothing more comes of the request."""

    job: Job
    path: Path


Step: TypeAlias = Feed | Report | BreakOff


@dataclass(slots=True)
class _Record:
    """path: None until the request itself has come. early: what came before it.

    wet: sources whose Done has not come. lost: the scheduler has nothing of it any more.
    """

    wet: set[str]
    path: Path | None = None
    early: list[Chunk | Done] = field(default_factory=list)
    payloads: dict[str, object] = field(default_factory=dict)
    lost: bool = False
    aborted: bool = False


class Intake:
    """Sans-IO: messages in, steps for the stage out. Owned by the stage's thread.

    announced: a request is there before anything of it, as where all stages are in one process. So
    what comes of one that isn't was meant for the stage's life before, and is let fall.
    """

    def __init__(self, graph: Graph, name: str, *, announced: bool = False) -> None:
        self._announced = announced
        edges = graph.sources(name)
        self._name = name
        self._graph = graph
        self._sources = (*(source for source, _ in edges), *((CLIENT,) * (name == graph.entry)))
        self._whole = any(edge.kind == "payload" for _, edge in edges)
        self._merge: Merge | None = graph.stage(name).merge
        self._records: dict[Job, _Record] = {}

    def take(self, message: Inbound | SourceGone) -> list[Step]:
        """What the message comes to; empty for one that is of no use any more."""
        match message:
            case NewRequest():
                return self._begin(message)
            case Chunk():
                return self._chunk(message)
            case Done():
                return self._done(message)
            case Abort():
                return self._abort(message)
            case SourceGone():
                return self._source_gone(message)
            case CreditUpdate() | Ack():
                return [] if self.is_lost(message.job) else [Feed(message)]
            case _:
                assert_never(message)

    def path(self, job: Job) -> Path:
        """Where a request goes from here. Raises KeyError for one it doesn't have."""
        path = self._records[job].path
        if path is None:
            raise KeyError(job)
        return path

    def is_wet(self, job: Job, source: str) -> bool:
        """Whether more may come from there: its Done has not. Raises KeyError as `path` does."""
        return source in self._records[job].wet

    def finished(self, job: Job) -> None:
        """The scheduler has put out the request's Result."""
        del self._records[job]

    def failed(self, job: Job) -> list[Step]:
        """The scheduler has put out an Error: the record waits for the coordinator's Abort."""
        record = self._records[job]
        record.lost = True
        return [BreakOff(job, self.path(job))]

    def fault(self, job: Job, error: EngineError) -> list[Step]:
        """The stage itself can't go on with the request, though its scheduler could."""
        if self.is_lost(job):
            return []
        return [Feed(Abort(job)), *self.failed(job), Report(Error(job, error))]

    def records(self) -> int:
        return len(self._records)

    def is_lost(self, job: Job) -> bool:
        """Whether what the scheduler still puts out for the request is to be let fall."""
        record = self._records.get(job)
        return record is None or record.lost

    def _begin(self, message: NewRequest) -> list[Step]:
        record = self._records.get(message.job)
        if record is None:
            record = self._records[message.job] = self._new()
        edges = self._graph.stage(self._name).taken(message.utterance)
        record.path = Path(message.binding, edges)
        record.wet.intersection_update(
            (CLIENT, *self._graph.feeding(self._name, message.utterance))
        )
        early, record.early = record.early, []
        steps: list[Step] = [Feed(message)]
        for item in early:
            steps.extend(self.take(item))
        return steps

    def _new(self) -> _Record:
        return _Record(wet=set(self._sources))

    def _known(self, job: Job) -> _Record | None:
        """The record that an item belongs to; one that its request will find, where it may come
        later."""
        record = self._records.get(job)
        if record is None and not self._announced:
            record = self._records[job] = self._new()
        return record

    def _chunk(self, message: Chunk) -> list[Step]:
        record = self._known(message.job)
        if record is None:
            return []
        if record.path is None:
            record.early.append(message)
            return []
        if record.lost:
            return []
        if self._whole:
            return self._payload(record, message)
        return [Feed(message)]

    def _payload(self, record: _Record, message: Chunk) -> list[Step]:
        if message.source in record.payloads:
            text = f"{self._name}: {message.source} sent a second payload on a payload edge"
            return self.fault(message.job, StageFailed(text))
        record.payloads[message.source] = message.item
        return []

    def _done(self, message: Done) -> list[Step]:
        record = self._known(message.job)
        if record is None:
            return []
        if record.path is None:
            record.early.append(message)
            return []
        record.wet.discard(message.source)
        if message.broken:
            return self._lose(message.job, record)
        if record.wet or record.lost:
            return self._settle(message.job, record)
        if self._whole:
            return self._join(message, record)
        return [Feed(message)]

    def _join(self, message: Done, record: _Record) -> list[Step]:
        """All sources have sent their payload: one payload of them, by name."""
        payloads, record.payloads = record.payloads, {}
        try:
            whole = _merged(payloads, self._merge)
        except Exception as error:
            text = f"{self._name}: merge: {type(error).__name__}: {error}"
            return self.fault(message.job, StageFailed(text))
        return [Feed(Chunk(message.job, self._name, whole)), Feed(message)]

    def _source_gone(self, message: SourceGone) -> list[Step]:
        """Ends what still waited for it; a request that had its Done from there goes on."""
        steps: list[Step] = []
        for job, record in list(self._records.items()):
            source = message.source
            if record.path is None or source.stage not in record.wet:
                continue
            if record.path.binding.of(source.stage) == source:
                steps += self.fault(job, message.error)
                record.wet.discard(source.stage)
                steps += self._settle(job, record)
        return steps

    def _abort(self, message: Abort) -> list[Step]:
        record = self._records.get(message.job)
        if record is None:
            return []
        record.aborted = True
        record.wet.difference_update((CLIENT, *message.gone))
        return self._lose(message.job, record)

    def _lose(self, job: Job, record: _Record) -> list[Step]:
        steps: list[Step] = []
        if not record.lost:
            record.lost = True
            record.payloads.clear()
            steps = [Feed(Abort(job)), BreakOff(job, self.path(job))]
        return steps + self._settle(job, record)

    def _settle(self, job: Job, record: _Record) -> list[Step]:
        if record.wet or not record.aborted:
            return []
        del self._records[job]
        return [Report(Aborted(job))]


def _merged(payloads: dict[str, object], merge: Merge | None) -> object:
    if merge is not None:
        return merge(payloads)
    (payload,) = payloads.values()
    return payload
