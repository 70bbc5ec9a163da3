"""What a script says, item by item: frozen values in the order of the page.

Lines and columns count from 1, in characters; offsets count from 0 and are into the whole script.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sessions.errors import SessionError

Format: TypeAlias = Literal["plain", "fountain", "tags"]
Style: TypeAlias = Literal["italic", "bold", "bold italic", "underline"]

#: Who says what no one is named for.
NARRATOR = "NARRATOR"


class ScriptError(SessionError):
    """A script that can't be read, and where: `line` and `column` count from 1."""

    code = "bad_script"

    def __init__(self, line: int, column: int, message: str) -> None:
        super().__init__(f"line {line}, column {column}: {message}", "script")
        self.line = line
        self.column = column
        self.reason = message


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in the script."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Run:
    """Characters of an item's text that stand side by side in the script too: from `at` in the
    text up to the next run, and from `offset` in the script."""

    at: int
    offset: int


@dataclass(frozen=True, slots=True)
class Aside:
    """A direction in the midst of the words: it holds from character `at` of the text on."""

    at: int
    direction: str


@dataclass(frozen=True, slots=True)
class Emphasis:
    """Characters [from, to) of the text that the script marks; the marks are not in the text."""

    span: tuple[int, int]
    style: Style


@dataclass(frozen=True, slots=True)
class Dialogue:
    """What one speaker says, up to where another item begins.

    text: what is spoken, never empty, without directions and marks of emphasis; inline tags such
    as [whisper] stay in it. direction: how all of it is said; `asides` say what changes within.
    dual: said at the same time as the dialogue before it. extension: V.O., O.S. or the like.
    continued: the script says that the speaker goes on, by (CONT'D).
    """

    speaker: str
    text: str
    direction: str | None
    position: Position
    dual: bool = False
    extension: str | None = None
    continued: bool = False
    asides: tuple[Aside, ...] = ()
    emphasis: tuple[Emphasis, ...] = ()
    runs: tuple[Run, ...] = ()

    def source(self, at: int) -> int:
        """The offset in the script of character `at` of the text; of its end, for len(text)."""
        run = self.runs[bisect.bisect_right(self.runs, at, key=lambda run: run.at) - 1]
        return run.offset + at - run.at


@dataclass(frozen=True, slots=True)
class Heading:
    """Where and when a scene plays; `number` is the script's own, if it has one."""

    text: str
    position: Position
    number: str | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """What is seen or done, not said. Lines stay lines."""

    text: str
    position: Position
    centered: bool = False


@dataclass(frozen=True, slots=True)
class Transition:
    """How one scene goes over into the next."""

    text: str
    position: Position


@dataclass(frozen=True, slots=True)
class Lyric:
    """Words of a song that no one is named for."""

    text: str
    position: Position


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of the outline; `level` counts from 1."""

    text: str
    position: Position
    level: int = 1


@dataclass(frozen=True, slots=True)
class Synopsis:
    """What a scene or section is about."""

    text: str
    position: Position


@dataclass(frozen=True, slots=True)
class Note:
    """A remark of the writer's to the reader."""

    text: str
    position: Position


@dataclass(frozen=True, slots=True)
class Boneyard:
    """What the writer cut but kept."""

    text: str
    position: Position


@dataclass(frozen=True, slots=True)
class PageBreak:
    """A new page."""

    position: Position


@dataclass(frozen=True, slots=True)
class TitleEntry:
    """An entry of the title page, such as the author; lines of a longer one stay lines."""

    key: str
    text: str
    position: Position


Item: TypeAlias = (
    Dialogue
    | Heading
    | Action
    | Transition
    | Lyric
    | Section
    | Synopsis
    | Note
    | Boneyard
    | PageBreak
    | TitleEntry
)


@dataclass(frozen=True, slots=True)
class SpeakerHint:
    """What a script lets guess of a speaker. gender: "female" or "male"; language: BCP 47."""

    name: str
    gender: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Script:
    """A whole script. `cast_hints` has every speaker once, in the order they first speak."""

    items: tuple[Item, ...]
    format: Format
    cast_hints: tuple[SpeakerHint, ...] = ()

    @property
    def dialogue(self) -> tuple[Dialogue, ...]:
        """What is spoken, in order; may be empty."""
        return tuple(item for item in self.items if isinstance(item, Dialogue))
