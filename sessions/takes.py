"""The takes of one session that are under way: from the slot to the end, whatever ends them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import assert_never

from engine.api import Engine, Request
from engine.errors import EngineError
from engine.types import Credit, Failed, Finished, Notice, Output, Pcm
from sessions.admission import Admission, Ticket
from sessions.diary import Diary
from sessions.directions import Directions
from sessions.errors import SessionError, UnknownTake, WrongState
from sessions.events import (
    Recognised,
    TakeAudio,
    TakeCancelled,
    TakeFailed,
    TakeFinished,
    TakeWords,
    Warned,
)
from sessions.hearing import CheckedRequest, Checks
from sessions.limits import SessionLimits
from sessions.live import LiveTake
from sessions.memory import Memory
from sessions.outbox import Outbox
from sessions.scene import Line
from sessions.states import Happening, TakeState
from sessions.store import Store
from sessions.turns import Turns

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a session shares with the others. checks: has edits listened to, where somebody can.
    `spawn` runs a pump until it ends; `admitted` starts takes that were waiting; `ended` hears of
    each take that is over. clock: monotonic seconds, the same that commands are read by.
    """

    engine: Engine
    limits: SessionLimits
    store: Store
    directions: Directions
    checks: Checks | None
    admission: Admission
    turns: Turns
    epochs: Iterator[int]
    default_voice: str
    spawn: Callable[[Coroutine[None, None, None]], asyncio.Task[None]]
    admitted: Callable[[list[Ticket]], None]
    ended: Callable[[], None]
    clock: Callable[[], float]


