"""Commands that ask for a take, as what that take shall be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from engine.types import Change, FamilyInfo, Performance
from sessions.commands import Direct, Edit, Speak
from sessions.directing import Context, Directed
from sessions.directing.performing import touched
from sessions.directing.spots import Line as Spots
from sessions.directions import Directions, Remark, moved, remarks
from sessions.earlier import Earlier, Takings
from sessions.editing import BadEdit, EditPlan, edit_text, edit_words
from sessions.errors import SessionError, TooLong, Unsupported
from sessions.ids import new_id
from sessions.limits import SessionLimits
from sessions.memory import Memory
from sessions.order import Order
from sessions.respanning import Span, respanned, widened
from sessions.scene import Line
from sessions.tags import Tagged, UnableTag, read_tags
from sessions.wording import Wording


class NotUnderstood(SessionError):
    """No word of a direction could be followed; the message quotes it."""

    code = "direction_not_understood"


@dataclass(frozen=True, slots=True)
class Placed:
    """An order, the line it is of, and what is to be told of it. text: the line's, if that is to be
    stored: it is new or reads otherwise."""

    order: Order
    line: Line
    remarks: tuple[Remark, ...] = ()
    text: str | None = None


class Orders:
    """What one session's commands come to. Nothing is held and nobody told until all is right."""

    def __init__(
        self,
        info: FamilyInfo,
        limits: SessionLimits,
        default_voice: str,
        memory: Memory,
        takings: Takings,
        directions: Directions,
    ) -> None:
        self._info = info
        self._limits = limits
        self._default_voice = default_voice
        self._memory = memory
        self._takings = takings
        self._directions = directions

    async def spoken(self, command: Speak) -> Placed:
        """A first or a fresh take of a line. Raises SessionError."""
        self._check_text(command.text)
        known = await self._line(command.line_id)
        line = self._memory.line(known, command, new_id("line"))
        voice = self._memory.voice(command, line, self._info.voices, self._default_voice)
        tagged = read_tags(command.text)
        takes = tuple(take.performance for take in line.takes)
        directed = await self._standing(line.direction, Context(tagged.text, (), takes))
        wording = Wording(directed.performance, self.directs)
        text = wording.add(command.text).text + ("" if command.more else wording.end().text)
        order = Order(
            line_id=line.id,
            voice=voice,
            wording=wording,
            text=text,
            seed=command.seed or 0,
            more=command.more,
            speaker=line.speaker,
            scene_id=line.scene_id,
            direction=line.direction,
            moved=moved(directed),
            reply_to=command.id,
        )
        return Placed(order, line, self._remarks(line.direction, directed, wording), command.text)

    async def directed(self, command: Direct) -> Placed:
        """The same words, otherwise said. Raises SessionError; NotUnderstood, if nothing was."""
        if not self.directs:
            raise Unsupported(self._cannot("be directed"))
        earlier = await self._takings.find(command.take_id)
        take = earlier.take
        words = tuple((word.text, word.span) for word in take.words)
        context = Context(earlier.text, words, earlier.before)
        directed = await self._directions.understood(command.direction, take.performance, context)
        told = tuple(self._left_out(directed))
        if not directed.moved and told:
            raise NotUnderstood("; ".join(remark.message for remark in told), "direction")
        seed = take.seed if command.seed is None else command.seed
        in_places = self.edits and seed == take.seed and not self._reads_more(directed)
        scopes = directed.scopes if in_places else None
        base = None if scopes is None else await self._takings.parent(earlier)
        listened = base is None and self._info.listens
        wording, text = Wording.whole(take.text, directed.performance, tags=False)
        order = replace(
            self._of(earlier, wording, text, command.id),
            kind="directed",
            seed=seed,
            base=base,
            changes=() if base is None else widened((), scopes or ()),
            direction=command.direction,
            before=self._memory.scene.before(earlier.line.id),
            earlier=await self._takings.parent(earlier) if listened else None,
            moved=moved(directed),
        )
        return Placed(order, earlier.line, told)

    async def edited(self, command: Edit) -> Placed:
        """Other words in places, all else as it was. Raises SessionError."""
        if not self.edits:
            raise Unsupported(self._cannot("be edited"))
        self._check_text(command.text or "")
        earlier = await self._takings.find(command.take_id)
        plan = _plan(earlier, command)
        self._check_text(plan.new_text)
        tagged = read_tags(plan.new_text, earlier.take.performance)
        performance, spans = _performance(earlier, tagged, plan, plan.changes)
        base = None if spans is None else await self._takings.parent(earlier)
        wording, text = Wording.whole(plan.new_text, performance, tags=False)
        order = replace(
            self._of(earlier, wording, text, command.id),
            kind="edited",
            base=base,
            changes=() if base is None else widened(plan.changes, spans or ()),
        )
        told = list(unable(tagged.unknown))
        if spans is not None and base is None:
            whole = "the take was not made to its end: all of the line is made new"
            told.append(Remark("made_anew", whole))
        return Placed(order, earlier.line, tuple(told))

    @property
    def directs(self) -> bool:
        return "direct" in self._info.can

    @property
    def edits(self) -> bool:
        return "edit" in self._info.can

    async def _line(self, line_id: str | None) -> Line | None:
        """Raises UnknownLine for one that is neither remembered nor stored."""
        if line_id is None or line_id in self._memory.scene.lines:
            return self._memory.scene.lines.get(line_id or "")
        return await self._takings.line(line_id)

    async def _standing(self, direction: str | None, context: Context) -> Directed:
        if direction is None or not self.directs:
            return Directed(Performance())
        return await self._directions.understood(direction, Performance(), context)

    def _of(self, earlier: Earlier, wording: Wording, text: str, reply_to: str | None) -> Order:
        """What every take has from the one that it starts from."""
        take, line = earlier.take, earlier.line
        return Order(
            line_id=line.id,
            voice=take.voice,
            wording=wording,
            text=text,
            seed=take.seed,
            speaker=line.speaker,
            scene_id=line.scene_id,
            parent=take.id,
            directions=earlier.directions,
            reply_to=reply_to,
        )

    def of_tags(self, wording: Wording) -> tuple[Remark, ...]:
        """What is to be told of tags that came since this was last asked."""
        news = wording.news()
        if self.directs:
            return tuple(unable(tag for tagged in news for tag in tagged.unknown))
        left_out = f"the tags are left out: {self._cannot('be directed')}"
        return (Remark("tags_unsupported", left_out),) if news else ()

    def of_standing(
        self, direction: str | None, understood: Iterable[Directed]
    ) -> Iterator[Remark]:
        """What is to be told of how a line's direction was understood."""
        if self.directs or direction is None:
            for directed in understood:
                yield from self._left_out(directed)
        else:
            left_out = f"the direction {direction!r} is left out: {self._cannot('be directed')}"
            yield Remark("direction_unsupported", left_out)

    def _remarks(
        self, direction: str | None, directed: Directed, wording: Wording
    ) -> tuple[Remark, ...]:
        return (*self.of_standing(direction, [directed]), *self.of_tags(wording))

    def _left_out(self, directed: Directed) -> Iterator[Remark]:
        """What of a direction is; nothing where the model reads it as it stands."""
        return iter(()) if self._info.reads else remarks(directed)

    def _reads_more(self, directed: Directed) -> bool:
        """Whether the model gets words that nobody here knows the places of."""
        return self._info.reads and bool(directed.ignored or directed.impossible)

    def _cannot(self, what: str) -> str:
        return f"{self._info.model} can't {what}; it can {', '.join(self._info.can)}"

    def _check_text(self, text: str) -> None:
        limit = min(self._limits.text_chars, self._limits.take_chars)
        if len(text) > limit:
            raise TooLong(f"a take may have {limit} characters of text, not {len(text)}", "text")


