"""A scene while it is performed: its lines one after the other, a few made ahead."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from engine.types import FamilyInfo
from sessions.casting import Distance, by_embedding, propose
from sessions.commands import Perform
from sessions.diary import Diary
from sessions.directions import Directions, moved
from sessions.errors import Busy, TooLong, TooMany, WrongState
from sessions.events import SceneDone, SceneLine, SceneStarted, Warned
from sessions.ids import new_id
from sessions.limits import SessionLimits
from sessions.live import LiveTake
from sessions.memory import Memory
from sessions.order import Order
from sessions.orders import Orders, Placed
from sessions.outbox import Outbox
from sessions.reading import Cue, SceneReader, known_voices, nothing_said
from sessions.saying import said
from sessions.scene import Line
from sessions.script import Dialogue, Item, cast_hints
from sessions.states import OVER, TakeState
from sessions.store import LineAdded, SceneAdded, Together, UnknownScene, VoiceCast
from sessions.tags import read_tags
from sessions.wording import Wording

LOOK_AHEAD: Final = 2
"""Lines that are made, or being made, beyond the one that is being sent."""

IN_TURN: Final = (
    "lines that are to be said at the same time are heard one after the other while the scene is "
    "performed; in its files they are together"
)


@dataclass(frozen=True, slots=True)
class Upcoming:
    """A line that waits for its turn."""

    line: Line
    voice: str
    cue: Cue
    reply_to: str | None


class ScenePlay:
    """One scene: what is still to be spoken, and which of its takes are under way."""

    def __init__(self, scene_id: str, reader: SceneReader) -> None:
        self.id = scene_id
        self.reader = reader
        self.cast: dict[str, str] = {}
        self.waiting: deque[Upcoming] = deque()
        self.live: dict[str, LiveTake] = {}
        self.last: LiveTake | None = None
        self.more = True
        self.over = True
        self.done = 0
        self.reply_to: str | None = None

    @property
    def next_may_begin(self) -> bool:
        """One line after the other, each when all of the sound of the one before is made."""
        made = self.last is None or self.last.state in OVER or self.last.state is TakeState.MADE
        return made and bool(self.waiting) and len(self.live) <= LOOK_AHEAD

    @property
    def ended(self) -> bool:
        return not (self.waiting or self.live or self.more)


class Scenes:
    """The scene that a session performs, one at a time; the last one can be gone on with.

    begin: takes a take on, by when its command was read, None if its turn has come without one;
    raises TooMany or Busy while there is no room for it.
    """

    def __init__(
        self,
        session_id: str,
        info: FamilyInfo,
        limits: SessionLimits,
        memory: Memory,
        diary: Diary,
        outbox: Outbox,
        directions: Directions,
        orders: Orders,
        begin: Callable[[Placed, float | None], LiveTake],
    ) -> None:
        self._session_id = session_id
        self._info = info
        self._limits = limits
        self._memory = memory
        self._diary = diary
        self._outbox = outbox
        self._directions = directions
        self._orders = orders
        self._begin = begin
        self._play: ScenePlay | None = None
        self._advancing = False
        self._closed = False

    @cached_property
    def _distance(self) -> Distance | None:
        """How voices differ; None where nobody measured it."""
        embeddings = self._info.embeddings
        return by_embedding(embeddings) if embeddings else None

    @property
    def performing(self) -> bool:
        return self._play is not None and not self._play.over

    async def perform(self, command: Perform, read_at: float) -> None:
        """Begins a scene or adds to it. Raises SessionError; then nothing of it is there."""
        if len(command.script) > self._limits.script_chars:
            told = f"a message may have {self._limits.script_chars} characters of script"
            raise TooLong(told, "script")
        propose((), self._info.voices, command.cast)  # A wrong voice is told before anything else.
        play = self._asked_for(command)
        items = await play.reader.read(command.script, last=not command.more)
        cast = self._cast(play, items, command)
        cues = play.reader.cues(items)
        if not command.more and not play.reader.lines:
            raise nothing_said()
        self._memory.direct(command.directions)
        parts = [self._part(play, cue, cast, command) for cue in cues]
        await self._diary.together(self._changes(play, cast, parts))
        if not self._closed:
            self._go_on(play, cast, parts, command)
            self.advance(read_at)

    def changed(self, take: LiveTake) -> None:
        """A take of the session, perhaps of the scene, is made or over."""
        play = self._play
        if play is not None and take.id in play.live and take.state in OVER:
            del play.live[take.id]
            play.done += take.state is TakeState.DONE
        self.advance()

    def advance(self, read_at: float | None = None) -> None:
        """Begins the lines whose time has come; read_at: by a command."""
        play = self._play
        if play is None or play.over or self._advancing:
            return
        self._advancing = True
        try:
            while play.next_may_begin and self._next(play, read_at):
                pass
        finally:
            self._advancing = False
        if play.ended:
            self._finish(play, cancelled=False, reply_to=play.reply_to)

    def hold(self) -> bool:
        """Begins no further line; whether there is a scene that `stop` has to end."""
        if self._play is None or self._play.over:
            return False
        self._play.waiting.clear()
        self._play.more = True
        return True

    def stop(self, reply_to: str | None = None) -> None:
        """Nothing more of the scene is begun; it is over."""
        if self._play is not None and not self._play.over:
            self._play.waiting.clear()
            self._finish(self._play, cancelled=True, reply_to=reply_to)

    def close(self) -> None:
        """The session is over; nobody is told."""
        self._closed = True
        self._play = None

    def _asked_for(self, command: Perform) -> ScenePlay:
        if command.scene_id is None:
            if self.performing:
                told = "a scene is being performed: add to it by its scene_id, or cancel it"
                raise WrongState(told, "scene_id")
            return ScenePlay(new_id("scene"), SceneReader(command.format))
        if self._play is None or self._play.id != command.scene_id:
            told = f"{command.scene_id!r} is not the last scene of this session"
            raise UnknownScene(told, "scene_id")
        return self._play

    def _cast(self, play: ScenePlay, items: list[Item], command: Perform) -> dict[str, str]:
        """Voices of all speakers so far. Raises UnknownVoice."""
        speakers = [item.speaker for item in items if isinstance(item, Dialogue)]
        known = dict(known_voices(speakers, self._memory.scene.cast, play.cast))
        given = {name.casefold() for name in command.cast}
        kept = {name: voice for name, voice in known.items() if name.casefold() not in given}
        hints = cast_hints(items)
        wanted = {**play.cast, **kept, **command.cast}
        proposed = propose(hints, self._info.voices, wanted, self._distance)
        return {**play.cast, **proposed}

    def _part(self, play: ScenePlay, cue: Cue, cast: dict[str, str], command: Perform) -> Upcoming:
        dialogue = cue.dialogue
        direction = self._memory.standing(dialogue.speaker, dialogue.direction)
        line = Line(new_id("line"), dialogue.speaker, direction=direction, scene_id=play.id)
        return Upcoming(line, cast[dialogue.speaker], cue, command.id)

    def _changes(self, play: ScenePlay, cast: dict[str, str], parts: list[Upcoming]) -> Together:
        reader, session_id = play.reader, self._session_id
        scene = SceneAdded(
            session_id, play.id, reader.title, reader.script, reader.format, tuple(reader.asides)
        )
        voices = [
            VoiceCast(session_id, speaker, voice, play.id)
            for speaker, voice in cast.items()
            if play.cast.get(speaker) != voice
        ]
        lines = [
            LineAdded(
                session_id,
                part.line.id,
                part.cue.dialogue.text,
                part.line.speaker,
                part.line.direction,
                play.id,
                part.cue.dialogue.dual,
            )
            for part in parts
        ]
        return Together((scene, *voices, *lines))

    def _go_on(
        self, play: ScenePlay, cast: dict[str, str], parts: list[Upcoming], command: Perform
    ) -> None:
        self._play = play
        play.cast, play.more, play.over = cast, command.more, False
        play.reply_to = command.id
        first = play.reader.lines - len(parts)
        told = tuple(map(_told, parts))
        self._outbox.post(SceneStarted(play.id, told, first, command.id))
        if any(line.dual for line in told):
            self._outbox.post(Warned("dual_in_turn", IN_TURN, reply_to=command.id))
        play.waiting.extend(parts)

    def _next(self, play: ScenePlay, read_at: float | None) -> bool:
        """Begins the next line; false if there is no room for it now, or it could not be begun."""
        try:
            take = self._begin(self._placed(play, play.waiting[0]), read_at)
        except (Busy, TooMany):
            return False
        play.waiting.popleft()
        play.last = take
        if take.state in OVER:
            play.waiting.clear()
            self._finish(play, cancelled=True, reply_to=play.reply_to)
            return False
        play.live[take.id] = take
        return True

    def _placed(self, play: ScenePlay, part: Upcoming) -> Placed:
        dialogue = part.cue.dialogue
        tagged = read_tags(dialogue.text)
        directs = self._orders.directs
        direction = part.line.direction if directs else None
        plain = (
            dialogue
            if directs
            else Dialogue(dialogue.speaker, dialogue.text, None, dialogue.position)
        )
        performance, understood = said(plain, direction, tagged.text, self._directions)
        wording, text = Wording.whole(dialogue.text, performance, directs)
        order = Order(
            line_id=part.line.id,
            voice=part.voice,
            wording=wording,
            text=text,
            speaker=part.line.speaker,
            scene_id=play.id,
            direction=part.line.direction,
            moved=tuple(one for directed in understood for one in moved(directed)),
            follows=None if play.last is None else play.last.id,
            pause_s=part.cue.pause_s,
            reply_to=part.reply_to,
        )
        told = self._orders.of_standing(part.line.direction, understood)
        return Placed(order, part.line, (*told, *self._orders.of_tags(wording)))

    def _finish(self, play: ScenePlay, cancelled: bool, reply_to: str | None) -> None:
        play.over = True
        self._outbox.post(SceneDone(play.id, play.done, cancelled, reply_to))


def _told(part: Upcoming) -> SceneLine:
    dialogue = part.cue.dialogue
    return SceneLine(
        part.line.id, part.line.speaker or "", part.voice, dialogue.text, dialogue.dual
    )
