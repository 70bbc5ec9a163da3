"""What has come of one take, sans-IO: the same for both twins."""

from __future__ import annotations

from collections import deque
from typing import Protocol, TypeAlias, assert_never

from engine.types import Int16
from sessions.commands import Playback
from sessions.events import TakeStarted, Warned
from voice_server.client.errors import (
    ClientError,
    RequestRefused,
    ServerFault,
    TakeHasFailed,
    TakeWasCancelled,
)
from voice_server.client.listener import Listener
from voice_server.delivery.errors import BadPacket
from voice_server.delivery.opus import OpusTakeDecoder
from voice_server.delivery.pcm16 import Pcm16TakeDecoder
from voice_server.wire.audio_frame import AudioFrame
from voice_server.wire.messages import AudioInfo, TakeCancelled, TakeDone, TakeFailed, WordTime

Outcome: TypeAlias = TakeDone | TakeCancelled | TakeFailed | ClientError
"""How a take ended; a ClientError where the connection ended first."""


class TakeDecoder(Protocol):
    """Packets of one take in, its samples out."""

    def feed(self, payload: bytes, last: bool = False) -> Int16: ...

    def finish(self, samples: int) -> Int16: ...


def decoder(audio: AudioInfo) -> TakeDecoder:
    """A fresh decoder, for one take."""
    match audio.format:
        case "opus":
            return OpusTakeDecoder(audio.sample_rate, audio.pre_skip)
        case "pcm16":
            return Pcm16TakeDecoder()
        case _:
            assert_never(audio.format)


class TakeCore:
    """One take from `take.started` on.

    readers: loops over its sound that are under way. waiters: those who wait for words or for the
    end. Sound that arrives while there are only waiters, or that a loop over a scene has gone past,
    counts as played, or the server would hold back what nobody takes.
    """

    def __init__(
        self, started: TakeStarted, audio: AudioInfo, lead_ms: float, asked_at: float
    ) -> None:
        self.started = started
        self.words: list[WordTime] = []
        self.warnings: list[Warned] = []
        self.refusals: deque[RequestRefused] = deque()
        self.outcome: Outcome | None = None
        self.readers = 0
        self.waiters = 0
        self.first_at: float | None = None
        self.last_at: float | None = None
        self.asked_at = asked_at
        self._decoder = decoder(audio)
        self._blocks: deque[Int16] = deque()
        self._unread = 0
        self._passed = False
        lead = int(lead_ms * audio.sample_rate / 1000)
        self.listener = Listener(started.take_id, audio.sample_rate, lead)

    @property
    def id(self) -> str:
        return self.started.take_id

    @property
    def readable(self) -> bool:
        """Whether `read` has something to give or to say now."""
        return bool(self._blocks or self.refusals) or self.outcome is not None

    def arrive(self, frame: AudioFrame, now: float) -> None:
        """Takes the next packet. Raises ServerFault for one that can't be decoded."""
        self.first_at = now if self.first_at is None else self.first_at
        self.last_at = now
        try:
            self._keep(self._decoder.feed(frame.payload, frame.last), now)
        except BadPacket as error:
            raise ServerFault(f"take {self.id}: {error}") from error

    def end(self, outcome: Outcome, now: float) -> None:
        """The take is over. Raises ServerFault if its samples do not add up to `take.done`."""
        self.outcome = outcome
        match outcome:
            case TakeDone():
                self._finish(outcome.samples, now)
            case TakeCancelled():
                self._blocks.clear()
                self._unread = 0
            case TakeFailed() | ClientError():
                pass
            case _:
                assert_never(outcome)

    def _finish(self, samples: int, now: float) -> None:
        try:
            self._keep(self._decoder.finish(samples), now)
        except BadPacket as error:
            self.outcome = ServerFault(f"take {self.id}: {error}")
            raise self.outcome from error

    def _keep(self, samples: Int16, now: float) -> None:
        if len(samples):
            self._blocks.append(samples)
            self._unread += len(samples)
            self.listener.arrive(len(samples), now)
        self.wait_only(now)

    def wait_only(self, now: float) -> None:
        """Counts what is here as played, if nobody reads and somebody waits."""
        unplayed = self.listener.arrived - self.listener.played
        nobody_reads = (self.waiters or self._passed) and not self.readers
        if nobody_reads and unplayed:
            self.listener.take(unplayed, now)

    def go_past(self, now: float) -> None:
        """Whoever could read it has gone on to the next take."""
        self._passed = True
        self.wait_only(now)

    def read(self, now: float) -> Int16 | None:
        """The next block of samples; None at the end, also where the take was cancelled.

        Raises RequestRefused for an `append` or `finish` that the server would not take, and after
        the last block TakeHasFailed or what ended the connection.
        """
        self.raise_refusal()
        if self._blocks:
            block = self._blocks.popleft()
            self._unread -= len(block)
            # Some of it counts as played already if somebody waited before it was read.
            unplayed = self.listener.arrived - self._unread - self.listener.played
            if unplayed > 0:
                self.listener.take(unplayed, now)
            return block
        match self.outcome:
            case TakeFailed():
                raise TakeHasFailed(self.outcome)
            case ClientError():
                raise self.outcome
            case TakeDone() | TakeCancelled() | None:
                return None
            case _:
                assert_never(self.outcome)

    def report(self) -> Playback | None:
        """The `playback` that is due now, if one is."""
        return self.listener.report(over=isinstance(self.outcome, TakeDone))

    def check_open(self) -> None:
        """Raises RequestRefused for text that was refused before, ClientError after the end."""
        self.raise_refusal()
        if self.outcome is not None:
            raise ClientError(f"take {self.id} is over: no text can be added")

    def raise_refusal(self) -> None:
        if self.refusals:
            raise self.refusals.popleft()

    def result(self) -> TakeDone:
        """What `take.done` said. Call it once there is an outcome.

        Raises TakeWasCancelled, TakeHasFailed, RequestRefused, or what ended the connection.
        """
        self.raise_refusal()
        match self.outcome:
            case TakeDone():
                return self.outcome
            case TakeCancelled():
                raise TakeWasCancelled(self.outcome)
            case TakeFailed():
                raise TakeHasFailed(self.outcome)
            case ClientError():
                raise self.outcome
            case None:
                raise ClientError(f"take {self.id} is not over yet")
            case _:
                assert_never(self.outcome)
