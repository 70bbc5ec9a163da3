"""One session: what one person is doing, whatever connection they do it over."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import assert_never

from engine.api import Engine, Request
from engine.errors import EngineError
from engine.types import Credit, Epoch, Failed, Finished, Notice, Output, Pcm
from sessions.admission import Admission, Ticket
from sessions.commands import Append, Cancel, Command, Finish, Playback, Speak
from sessions.errors import SessionError, TooLong, TooMany, UnknownTake, WrongState
from sessions.events import (
    Event,
    Refused,
    TakeAudio,
    TakeCancelled,
    TakeFailed,
    TakeFinished,
    TakeWords,
    Warned,
)
from sessions.ids import new_id
from sessions.limits import SessionLimits
from sessions.live import LiveTake
from sessions.memory import Memory
from sessions.outbox import Outbox
from sessions.scene import Scene
from sessions.states import Happening

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a session shares with the others. `spawn` runs a pump until it ends;
    `admitted` starts takes that were waiting; `ended` hears of each take that is over.
    """

    engine: Engine
    limits: SessionLimits
    admission: Admission
    epochs: Iterator[int]
    default_voice: str
    spawn: Callable[[Coroutine[None, None, None]], asyncio.Task[None]]
    admitted: Callable[[list[Ticket]], None]
    ended: Callable[[], None]


