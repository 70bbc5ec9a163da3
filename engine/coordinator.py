"""Binds requests to stages, tracks them, aborts them everywhere, and answers each exactly once.

Everything here runs on the event loop. A request's record is kept from `submit` until every stage
has said that it holds nothing of it; what comes of a request that was answered in between is stale
and is dropped in `_receive`, nowhere else.
"""

from __future__ import annotations

import asyncio
import logging
from typing import assert_never

from engine.binding import Binder
from engine.dispatch import Dispatch
from engine.errors import (
    DuplicateRequest,
    EngineError,
    EngineFull,
    EngineStopped,
    StageFailed,
    UnknownVoice,
)
from engine.graph import Graph
from engine.launch.base import Launched
from engine.messages import (
    Aborted,
    Died,
    Error,
    Job,
    Mail,
    News,
    Noticed,
    Outbound,
    Result,
    Revived,
    StreamItem,
    Taken,
)
from engine.placement import Placement
from engine.record import Record, TextFeed
from engine.request import BoundRequest
from engine.stats import Counters, EngineStats
from engine.trace import Spans
from engine.transport.base import Post
from engine.types import Credit, Failed, FamilyInfo, Finished, Passage, Pcm, Utterance

logger = logging.getLogger(__name__)


class Coordinator:
    """Implements `engine.api.Engine`; made by `engine.build.start`. placement: what runs where."""

    def __init__(
        self,
        info: FamilyInfo,
        graph: Graph,
        placement: Placement,
        post: Post,
        spans: Spans | None = None,
    ) -> None:
        self._spans = spans
        self._info = info
        self._graph = graph
        self._dispatch = Dispatch(graph, post)
        self.placement = placement
        self._post = post
        self._binder = Binder(placement)
        self._voices = frozenset(voice.id for voice in info.voices)
        self._records: dict[Job, Record] = {}
        self._counters = Counters()
        self._launched: Launched | None = None
        self._idle = asyncio.Event()
        self._idle.set()
        self._stopping = False
        self._stop_lock = asyncio.Lock()

    @property
    def info(self) -> FamilyInfo:
        return self._info

    def serve(self, launched: Launched) -> None:
        """The stages are ready: requests may come."""
        self._launched = launched

    def submit(self, utterance: Utterance) -> BoundRequest:
        """Besides what the interface names, raises EngineFull and DuplicateRequest."""
        job = Job(utterance.request, utterance.epoch)
        self._refuse(utterance, job)
        work = max(1, len(utterance.text))
        visited = self._graph.visited(utterance)
        record = Record(
            handle=BoundRequest(utterance, job, self),
            binding=self._binder.bind(visited, work),
            pending=set(visited),
            work=work,
            text=TextFeed(utterance),
        )
        self._records[job] = record
        self._counters.submitted += 1
        self._idle.clear()
        self._dispatch.begin(record, utterance)
        return record.handle

    def append(self, job: Job, passage: Passage) -> None:
        record = self._live(job)
        if record is not None:
            self._grow(record, len(passage.text))
            record.text.add(passage)
            self._dispatch.text(record)

    def finish(self, job: Job) -> None:
        record = self._live(job)
        if record is not None:
            record.text.end()
            self._dispatch.text(record)

    def credit(self, job: Job, credit: Credit) -> None:
        record = self._live(job)
        if record is not None:
            self._dispatch.credit(record, credit)

    def consumed(self, job: Job, stage: str) -> None:
        record = self._live(job)
        if record is not None:
            self._dispatch.consumed(record, stage)

    def abort(self, job: Job) -> None:
        record = self._live(job)
        if record is not None:
            self._counters.aborted += 1
            self._answered(record)

    def stats(self) -> EngineStats:
        counters = self._counters
        active = sum(not record.answered for record in self._records.values())
        return EngineStats(
            submitted=counters.submitted,
            finished=counters.finished,
            failed=counters.failed,
            aborted=counters.aborted,
            stale=counters.stale,
            active=active,
            closing=len(self._records) - active,
            mail=self._post.mail_waiting(),
            outputs=sum(record.handle.held() for record in self._records.values()),
            text=sum(record.text.waiting() for record in self._records.values()),
            stages=self._launched.stats() if self._launched is not None else (),
            processes=self._launched.processes() if self._launched is not None else (),
        )

    def missing(self) -> tuple[str, ...]:
        """The groups of which no replica is left, so that no request can be made."""
        return self._binder.missing()

    def check_integrity(self) -> None:
        """To be called when idle (see `idle`). Raises AssertionError naming what is still held."""
        held = [f"request {job.request}/{job.epoch}" for job in self._records]
        held += self._binder.unbalanced()
        for stage in self.stats().stages:
            if stage.states or stage.records or stage.owed:
                held.append(str(stage))
        if held:
            raise AssertionError("not given back: " + "; ".join(held))

    async def idle(self) -> None:
        """Returns when no stage holds anything of any request."""
        await self._idle.wait()

    def drain(self) -> None:
        """Nothing more will be begun, as its owner knows: the processes say so to whoever asks."""
        if self._launched is not None:
            self._launched.drain()

    async def close(self) -> None:
        """Fails what is under way with EngineStopped, waits until it is given back and ends every
        stage. A second call waits for the first."""
        self._stopping = True
        self.drain()
        async with self._stop_lock:
            for record in list(self._records.values()):
                self._fail(record, EngineStopped("the engine was closed"))
            await self.idle()
            if self._launched is not None:
                await self._launched.close()

    def receive(self, mail: News) -> None:
        """Takes one piece of mail of a stage; called on the loop by the transport."""
        match mail:
            case Mail(sender=sender, message=message):
                self._receive(sender.stage, message)
            case Died():
                self._bury(mail)
            case Revived(sender=sender):
                self._binder.revive(sender)
            case _:
                assert_never(mail)

    def _receive(self, stage: str, message: Outbound) -> None:
        record = self._records.get(message.job)
        if record is None or record.answered:
            if isinstance(message, StreamItem | Noticed):
                self._counters.stale += 1
            if record is not None and isinstance(message, Result | Aborted):
                self._settle(record, stage)
            return
        match message:
            case StreamItem(item=item):
                self._deliver(record, stage, item)
            case Noticed(notice=notice):
                record.handle.deliver(notice)
            case Taken():
                record.text.taken()
                self._dispatch.text(record)
            case Error(error=error):
                self._fail(record, error)
            case Result() | Aborted():
                self._settle(record, stage)
            case _:
                assert_never(message)

    def _deliver(self, record: Record, stage: str, item: object) -> None:
        if not isinstance(item, Pcm):
            text = f"{stage}: put out {type(item).__name__} for the client, which is not sound"
            self._fail(record, StageFailed(text))
            return
        record.samples += len(item.samples)
        record.frames += item.frames
        counts = self._graph.stage(stage).outstanding is not None
        record.handle.deliver(item, stage if counts else None)

    def _settle(self, record: Record, stage: str) -> None:
        """The stage holds nothing of the request any more; the last one ends it."""
        if stage not in record.pending:
            return
        record.pending.discard(stage)
        group = self.placement.group_of(stage)
        if record.pending.isdisjoint(group.stages):
            self._binder.release(record.binding, group, record.work)
        if record.pending:
            return
        job = record.handle.job
        del self._records[job]
        if self._spans is not None:
            self._spans.add([record.span()])
        if not record.answered:
            record.answered = True
            self._counters.finished += 1
            record.handle.deliver(Finished(job.request, job.epoch, record.samples, record.frames))
        if not self._records:
            self._idle.set()

    def _fail(self, record: Record, error: EngineError) -> None:
        if record.answered:
            return
        job = record.handle.job
        self._counters.failed += 1
        record.handle.deliver(Failed(job.request, job.epoch, error))
        self._answered(record)

    def _answered(self, record: Record) -> None:
        """The owner has its answer: nothing more goes to it, and the stages let go."""
        record.answered = True
        record.text.clear()
        self._dispatch.abort(record)

    def _bury(self, died: Died) -> None:
        """Fails what was bound to a stage that died, and speaks for it to those it fed."""
        logger.error("%s/%s died: %s", died.sender.stage, died.sender.replica, died.error)
        self._binder.lose(died.sender)
        stage = died.sender.stage
        for record in list(self._records.values()):
            if stage in record.pending and record.binding.of(stage) == died.sender:
                record.gone.add(stage)
                self._fail(record, died.error)
                self._dispatch.abort(record)
                self._settle(record, stage)

    def _refuse(self, utterance: Utterance, job: Job) -> None:
        if self._stopping or self._launched is None:
            raise EngineStopped("the engine is closed")
        if utterance.voice not in self._voices:
            known = ", ".join(sorted(self._voices))
            raise UnknownVoice(f"no voice {utterance.voice!r}; voices are {known}")
        if job in self._records:
            raise DuplicateRequest(f"{job.request} of epoch {job.epoch} is still under way")
        if len(self._records) >= self.placement.max_requests:
            raise EngineFull(f"{self.placement.max_requests} requests are under way")

    def _live(self, job: Job) -> Record | None:
        record = self._records.get(job)
        return None if record is None or record.answered else record

    def _grow(self, record: Record, work: int) -> None:
        for group in self.placement.groups:
            if not record.pending.isdisjoint(group.stages):
                self._binder.grow(record.binding, group, work)
        record.work += work
