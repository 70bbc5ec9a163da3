"""One session: what one person is doing, whatever connection they do it over."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import assert_never

from engine.errors import EngineError
from engine.types import Credit, Epoch
from sessions.admission import Ticket
from sessions.commands import (
    Append,
    Cancel,
    Command,
    Direct,
    Edit,
    Finish,
    Keep,
    Perform,
    Playback,
    Speak,
)
from sessions.diary import Diary
from sessions.earlier import Takings
from sessions.errors import SessionError, SessionOver, TooLong, TooMany, WrongState
from sessions.events import Event, Refused, TakeCancelled, TakeKept, Warned
from sessions.ids import new_id
from sessions.live import LiveTake
from sessions.making import MakingRecord
from sessions.memory import Memory
from sessions.orders import Orders, Placed
from sessions.outbox import Outbox
from sessions.scene import NOTHING_SAID, Scene
from sessions.scenes import Scenes
from sessions.takes import Surroundings, Takes


class Session:
    """Commands go in by `control`, events come out of `events`.

    Whoever sends the sound says by `credit` how much is wanted and by `delivered` that all of a
    take has been sent; until then it can be cancelled.
    """

    def __init__(
        self,
        session_id: str,
        around: Surroundings,
        secret: bytes | None = None,
        scene: Scene = NOTHING_SAID,
    ) -> None:
        """secret: a digest of the token that lets somebody come back. scene: what was said in it
        before, all takes of it over."""
        self.id = session_id
        self._around = around
        info, limits = around.engine.info, around.limits
        self._memory = Memory(limits, scene)
        self._outbox = Outbox(limits.outbox)
        self.diary = Diary(session_id, around.store, self._outbox, info.sample_rate, limits.take_s)
        self._takes = Takes(around, self._memory, self.diary, self._outbox, self._scene_changed)
        self._takings = Takings(session_id, around.store)
        self._orders = Orders(
            info, limits, around.default_voice, self._memory, self._takings, around.directions
        )
        self._scenes = Scenes(
            session_id,
            info,
            limits,
            self._memory,
            self.diary,
            self._outbox,
            around.directions,
            self._orders,
            self._begin,
        )
        self._streams = 0
        self._closed = False
        self.diary.opened(secret)

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

    async def control(self, command: Command, read_at: float) -> None:
        """Does what is asked, at once; whatever comes of it, refusal included, is an event.

        read_at: monotonic seconds at which the command came, from which its takes are timed.
        Returns when the events have room again, so whoever reads commands is held back by a
        reader of events that is slow.
        """
        try:
            await self._do(command, read_at)
        except SessionError as error:
            self._outbox.post(Refused(error.code, str(error), error.field, command.id))
        except EngineError as error:
            self._outbox.post(Refused(error.code, str(error), None, command.id))
        await self._outbox.room()
        await self.diary.room()

    async def events(self) -> AsyncIterator[Event]:
        """What the session says, until it is closed."""
        while (event := await self._outbox.get()) is not None:
            yield event

    def credit(self, take_id: str, credit: Credit) -> None:
        """Says how much sound of the take is wanted. Of a take that is over, nothing is."""
        self._takes.credit(take_id, credit)

    def delivered(self, take_id: str) -> None:
        """All of the take was sent, `take.done` too. A take that is over already stays so."""
        self._takes.deliver(take_id)

    def start(self, take_id: str) -> None:
        """A take that waited has its slot now."""
        self._takes.admit(take_id)

    def advance(self) -> None:
        """A take of some session is over: a line that waited for room may begin."""
        self._scenes.advance()

    def drain(self) -> None:
        """Begins no further line of a scene."""
        self._scenes.stop()

    def close(self) -> None:
        """Ends every take without a word, and the events after what is queued."""
        self._closed = True
        self._scenes.close()
        for take in self._takes.queued_first():
            self._takes.stop(take)
        self._outbox.close()

    def check_integrity(self) -> None:
        """Raises AssertionError unless every take has ended and let go of what it held."""
        self._takes.check_integrity()

    async def _do(self, command: Command, read_at: float) -> None:
        match command:
            case Speak():
                placed = await self._orders.spoken(command)
                self._check_open()
                self._begin(placed, read_at)
            case Append():
                self._check_text(command.text)
                take = self._takes.find(command.take_id)
                take.append(command.text, self._around.limits.take_chars, read_at)
                self._tell_of_tags(take)
            case Finish():
                take = self._takes.find(command.take_id)
                take.finish()
                self._tell_of_tags(take)
            case Cancel():
                self._cancel(command)
            case Playback():
                self._takes.known(command.take_id)
            case Direct():
                self._takes.check_made(command.take_id)
                placed = await self._orders.directed(command)
                self._check_open()
                self._begin(placed, read_at)
            case Edit():
                self._takes.check_made(command.take_id)
                placed = await self._orders.edited(command)
                self._check_open()
                self._begin(placed, read_at)
            case Keep():
                await self._keep(command)
            case Perform():
                await self._scenes.perform(command, read_at)
            case _:
                assert_never(command)

    def _begin(self, placed: Placed, read_at: float | None) -> LiveTake:
        """Takes on what was ordered. read_at: when its command came; None for a line of a scene
        whose turn has come by itself. Raises TooMany or Busy; then nothing is held."""
        take = self._new_take(placed, self._around.clock() if read_at is None else read_at)
        place = self._takes.begin(take, placed.line, placed.text)
        self._outbox.post(take.started())
        for remark in placed.remarks:
            self._warn(remark.code, remark.message, take)
        if place:
            if placed.order.follows is None:
                self._tell_of_queue(take, place)
        else:
            self._takes.start(take.id)
        return take

    def _new_take(self, placed: Placed, asked_at: float) -> LiveTake:
        limits = self._around.limits
        if len(self._takes) >= limits.concurrent_takes:
            raise TooMany(f"a session may have {limits.concurrent_takes} takes under way at once")
        self._streams += 1
        return LiveTake(
            ticket=Ticket(self.id, new_id("take"), placed.order.chars),
            stream=self._streams,
            epoch=Epoch(next(self._around.epochs)),
            order=placed.order,
            recording=self.diary.recording(),
            making=MakingRecord(asked_at),
        )

    def _scene_changed(self, take: LiveTake) -> None:
        self._scenes.changed(take)

    def _check_open(self) -> None:
        """Raises SessionOver for a session that was closed while something was looked up."""
        if self._closed:
            raise SessionOver("the session is closed")

    def _tell_of_tags(self, take: LiveTake) -> None:
        for remark in self._orders.of_tags(take.order.wording):
            self._warn(remark.code, remark.message, take)

    def _tell_of_queue(self, take: LiveTake, place: int) -> None:
        told = f"all that this machine carries is being spoken; place {place} in the queue"
        seconds = self._around.turns.wait_s(self._around.admission.ahead(take.ticket))
        if seconds is not None:
            seconds = float(max(1, round(seconds)))
            told += f", about {seconds:.0f} s"
        warned = Warned("queued", told, take.id, take.reply_to, seconds)
        self._outbox.post(warned, take.epoch)

    def _warn(self, code: str, message: str, take: LiveTake) -> None:
        self._outbox.post(Warned(code, message, take.id, take.reply_to), take.epoch)

    async def _keep(self, command: Keep) -> None:
        self._takes.check_made(command.take_id)
        earlier = await self._takings.find(command.take_id)
        if not earlier.whole:
            raise WrongState("the take was not made to its end: it can't be kept", "take_id")
        await self.diary.kept(command.take_id, earlier.line.id)
        self._outbox.post(TakeKept(command.take_id, earlier.line.id, command.id))

    def _cancel(self, command: Cancel) -> None:
        if command.take_id is not None:
            self._cancel_take(self._takes.find(command.take_id), command)
            return
        performing = self._scenes.hold()
        if not self._takes and not performing:
            told = "there is nothing to cancel: no take is under way"
            self._outbox.post(Warned("nothing_to_cancel", told, reply_to=command.id))
        for take in self._takes.queued_first():
            self._cancel_take(take, command)
        self._scenes.stop(command.id)

    def _cancel_take(self, take: LiveTake, command: Cancel) -> None:
        told = TakeCancelled(take.id, take.stream, command.played_ms, command.id, take.text)
        self._takes.stop(take, told)

    def _check_text(self, text: str) -> None:
        limit = self._around.limits.text_chars
        if len(text) > limit:
            raise TooLong(f"a message may have {limit} characters of text, not {len(text)}", "text")