class Session:
    """Commands go in by `control`, events come out of `events`.

    Whoever sends the sound says by `credit` how much is wanted and by `delivered` that all of a
    take has been sent; until then it can be cancelled.
    """

    def __init__(self, session_id: str, around: Surroundings) -> None:
        self.id = session_id
        self._around = around
        self._memory = Memory(around.limits)
        self._takes: dict[str, LiveTake] = {}
        self._streams = 0
        self._outbox = Outbox(around.limits.outbox)

    @property
    def scene(self) -> Scene:
        """Lines, and takes that are over."""
        return self._memory.scene

    @property
    def under_way(self) -> int:
        """How many takes are neither done, cancelled nor failed."""
        return len(self._takes)

    @property
    def queued_events(self) -> int:
        return len(self._outbox)

    async def control(self, command: Command) -> None:
        """Does what is asked, at once; whatever comes of it, refusal included, is an event.

        Returns when the events have room again, so whoever reads commands is held back by a
        reader of events that is slow.
        """
        try:
            self._do(command)
        except SessionError as error:
            self._outbox.post(Refused(error.code, str(error), error.field, command.id))
        except EngineError as error:
            self._outbox.post(Refused(error.code, str(error), None, command.id))
        await self._outbox.room()

    async def events(self) -> AsyncIterator[Event]:
        """What the session says, until it is closed."""
        while (event := await self._outbox.get()) is not None:
            yield event

    def credit(self, take_id: str, credit: Credit) -> None:
        """Says how much sound of the take is wanted. Of a take that is over, nothing is."""
        take = self._takes.get(take_id)
        if take is not None:
            take.credit(credit)

    def delivered(self, take_id: str) -> None:
        """All of the take was sent, `take.done` too. A take that is over already stays so."""
        take = self._takes.get(take_id)
        if take is not None:
            self._end(take, Happening.DELIVER)

    def start(self, take_id: str) -> None:
        """The take has its slot: the engine gets it."""
        take = self._takes[take_id]
        take.happen(Happening.ADMIT)
        try:
            request = self._around.engine.submit(take.utterance())
        except EngineError as error:
            self._fail(take, error.code, str(error))
            return
        take.bind(request, self._around.spawn(self._pump(take, request)))

    def close(self) -> None:
        """Ends every take without a word, and the events after what is queued."""
        for take in self._queued_first():
            self._stop(take)
        self._outbox.close()

    def check_integrity(self) -> None:
        """Raises AssertionError unless every take has ended and let go of what it held."""
        assert not self._takes, f"session {self.id} still has takes {list(self._takes)}"
        assert not self._outbox.live, f"session {self.id} has {self._outbox.live} epochs open"

    def _do(self, command: Command) -> None:
        match command:
            case Speak():
                self._speak(command)
            case Append():
                self._check_text(command.text)
                take = self._find(command.take_id)
                take.append(command.text, self._around.limits.take_chars)
            case Finish():
                self._find(command.take_id).finish()
            case Cancel():
                self._cancel(command)
            case Playback():
                self._known(command.take_id)
            case _:
                assert_never(command)

    def _speak(self, command: Speak) -> None:
        take = self._new_take(command)
        place = self._around.admission.ask(take.ticket)
        self._memory.begin(take)
        self._takes[take.id] = take
        self._outbox.begin(take.epoch)
        self._outbox.post(take.started())
        self._warn_of(command, take, place)
        if place == 0:
            self.start(take.id)

    def _new_take(self, command: Speak) -> LiveTake:
        """The take that is asked for, holding nothing yet. Raises what is wrong in the command."""
        limits = self._around.limits
        self._check_text(command.text)
        if len(command.text) > limits.take_chars:
            raise TooLong(f"a take may have {limits.take_chars} characters", "text")
        around = self._around
        voice = self._memory.voice(command, around.engine.info.voices, around.default_voice)
        self._memory.check_line(command.line_id)
        if len(self._takes) >= limits.concurrent_takes:
            raise TooMany(f"a session may have {limits.concurrent_takes} takes under way at once")
        self._streams += 1
        return LiveTake(
            ticket=Ticket(self.id, new_id("take")),
            line_id=command.line_id or new_id("line"),
            stream=self._streams,
            epoch=Epoch(next(around.epochs)),
            voice=voice,
            command=command,
        )

    def _warn_of(self, command: Speak, take: LiveTake, place: int) -> None:
        if command.direction:
            told = f"the direction {command.direction!r} is left out: directing is not available"
            self._warn("direction_unsupported", told, take)
        if place:
            told = f"all that this machine carries is being spoken; place {place} in the queue"
            self._warn("queued", told, take)

    def _warn(self, code: str, message: str, take: LiveTake) -> None:
        self._outbox.post(Warned(code, message, take.id, take.reply_to), take.epoch)

    def _cancel(self, command: Cancel) -> None:
        if command.take_id is not None:
            self._cancel_take(self._find(command.take_id), command)
            return
        if not self._takes:
            told = "there is nothing to cancel: no take is under way"
            self._outbox.post(Warned("nothing_to_cancel", told, reply_to=command.id))
        for take in self._queued_first():
            self._cancel_take(take, command)

    def _cancel_take(self, take: LiveTake, command: Cancel) -> None:
        self._stop(take)
        self._outbox.post(
            TakeCancelled(take.id, take.stream, command.played_ms, command.id, take.text)
        )

    def _queued_first(self) -> list[LiveTake]:
        """All takes, those without a slot first: so none of them gets one that is given back."""
        return sorted(self._takes.values(), key=lambda take: not take.waits)

    def _stop(self, take: LiveTake) -> None:
        take.abort()
        self._outbox.revoke(take.epoch)
        self._end(take, Happening.CANCEL)

    def _fail(self, take: LiveTake, code: str, message: str) -> None:
        self._end(take, Happening.FAIL)
        self._outbox.post(TakeFailed(take.id, take.stream, code, message, take.reply_to))

    def _end(self, take: LiveTake, happening: Happening) -> None:
        """The take is over, and all it held is free again."""
        held = take.holds_slot
        take.happen(happening)
        del self._takes[take.id]
        self._outbox.end(take.epoch)
        self._memory.end(take, frozenset(live.line_id for live in self._takes.values()))
        if held:
            self._around.admitted(self._around.admission.release(take.ticket))
        self._around.ended()

    async def _pump(self, take: LiveTake, request: Request) -> None:
        """Brings what the engine makes of a take out as events, until that ends."""
        try:
            async for output in request:
                self._heard(take, output)
                await self._outbox.room()
        except Exception:
            # The end of a task: whatever went wrong, the take says so and lets go.
            log.exception("take %s failed", take.id)
            request.abort()
            self._fail(take, "internal", "the server failed while it made this take")

    def _heard(self, take: LiveTake, output: Output) -> None:
        match output:
            case Pcm():
                self._sound(take, output)
            case Notice():
                told = Warned(output.code, output.message, take.id, take.reply_to)
                self._outbox.post(told, output.epoch)
            case Finished():
                self._made(take, output)
            case Failed():
                self._fail(take, output.error.code, str(output.error))
            case _:
                assert_never(output)

    def _sound(self, take: LiveTake, pcm: Pcm) -> None:
        take.samples = pcm.start + len(pcm.samples)
        if pcm.words:
            self._outbox.post(TakeWords(take.id, pcm.words), pcm.epoch)
        sound = TakeAudio(take.id, take.stream, pcm.start, pcm.samples, pcm.frames)
        self._outbox.post(sound, pcm.epoch)

    def _made(self, take: LiveTake, finished: Finished) -> None:
        take.happen(Happening.COMPLETE)
        take.samples = finished.samples
        self._outbox.post(
            TakeFinished(take.id, take.stream, finished.samples, take.performance, take.reply_to),
            finished.epoch,
        )
        self._around.admitted(self._around.admission.release(take.ticket))

    def _find(self, take_id: str) -> LiveTake:
        """The take, if it is under way. Raises UnknownTake, or WrongState if it is over."""
        take = self._takes.get(take_id)
        if take is None:
            ended = self._known(take_id)
            raise WrongState(f"the take is {ended} already", "take_id")
        return take

    def _known(self, take_id: str) -> str:
        """How a take stands. Raises UnknownTake."""
        if take_id in self._takes:
            return self._takes[take_id].state.value
        ended = self.scene.take(take_id)
        if ended is None:
            raise UnknownTake(f"no take is called {take_id!r}", "take_id")
        return ended.state.value

    def _check_text(self, text: str) -> None:
        limit = self._around.limits.text_chars
        if len(text) > limit:
            raise TooLong(f"a message may have {limit} characters of text, not {len(text)}", "text")
