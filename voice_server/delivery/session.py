"""All takes of one session on their way to the listener.

It belongs to the session and not to a connection: what a later connection has to be given again is
for `replay` to keep, beside this, from what `poll` gave.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import Final, assert_never

from engine.types import Credit
from sessions import events
from sessions.commands import Playback
from voice_server.delivery.encoding import EncoderSettings
from voice_server.delivery.pacing import Pace
from voice_server.delivery.stats import DeliveryCounters
from voice_server.delivery.take import Outgoing, TakeDelivery
from voice_server.wire.server_messages import Failure, ServerMessage, TakeCancelled, TakeFailed

ENDED: Final = 32
"""Takes that are out whole and still take reports of the listener's player."""
MAX_TEXTS: Final = 1_024
"""Messages that may wait to be written before whoever feeds us has to wait."""


@dataclass(frozen=True, slots=True)
class TakeCredit:
    """Pass this on to the session: `session.credit(take_id, credit)`."""

    take_id: str
    credit: Credit


class SessionDelivery:
    """Events of the session go in by `handle`, what is to be written comes out by `poll`.

    After every `handle`, `say`, `report` and `poll`: pass on what `credits` gives, and call `poll`
    when `next_due` says. Write what `poll` gave in its order, and for each TakeDone among it tell
    the session `delivered`. While `full`, feed no more. `close` at the end of the session.
    """

    def __init__(self, encoding: EncoderSettings, pace: Pace, counters: DeliveryCounters) -> None:
        self._encoding = encoding
        self._pace = pace
        self._counters = counters
        self._texts: deque[ServerMessage] = deque()
        # Ends of scenes are told after the ends of their takes.
        self._ends: deque[ServerMessage] = deque()
        self._takes: OrderedDict[str, TakeDelivery] = OrderedDict()
        self._ended: OrderedDict[str, TakeDelivery] = OrderedDict()

    @property
    def full(self) -> bool:
        """Whether so many messages wait that no more may be fed before `poll` made room."""
        return self.texts >= MAX_TEXTS

    @property
    def texts(self) -> int:
        """Messages that wait to be written."""
        return len(self._texts) + len(self._ends) + sum(take.texts for take in self._takes.values())

    @property
    def takes(self) -> int:
        """Takes that are not out whole."""
        return len(self._takes)

    @property
    def waiting_samples(self) -> int:
        """Sound of all takes that waits until it is due."""
        return sum(take.waiting_samples for take in self._takes.values())

    def say(self, message: ServerMessage) -> None:
        """Writes a message as soon as it can, before any audio."""
        self._texts.append(message)

    def handle(self, event: events.Event, now: float) -> None:
        """Takes what the session says, in the order in which it says it.

        Raises DeliveryError for sound that does not follow on what came before.
        """
        match event:
            case events.TakeStarted():
                self._start(event)
            case events.TakeAudio():
                if take := self._takes.get(event.take_id):
                    take.audio(event, now)
            case events.TakeWords():
                if take := self._takes.get(event.take_id):
                    take.words(event)
            case events.TakeFinished():
                if take := self._takes.get(event.take_id):
                    take.finished(event, now)
            case events.TakeCancelled() | events.TakeFailed():
                self._end(event, now)
            case events.Warned():
                self._warn(event)
            case events.Refused() | events.TakeKept() | events.SceneStarted():
                self.say(event)
            case events.SceneDone():
                self._ends.append(event)
            case _:
                assert_never(event)

    def report(self, report: Playback, now: float) -> None:
        """What the listener's player says. Of a take long out, or unknown, it changes nothing."""
        take = self._takes.get(report.take_id) or self._ended.get(report.take_id)
        if take is not None:
            take.report(report, now)

    def poll(self, now: float, most: int = 64) -> list[Outgoing]:
        """What is to be written now, at most `most`: messages first, then the takes in turns.

        Each turn goes to the take whose packet was due first, so none waits behind another's rest.
        """
        given: list[Outgoing] = []
        while len(given) < most and self._texts:
            given.append(self._texts.popleft())
        while len(given) < most and (take := self._next(now)) is not None:
            given.append(take.take_next(now))
            self._takes.move_to_end(take.take_id)
            if take.drained:
                self._retire(take)
        if not any(take.texts for take in self._takes.values()):
            while len(given) < most and self._ends:
                given.append(self._ends.popleft())
        return given

    def next_due(self, now: float) -> float | None:
        """When to `poll` next; at or before `now` means now. None: nothing until more comes in."""
        if self._texts or self._ends:
            return now
        dues = (take.due_at(now) for take in self._takes.values())
        return min((due for due in dues if due is not None), default=None)

    def credits(self, now: float) -> list[TakeCredit]:
        """How far sound is wanted of each take, where that changed enough to tell."""
        asked = ((take.take_id, take.new_credit(now)) for take in self._takes.values())
        return [TakeCredit(take_id, credit) for take_id, credit in asked if credit is not None]

    def close(self) -> None:
        """Gives back what all takes hold. Nothing comes out any more."""
        for take in self._takes.values():
            take.close()
        self._takes.clear()
        self._ended.clear()
        self._texts.clear()
        self._ends.clear()

    def _start(self, event: events.TakeStarted) -> None:
        encoder = self._encoding.encoder()
        follows = self._takes.get(event.follows or "") or self._ended.get(event.follows or "")
        after = None if follows is None else follows.heard_last
        take = TakeDelivery(event, encoder, self._pace, self._counters, after)
        self._takes[event.take_id] = take

    def _warn(self, event: events.Warned) -> None:
        take = self._takes.get(event.take_id) if event.take_id is not None else None
        if take is None:
            self.say(event)
        else:
            take.warned(event)

    def _end(self, event: events.TakeCancelled | events.TakeFailed, now: float) -> None:
        take = self._takes.get(event.take_id) or self._ended.pop(event.take_id, None)
        if take is None:
            self.say(_of_unknown(event))
            return
        self._takes[event.take_id] = take
        match event:
            case events.TakeCancelled():
                take.cancelled(event, now)
            case events.TakeFailed():
                take.failed(event, now)
            case _:
                assert_never(event)

    def _next(self, now: float) -> TakeDelivery | None:
        """The take whose turn it is; of those due at the same time, the one served longest ago."""
        for take in self._takes.values():
            if take.texts:
                return take
        dues = [(take.due_at(now), take) for take in self._takes.values()]
        ready = [(due, take) for due, take in dues if due is not None and due <= now]
        return min(ready, key=lambda pair: pair[0], default=(now, None))[1]

    def _retire(self, take: TakeDelivery) -> None:
        del self._takes[take.take_id]
        self._ended[take.take_id] = take
        if len(self._ended) > ENDED:
            self._ended.popitem(last=False)


def _of_unknown(event: events.TakeCancelled | events.TakeFailed) -> ServerMessage:
    """The answer where the take is long out: it was sent whole, and we no longer know how much."""
    match event:
        case events.TakeCancelled():
            return TakeCancelled(event.take_id, 0.0, reply_to=event.reply_to)
        case events.TakeFailed():
            return TakeFailed(event.take_id, Failure(event.code, event.message), event.reply_to)
        case _:
            assert_never(event)
