"""What the coordinator says to the stages of a request, each at the replica it is bound to."""

from __future__ import annotations

from engine.graph import Graph
from engine.messages import CLIENT, Abort, Ack, CreditUpdate, Inbound, NewRequest
from engine.record import Record
from engine.transport.base import Post
from engine.types import Credit, Utterance


class Dispatch:
    """Stages hear of a request from the last to the first, so that each is ready for what the one
    before it sends."""

    def __init__(self, graph: Graph, post: Post) -> None:
        self._post = post
        self._entry = graph.entry
        self._order = tuple(reversed(graph.upstream_first()))
        self._ends = tuple(stage.name for stage in graph.stages if stage.end)

    def begin(self, record: Record, utterance: Utterance) -> None:
        """To all that are pending: at the start these are the stages that the request visits."""
        for stage in self._order:
            if stage in record.pending:
                request = NewRequest(record.handle.job, utterance, record.binding)
                self._send(record, stage, request)
        self.text(record)

    def text(self, record: Record) -> None:
        """What text there is room for."""
        for message in record.text.take(record.handle.job):
            self._send(record, self._entry, message)

    def credit(self, record: Record, credit: Credit) -> None:
        for stage in self._ends:
            if stage in record.pending:
                self._send(record, stage, CreditUpdate(record.handle.job, credit))

    def consumed(self, record: Record, stage: str) -> None:
        self._send(record, stage, Ack(record.handle.job, CLIENT))

    def abort(self, record: Record) -> None:
        """To the stages that have not given back yet; again when a stage has died since."""
        abort = Abort(record.handle.job, tuple(sorted(record.gone)))
        for stage in self._order:
            if stage in record.pending:
                self._send(record, stage, abort)

    def _send(self, record: Record, stage: str, message: Inbound) -> None:
        self._post.to_stage(record.binding.of(stage), message)