def _plan(earlier: Earlier, command: Edit) -> EditPlan:
    take = earlier.take
    if command.text is not None:
        plan = edit_text(take.text, take.words, command.text)
    else:
        plan = edit_words(take.text, take.words, command.changes)
    if not plan.changes:
        field = "changes" if command.text is None else "text"
        raise BadEdit("the line reads so already", field)
    return plan


def _performance(
    earlier: Earlier, tagged: Tagged, plan: EditPlan, changes: tuple[Change, ...]
) -> tuple[Performance, tuple[Span, ...] | None]:
    """The parent's performance at the new text's characters, and characters that are said otherwise
    than that, as other tags stand before them; None if all are."""
    take = earlier.take
    same = respanned(take.performance, changes)
    if _tags(take.text, earlier.text) == _tags(plan.new_text, tagged.text):
        return same, ()
    old = read_tags(take.text, take.performance)
    marks = Performance(parts=old.parts, pauses=old.pauses)
    gone = respanned(marks, changes)
    spans = {part.span for part in gone.parts}
    ats = {pause.at for pause in gone.pauses}
    pauses = [pause for pause in same.pauses if pause.at not in ats]
    performance = replace(
        same,
        parts=(*(part for part in same.parts if part.span not in spans), *tagged.parts),
        pauses=tuple(sorted((*pauses, *tagged.pauses), key=lambda pause: pause.at)),
    )
    return performance, touched(same, performance, Spots.of(tagged.text, ()))


def _tags(text: str, blanked: str) -> list[str]:
    """The tags in a text, in order."""
    marked = "".join(a if a != b else "\0" for a, b in zip(text, blanked, strict=True))
    return [tag for tag in marked.split("\0") if tag]


def unable(tags: Iterable[UnableTag]) -> Iterator[Remark]:
    """Each tag that no voice of ours can do, once."""
    for message in dict.fromkeys(tag.message for tag in tags):
        yield Remark("unknown_tag", message)
