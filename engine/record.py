"""What the coordinator keeps of a request until every stage has given it back."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from engine.messages import CLIENT, Binding, Chunk, Done, Job
from engine.request import BoundRequest
from engine.trace import Span
from engine.types import Passage, Utterance

TEXTS_OUT = 2
"""Pieces of text that the entry stage may have without having taken them."""


class TextFeed:
    """Text on its way to the entry stage. What comes faster than it is taken is joined here, so
    that the entry's inbox stays short however finely the text is cut."""

    def __init__(self, utterance: Utterance) -> None:
        self._waiting = [Passage(utterance.text)] if utterance.text else []
        self._out = 0
        self._ended = not utterance.more
        self._end_sent = False

    def add(self, passage: Passage) -> None:
        self._waiting.append(passage)

    def end(self) -> None:
        self._ended = True

    def taken(self) -> None:
        """The entry has taken a piece."""
        self._out -= 1

    def waiting(self) -> int:
        """Characters."""
        return sum(len(passage.text) for passage in self._waiting)

    def clear(self) -> None:
        self._waiting.clear()

    def take(self, job: Job) -> list[Chunk | Done]:
        """What is to be sent now: all that waits as one piece if there is room; then the end."""
        messages: list[Chunk | Done] = []
        if self._waiting and self._out < TEXTS_OUT:
            messages.append(Chunk(job, CLIENT, self._joined()))
            self._waiting.clear()
            self._out += 1
        if self._ended and not self._waiting and not self._end_sent:
            self._end_sent = True
            messages.append(Done(job, CLIENT))
        return messages

    def _joined(self) -> str | Passage:
        """All that waits; as plain text where nothing is to be known of how it is said."""
        text = "".join(passage.text for passage in self._waiting)
        parts = tuple(part for passage in self._waiting for part in passage.parts)
        pauses = tuple(pause for passage in self._waiting for pause in passage.pauses)
        return Passage(text, parts, pauses) if parts or pauses else text


@dataclass(slots=True, eq=False)
class Record:
    """pending: stages that have not given back. gone: stages that died meanwhile.

    work: characters bound. samples, frames: of the sound made so far. answered: the owner has had
    its end, and nothing more goes to it. begun: monotonic seconds.
    """

    handle: BoundRequest
    binding: Binding
    pending: set[str]
    work: int
    text: TextFeed
    gone: set[str] = field(default_factory=set)
    answered: bool = False
    samples: int = 0
    frames: int = 0
    begun: float = field(default_factory=time.monotonic)

    def span(self) -> Span:
        """From when the request came until now, when every stage has given it back."""
        job, detail = self.handle.job, f"{self.samples} samples, {self.frames} frames"
        now = time.monotonic()
        return Span("request", str(job.request), self.begun, now, "server", None, job, detail)
