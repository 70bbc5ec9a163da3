"""Takes that are made, as what a new one starts from."""

from __future__ import annotations

from dataclasses import dataclass

from engine.scores import unpack
from engine.types import Parent, Performance
from sessions.errors import UnknownLine, UnknownTake, WrongState
from sessions.scene import Line
from sessions.states import TakeState
from sessions.store import Store, TakeRecord, TakeSheet
from sessions.tags import read_tags


@dataclass(frozen=True, slots=True)
class Earlier:
    """A take that is over or all made. text: as the engine had it, tags blanked. whole: whether it
    was made to its end, so that its sound can be kept. before: performances of the line's takes
    that began before it, oldest first. directions: what it and the takes that it comes from were
    asked for with, oldest first.
    """

    take: TakeRecord
    line: Line
    text: str
    before: tuple[Performance, ...]
    directions: tuple[str, ...]

    @property
    def whole(self) -> bool:
        made = self.take.state in (TakeState.DONE, TakeState.MADE)
        return made or self.take.samples > 0


class Takings:
    """Finds takes of one session, however long they are over."""

    def __init__(self, session_id: str, store: Store) -> None:
        self._session_id = session_id
        self._store = store

    async def find(self, take_id: str) -> Earlier:
        """Raises UnknownTake, WrongState for one that failed, StoreError."""
        sheet = await self._store.load_take(take_id)
        if sheet.session_id != self._session_id:
            raise UnknownTake(f"no take is called {take_id!r}", "take_id")
        if sheet.take.state is TakeState.FAILED:
            raise WrongState(f"the take {take_id} failed: speak its line again", "take_id")
        return _earlier(sheet)

    async def parent(self, earlier: Earlier) -> Parent | None:
        """Its sound and score; None unless it was made to its end and can be
        made again in parts. Raises StoreError."""
        if not earlier.whole:
            return None
        samples = await self._store.take_sound(earlier.take.id)
        score = await self._store.take_score(earlier.take.id)
        if len(samples) and not score:
            return None
        return Parent(earlier.text, samples, unpack(score or b""), earlier.take.performance)

    async def line(self, line_id: str) -> Line:
        """A line of the session with its takes. Raises UnknownLine, StoreError."""
        session_id, record = await self._store.load_line(line_id)
        if session_id != self._session_id:
            raise UnknownLine(f"no line is called {line_id!r}", "line_id")
        return record.line()


def _earlier(sheet: TakeSheet) -> Earlier:
    takes = sheet.line.takes
    number = [take.id for take in takes].index(sheet.take.id)
    before = tuple(take.performance for take in takes[:number])
    text = read_tags(sheet.take.text).text
    return Earlier(sheet.take, sheet.line.line(), text, before, _directions(sheet))


def _directions(sheet: TakeSheet) -> tuple[str, ...]:
    takes = {take.id: take for take in sheet.line.takes}
    found: list[str] = []
    take: TakeRecord | None = sheet.take
    while take is not None:
        found += [take.direction] if take.direction else []
        take = takes.get(take.parent) if take.parent else None
    return tuple(reversed(found))
