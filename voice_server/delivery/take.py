"""One take on its way to the listener: encoded, paced, numbered, measured, in order."""

from __future__ import annotations

from collections import deque
from typing import Final, TypeAlias

from engine.types import Credit
from sessions import events
from sessions.commands import Playback
from voice_server.delivery.encoding import TakeEncoder
from voice_server.delivery.errors import DeliveryError
from voice_server.delivery.heard import WordMarks
from voice_server.delivery.making import MakingClock
from voice_server.delivery.pacing import Pace, TakePacer, Written
from voice_server.delivery.packet import Packet
from voice_server.delivery.stats import DeliveryCounters
from voice_server.wire.audio_frame import LAST, AudioFrame
from voice_server.wire.server_messages import (
    Failure,
    ServerMessage,
    Span,
    TakeCancelled,
    TakeDone,
    TakeFailed,
    TakeWords,
    milliseconds,
    word_times,
)

Outgoing: TypeAlias = ServerMessage | AudioFrame
"""What is to be written: a message in a text frame, or audio in a binary one."""

_MOOT: Final = (TakeWords, TakeDone)
"""What waits is not written any more once the take is cancelled or has failed."""


class TakeDelivery:
    """What the session says of one take goes in, what is to be written comes out by `take_next`.

    The order: `take.started`; audio frames, numbered from 0, each after the words that it speaks
    (give words before their audio); `take.done`. Words and warnings are due at once, audio when the
    pacer says. After `cancelled` or `failed` there is that one message and nothing else.

    It owns the take's encoder, which is freed when the sound ends or by `close`.
    """

    def __init__(
        self,
        started: events.TakeStarted,
        encoder: TakeEncoder,
        pace: Pace,
        counters: DeliveryCounters,
        follows: TakeDelivery | None = None,
    ) -> None:
        """follows: the take that this one is heard after, `started.pause_ms` later; with all of its
        sound made, or over."""
        self._started = started
        self._encoder = encoder
        self._pace = pace
        self._follows = follows
        self._pacer = TakePacer(pace, None if follows is None else self._turn)
        self._counters = counters
        self._texts: deque[ServerMessage] = deque([started])
        self._marks = WordMarks()
        self._made = 0
        self._seq = 0
        self._finished: events.TakeFinished | None = None
        self._making = MakingClock()
        self._told: Credit | None = None
        self._ended_at: float | None = None
        self._over = False
        counters.takes_started += 1

    @property
    def take_id(self) -> str:
        return self._started.take_id

    @property
    def over(self) -> bool:
        """Whether the take's last message is queued or out: done, cancelled or failed."""
        return self._over

    @property
    def drained(self) -> bool:
        """Whether all of it is out."""
        return self._over and not self._texts

    @property
    def texts(self) -> int:
        """Messages that wait to be written."""
        return len(self._texts)

    @property
    def waiting_samples(self) -> int:
        """Sound that waits until it is due."""
        return self._pacer.waiting_samples

    def audio(self, event: events.TakeAudio, now: float) -> None:
        """A window of sound. Raises DeliveryError if it is not the one that follows."""
        if self._over:
            return
        if event.start != self._made or self._finished is not None:
            raise DeliveryError(
                f"take {self.take_id}: expected sound from sample {self._made}, got {event.start}"
            )
        self._made += len(event.samples)
        self._making.made(self._made, now)
        self._offer(self._encoder.push(event.samples), now, event.hold)

    def words(self, event: events.TakeWords) -> None:
        """Words whose times became known."""
        if self._over:
            return
        self._marks.add(event.words)
        times = word_times(event.words, self._pace.sample_rate)
        self._texts.append(TakeWords(self.take_id, times))

    def warned(self, event: events.Warned) -> None:
        self._texts.append(event)

    def finished(self, event: events.TakeFinished, now: float) -> None:
        """All sound is made. Raises DeliveryError if it is not all here."""
        if self._over:
            return
        if event.samples != self._made:
            raise DeliveryError(
                f"take {self.take_id}: {event.samples} samples were made, {self._made} came"
            )
        self._finished = event
        self._making.finished(now)
        self._offer(self._encoder.finish(), now)
        if not self._pacer.waiting:
            self._finish(event)

    def cancelled(self, event: events.TakeCancelled, now: float) -> None:
        """Stopped: what waits is dropped, and one message says how far it came.

        A take whose `take.done` is out already answers too.
        """
        text = self._started.text if event.text is None else event.text
        sent = self._stop()
        self._ended_at = now
        heard = rest = None
        if event.played_ms is not None:
            played = min(sent, int(event.played_ms * self._pace.sample_rate / 1000))
            split = self._marks.split(text, played)
            heard, rest = split.heard, split.rest
        sent_ms = milliseconds(sent, self._pace.sample_rate)
        self._texts.append(TakeCancelled(self.take_id, sent_ms, heard, rest, event.reply_to))
        self._counters.takes_cancelled += 1

    def failed(self, event: events.TakeFailed, now: float) -> None:
        """The take broke: what waits is dropped, and one message says why."""
        self._stop()
        self._ended_at = now
        failure = Failure(event.code, event.message)
        self._texts.append(TakeFailed(self.take_id, failure, event.reply_to))
        self._counters.takes_failed += 1

    def report(self, report: Playback, now: float) -> None:
        """What the listener's own player says; after `take.done` too."""
        self._counters.starved(self._pacer.report(report, now))

    def due_at(self, now: float) -> float | None:
        """When to call `take_next`; at or before `now` means now. None while nothing is."""
        return now if self._texts else self._pacer.due_at(now)

    def take_next(self, now: float) -> Outgoing:
        """What is to be written now. Raises DeliveryError unless something is due."""
        if self._texts:
            text = self._texts.popleft()
            if isinstance(text, TakeDone):
                self._count(text)
            return text
        written = self._pacer.take(now)
        self._follows = None
        self._counters.wrote(len(written.packet.payload), written.lateness, written.starved)
        if self._finished is not None and written.packet.last:
            self._finish(self._finished)
        return self._frame(written)

    def new_credit(self, now: float) -> Credit | None:
        """How far sound is wanted, if that is worth telling: None while it has hardly grown."""
        if self._over or self._finished is not None:
            return None
        credit = self._pacer.credit(now)
        told = self._told
        grown = told is None or credit.until - told.until >= self._pace.credit_step
        if not grown and told is not None and (told.plays_at is None) == (credit.plays_at is None):
            return None
        self._told = credit
        self._making.credited(credit.until, now)
        return credit

    @property
    def heard_last(self) -> TakeDelivery:
        """What is heard last of it and those before: the one that it follows, if it is silent."""
        silent = self._over and not self._made and self._follows is not None
        return self._follows if silent and self._follows is not None else self

    def heard_out_at(self, now: float) -> float:
        """When its listener will have heard all of it, as far as is known by now. For one whose
        sound is all made, or that is over."""
        if self._ended_at is not None:
            return self._ended_at
        return self._pacer.ends_at(self._made, now)

    def close(self) -> None:
        """Gives back what the take holds; nothing is said of it any more."""
        self._stop()
        self._texts.clear()

    def _turn(self, now: float) -> float:
        """When it is to be heard, after the take that it follows."""
        pause_s = self._started.pause_ms / 1000
        return now if self._follows is None else self._follows.heard_out_at(now) + pause_s

    def _offer(self, packets: list[Packet], now: float, hold: float = 0.0) -> None:
        if packets:
            self._making.offered(now)
        self._pacer.offer(packets, now, hold)

    def _stop(self) -> int:
        """Drops sound and words that wait, and an end that nobody was told yet; gives the samples
        that were sent."""
        self._over = True
        self._follows = None
        self._encoder.close()
        self._texts = deque(text for text in self._texts if not isinstance(text, _MOOT))
        return self._pacer.cancel()

    def _frame(self, written: Written) -> AudioFrame:
        packet = written.packet
        frame = AudioFrame(
            stream=self._started.stream,
            seq=self._seq,
            timestamp=packet.timestamp,
            payload=packet.payload,
            flags=LAST if packet.last else 0,
        )
        self._seq += 1
        return frame

    def _finish(self, event: events.TakeFinished) -> None:
        self._texts.append(self._done(event))
        self._over = True

    def _done(self, event: events.TakeFinished) -> TakeDone:
        making, written_at = event.making, None if self._started.follows else self._pacer.first_at
        return TakeDone(
            take_id=self.take_id,
            samples=event.samples,
            duration_ms=milliseconds(event.samples, self._pace.sample_rate),
            first_audio_ms=self._making.first_audio_ms(making, written_at),
            rtf=self._making.rtf(making, self._pace.sample_rate),
            underruns=self._pacer.underruns(),
            performance=event.performance,
            changed=_spans(event.changed, self._pace.sample_rate),
            heard=event.heard,
            reply_to=event.reply_to,
            queued_ms=round(1000 * making.queued_s, 3),
            made=self._making.told(making, written_at),
        )

    def _count(self, done: TakeDone) -> None:
        self._counters.takes_done += 1
        self._counters.queued.observe(done.queued_ms / 1000)
        if done.first_audio_ms is not None:
            self._counters.first_audio.observe(done.first_audio_ms / 1000)
        if done.rtf is not None:
            self._counters.rtf.observe(done.rtf)
        longest = self._pacer.longest_server_underrun()
        if longest is not None:
            self._counters.longest_underrun.observe(longest)


def _spans(
    changed: tuple[tuple[int, int], ...] | None, sample_rate: int
) -> tuple[Span, ...] | None:
    """Samples as milliseconds."""
    if changed is None:
        return None
    return tuple(
        Span(milliseconds(start, sample_rate), milliseconds(end, sample_rate))
        for start, end in changed
    )
