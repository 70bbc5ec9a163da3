"""A take under way: the one mutable thing of a session, owned by it alone."""

from __future__ import annotations

import asyncio

from engine.api import Request
from engine.types import Credit, Epoch, Performance, RequestId, Utterance
from sessions.admission import Ticket
from sessions.commands import Speak
from sessions.errors import TooLong
from sessions.events import TakeStarted
from sessions.scene import Take
from sessions.states import OVER, Happening, TakeState, after


class LiveTake:
    """From `speak` until it is done, cancelled or failed.

    Text that comes before the engine has the take is kept here and goes with the utterance.
    """

    def __init__(
        self, ticket: Ticket, line_id: str, stream: int, epoch: Epoch, voice: str, command: Speak
    ) -> None:
        self.ticket = ticket
        self.line_id = line_id
        self.stream = stream
        self.epoch = epoch
        self.voice = voice
        self.seed = command.seed or 0
        self.speaker = command.speaker
        self.reply_to = command.id
        self.performance = Performance()
        self.state = TakeState.QUEUED_OPEN if command.more else TakeState.QUEUED
        self.samples = 0
        self._pieces = [command.text]
        self._chars = len(command.text)
        self._request: Request | None = None
        self._pump: asyncio.Task[None] | None = None
        self._credit: Credit | None = None

    @property
    def id(self) -> str:
        return self.ticket.take_id

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    @property
    def holds_slot(self) -> bool:
        return self.state is not TakeState.MADE and self.state not in OVER

    @property
    def waits(self) -> bool:
        return self.state in (TakeState.QUEUED_OPEN, TakeState.QUEUED)

    def happen(self, happening: Happening) -> None:
        """Moves along the table. Raises WrongState where there is no way."""
        self.state = after(self.state, happening)

    def append(self, text: str, limit: int) -> None:
        """Adds text. Raises WrongState, or TooLong past `limit` characters in all."""
        after(self.state, Happening.APPEND)
        if self._chars + len(text) > limit:
            raise TooLong(
                f"a take may have {limit} characters and would have {self._chars + len(text)}",
                "text",
            )
        self.happen(Happening.APPEND)
        self._pieces.append(text)
        self._chars += len(text)
        if self._request is not None:
            self._request.append(text)

    def finish(self) -> None:
        self.happen(Happening.FINISH)
        if self._request is not None:
            self._request.finish()

    def utterance(self) -> Utterance:
        """What the engine is asked for, with all text so far."""
        return Utterance(
            request=RequestId(self.id),
            epoch=self.epoch,
            text=self.text,
            voice=self.voice,
            performance=self.performance,
            seed=self.seed,
            more=self.state is TakeState.SPEAKING_OPEN,
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

    def abort(self) -> None:
        """Takes it from the engine; nothing more is made of it."""
        if self._request is not None:
            self._request.abort()
        if self._pump is not None:
            self._pump.cancel()

    def started(self) -> TakeStarted:
        return TakeStarted(
            take_id=self.id,
            line_id=self.line_id,
            stream=self.stream,
            kind="spoken",
            voice=self.voice,
            text=self.text,
            performance=self.performance,
            speaker=self.speaker,
            reply_to=self.reply_to,
        )

    def frozen(self) -> Take:
        """What is remembered of it once it is over."""
        return Take(
            id=self.id,
            line_id=self.line_id,
            kind="spoken",
            voice=self.voice,
            text=self.text,
            seed=self.seed,
            performance=self.performance,
            state=self.state,
            samples=self.samples,
        )