class Takes:
    """Owns the live takes: what the engine makes of them becomes events in `outbox`, and however
    one ends, its slot, its epoch and its request are given back and it is remembered.

    changed: called when a take is made or over, once all that is done.
    """

    def __init__(
        self,
        around: Surroundings,
        memory: Memory,
        diary: Diary,
        outbox: Outbox,
        changed: Callable[[LiveTake], None],
    ) -> None:
        self._around = around
        self._memory = memory
        self._diary = diary
        self._outbox = outbox
        self._changed = changed
        self._live: dict[str, LiveTake] = {}

    def __len__(self) -> int:
        return len(self._live)

    def begin(self, take: LiveTake, line: Line, text: str | None) -> int:
        """Takes it on: 0 if it has a slot, to be followed by `start`, else its place in the queue.

        text: the line's, if it is to be stored. Raises Busy; then nothing of the take is held.
        """
        try:
            place = self._around.admission.ask(take.ticket)
        except SessionError:
            take.recording.close()
            raise
        self._memory.begin(line)
        if text is not None:
            self._diary.line(line, text)
        if line.speaker is not None and self._memory.cast(line.speaker, take.order.voice):
            self._diary.cast(line.speaker, take.order.voice)
        self._diary.begun(take)
        self._live[take.id] = take
        self._outbox.begin(take.epoch)
        return place

    def admit(self, take_id: str) -> None:
        """A take that waited has its slot now."""
        self._live[take_id].making.admitted(self._around.clock())
        self.start(take_id)

    def start(self, take_id: str) -> None:
        """The take has its slot: the engine gets it."""
        take = self._live[take_id]
        take.happen(Happening.ADMIT)
        self._around.turns.began(take.ticket)
        try:
            request = self._submitted(take)
        except EngineError as error:
            self._fail(take, error.code, str(error))
            return
        take.bind(request, self._around.spawn(self._pump(take, request)))

    def _submitted(self, take: LiveTake) -> Request:
        """Edits are listened to, where somebody can. Raises EngineError."""
        said, checks = take.utterance(), self._around.checks
        checked = checks.request(said) if checks and take.order.kind == "edited" else None
        return checked or self._around.engine.submit(said)

    def queued_first(self) -> list[LiveTake]:
        """All takes, those without a slot first: so none of them gets one that is given back."""
        return sorted(self._live.values(), key=lambda take: not take.waits)

    def stop(self, take: LiveTake, told: TakeCancelled | None = None) -> None:
        """Ends it at once; what is queued of it is dropped, and `told` instead."""
        take.abort()
        self._outbox.revoke(take.epoch)
        if told is not None:
            self._outbox.post(told)
        self._end(take, Happening.CANCEL)

    def deliver(self, take_id: str) -> None:
        """All of it was sent. A take that is over already stays so."""
        take = self._live.get(take_id)
        if take is not None:
            self._end(take, Happening.DELIVER)

    def credit(self, take_id: str, credit: Credit) -> None:
        """How much sound of it is wanted; of a take that is over, none."""
        take = self._live.get(take_id)
        if take is not None:
            take.credit(credit)

    def find(self, take_id: str) -> LiveTake:
        """The take, if it is under way. Raises UnknownTake, or WrongState if it is over."""
        take = self._live.get(take_id)
        if take is None:
            ended = self.known(take_id)
            raise WrongState(f"the take is {ended} already", "take_id")
        return take

    def known(self, take_id: str) -> str:
        """How a take stands. Raises UnknownTake."""
        if take_id in self._live:
            return self._live[take_id].state.value
        ended = self._memory.scene.take(take_id)
        if ended is None:
            raise UnknownTake(f"no take is called {take_id!r}", "take_id")
        return ended.state.value

    def check_made(self, take_id: str) -> None:
        """Raises WrongState for a take that is still being made."""
        take = self._live.get(take_id)
        if take is not None and take.state is not TakeState.MADE:
            told = f"the take is {take.state.value}: it can be changed or kept once it is made"
            raise WrongState(told, "take_id")

    def check_integrity(self) -> None:
        """Raises AssertionError unless every take has ended and let go of what it held."""
        assert not self._live, f"takes still under way: {list(self._live)}"
        assert not self._outbox.live, f"{self._outbox.live} epochs still open"

    def _fail(self, take: LiveTake, code: str, message: str) -> None:
        self._outbox.end(take.epoch)
        self._outbox.post(TakeFailed(take.id, take.stream, code, message, take.reply_to))
        self._end(take, Happening.FAIL)

    def _end(self, take: LiveTake, happening: Happening) -> None:
        """The take is over, and all it held is free again."""
        held = take.holds_slot
        take.happen(happening)
        del self._live[take.id]
        self._outbox.end(take.epoch)
        self._diary.ended(take)
        self._memory.end(take, frozenset(live.line_id for live in self._live.values()))
        if held:
            self._let_go(take, whole=False)
        self._changed(take)
        self._around.ended()

    def _let_go(self, take: LiveTake, whole: bool) -> None:
        """Gives back its slot, or its place in the queue."""
        self._around.turns.ended(take.ticket, whole)
        self._around.admitted(self._around.admission.release(take.ticket))

    async def _pump(self, take: LiveTake, request: Request) -> None:
        """Brings what the engine makes of a take out as events, until that ends."""
        try:
            async for output in request:
                self._heard(take, output, request)
                if take.holds_slot:
                    await self._outbox.room()
                    await self._diary.room()
        except SessionError as error:
            request.abort()
            self._fail(take, error.code, str(error))
        except Exception:
            # The end of a task: whatever went wrong, the take says so and lets go.
            log.exception("take %s failed", take.id)
            request.abort()
            self._fail(take, "internal", "the server failed while it made this take")

    def _heard(self, take: LiveTake, output: Output, request: Request) -> None:
        match output:
            case Pcm():
                self._sound(take, output)
            case Notice():
                told = Warned(output.code, output.message, take.id, take.reply_to)
                self._outbox.post(told, output.epoch)
            case Finished():
                heard = request.recognised if isinstance(request, CheckedRequest) else None
                self._made(take, output, heard)
            case Failed():
                self._fail(take, output.error.code, str(output.error))
            case _:
                assert_never(output)

    def _sound(self, take: LiveTake, pcm: Pcm) -> None:
        take.heard(pcm)
        if pcm.words:
            self._outbox.post(TakeWords(take.id, pcm.words), pcm.epoch)
        sound = TakeAudio(take.id, take.stream, pcm.start, pcm.samples, pcm.frames, pcm.hold)
        self._outbox.post(sound, pcm.epoch)

    def _made(self, take: LiveTake, finished: Finished, heard: Recognised | None) -> None:
        take.happen(Happening.COMPLETE)
        take.samples, take.recognised = finished.samples, heard
        changed = take.recording.changed if take.order.base is not None else None
        self._outbox.post(
            TakeFinished(
                take.id,
                take.stream,
                finished.samples,
                take.performance,
                take.making.told(),
                take.reply_to,
                changed,
                heard,
            ),
            finished.epoch,
        )
        self._diary.made(take)
        # How much text would follow was not known when it got its slot: it tells nothing.
        self._let_go(take, whole=not take.order.more)
        self._changed(take)
