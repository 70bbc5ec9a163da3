"""What a take shall be, before anything is held for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.types import Change, Parent
from sessions.events import Moved
from sessions.wording import Wording

Kind: TypeAlias = Literal["spoken", "directed", "edited"]


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """All that is asked of a take.

    wording: what was written of it; `text` is that as the engine gets it. more: text will follow.
    parent: the take that it started from. base, changes: that take's sound and where this one
    differs; without base all of it is made new. before: what lines before it say, where that counts
    for how it is said. directions, earlier: as the engine gets them, see Utterance. follows,
    pause_s: the take of the scene that it is heard after, and the silence between.
    """

    line_id: str
    voice: str
    wording: Wording
    text: str
    kind: Kind = "spoken"
    seed: int = 0
    more: bool = False
    speaker: str | None = None
    scene_id: str | None = None
    parent: str | None = None
    base: Parent | None = None
    changes: tuple[Change, ...] = ()
    direction: str | None = None
    moved: tuple[Moved, ...] = ()
    before: tuple[str, ...] = ()
    directions: tuple[str, ...] = ()
    earlier: Parent | None = None
    follows: str | None = None
    pause_s: float = 0.0
    reply_to: str | None = None

    @property
    def chars(self) -> int:
        """Of text to be made, as far as it is known: of all of it, or of what changes."""
        if self.base is None:
            return self.wording.chars
        return sum(change.new[1] - change.new[0] for change in self.changes)
