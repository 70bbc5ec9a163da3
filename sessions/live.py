"""A take under way: the one mutable thing of a session, owned by it alone."""

from __future__ import annotations

import asyncio

from engine.api import Request
from engine.types import Credit, Epoch, Passage, Pcm, Performance, RequestId, Utterance
from sessions.admission import Ticket
from sessions.errors import TooLong
from sessions.events import Recognised, TakeStarted
from sessions.making import MakingRecord
from sessions.order import Order
from sessions.recording import Recording
from sessions.scene import Take
from sessions.states import OVER, Happening, TakeState, after


class LiveTake:
    """From the command until it is done, cancelled or failed.

    Text that comes before the engine has the take is kept here and goes with the utterance.
    """

    def __init__(
        self,
        ticket: Ticket,
        stream: int,
        epoch: Epoch,
        order: Order,
        recording: Recording,
        making: MakingRecord,
    ) -> None:
        self.ticket = ticket
        self.stream = stream
        self.epoch = epoch
        self.order = order
        self.recording = recording
        self.making = making
        self.state = TakeState.QUEUED_OPEN if order.more else TakeState.QUEUED
        self.samples = 0
        self.recognised: Recognised | None = None
        self._waiting = [order.text]
        self._request: Request | None = None
        self._pump: asyncio.Task[None] | None = None
        self._credit: Credit | None = None

    @property
    def id(self) -> str:
        return self.ticket.take_id

    @property
    def line_id(self) -> str:
        return self.order.line_id

    @property
    def text(self) -> str:
        """As it was written, all of it so far."""
        return self.order.wording.written

    @property
    def performance(self) -> Performance:
        return self.order.wording.performance

    @property
    def reply_to(self) -> str | None:
        return self.order.reply_to

    @property
    def holds_slot(self) -> bool:
        return self.state is not TakeState.MADE and self.state not in OVER

    @property
    def waits(self) -> bool:
        return self.state in (TakeState.QUEUED_OPEN, TakeState.QUEUED)

    def happen(self, happening: Happening) -> None:
        """Moves along the table. Raises WrongState where there is no way."""
        self.state = after(self.state, happening)

    def append(self, text: str, limit: int, read_at: float) -> None:
        """Adds text that was read then. Raises WrongState, or TooLong past `limit` characters in
        all."""
        after(self.state, Happening.APPEND)
        wording = self.order.wording
        if wording.chars + len(text) > limit:
            told = f"a take may have {limit} characters and would have {wording.chars + len(text)}"
            raise TooLong(told, "text")
        self.happen(Happening.APPEND)
        if not self.text.strip():
            self.making.asked(read_at)
        self._pass_on(wording.add(text))

    def finish(self) -> None:
        self.happen(Happening.FINISH)
        self._pass_on(self.order.wording.end())
        if self._request is not None:
            self._request.finish()

    def utterance(self) -> Utterance:
        """What the engine is asked for, with all text so far."""
        text, self._waiting = "".join(self._waiting), []
        return Utterance(
            request=RequestId(self.id),
            epoch=self.epoch,
            text=text,
            voice=self.order.voice,
            performance=self.performance,
            seed=self.order.seed,
            more=self.state is TakeState.SPEAKING_OPEN,
            parent=self.order.base,
            changes=self.order.changes,
            direction=self.order.direction,
            before=self.order.before,
            directions=self.order.directions,
            earlier=self.order.earlier,
        )

    def bind(self, request: Request, pump: asyncio.Task[None]) -> None:
        """The engine has the take from here on; `pump` brings out what it makes."""
        self._request = request
        self._pump = pump
        if self._credit is not None:
            request.credit(self._credit)

    def credit(self, credit: Credit) -> None:
        self._credit = credit
        if self._request is not None and self.holds_slot:
            self._request.credit(credit)

    def heard(self, pcm: Pcm) -> None:
        """A window of it was made. Raises TooLong past the sound that a take may have."""
        self.recording.add(pcm)
        self.making.window(pcm)
        self.samples = pcm.start + len(pcm.samples)

    def abort(self) -> None:
        """Takes it from the engine; nothing more is made of it."""
        if self._request is not None:
            self._request.abort()
        if self._pump is not None:
            self._pump.cancel()

    def started(self) -> TakeStarted:
        order = self.order
        return TakeStarted(
            take_id=self.id,
            line_id=order.line_id,
            stream=self.stream,
            kind=order.kind,
            voice=order.voice,
            text=self.text,
            performance=self.performance,
            speaker=order.speaker,
            scene_id=order.scene_id,
            parent=order.parent,
            reply_to=order.reply_to,
            direction=order.direction,
            moved=order.moved,
            follows=order.follows,
            pause_ms=1000 * order.pause_s,
        )

    def frozen(self) -> Take:
        """What is remembered of it as it stands."""
        return Take(
            id=self.id,
            line_id=self.line_id,
            kind=self.order.kind,
            voice=self.order.voice,
            text=self.text,
            seed=self.order.seed,
            performance=self.performance,
            state=self.state,
            samples=self.samples,
            parent=self.order.parent,
            heard=self.recognised,
        )

    def _pass_on(self, passage: Passage) -> None:
        if self._request is None:
            self._waiting.append(passage.text)
        elif passage.text:
            self._request.append(passage.text, passage.parts, passage.pauses)
