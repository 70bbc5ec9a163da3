"""A scene's script as it comes in: its lines with their voices, and what isn't spoken."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, assert_never

from sessions.pauses import NATURAL
from sessions.script import (
    Action,
    Boneyard,
    Dialogue,
    Heading,
    Item,
    Lyric,
    Note,
    PageBreak,
    ScriptError,
    ScriptReader,
    Section,
    Synopsis,
    TitleEntry,
    Transition,
    Wanted,
)
from sessions.store import Aside

PIECE: Final = 20_000
"""Characters read before others have their turn: some 20 ms."""


@dataclass(frozen=True, slots=True)
class Cue:
    """What is to be spoken, and the silence before it."""

    dialogue: Dialogue
    pause_s: float


class SceneReader:
    """Script goes in by `read`, in any pieces; what is certain comes out. A script that is over can
    be gone on with: what comes then begins anew, in the same format."""

    def __init__(self, format: Wanted) -> None:
        self._wanted: Wanted = format
        self._reader = ScriptReader(format)
        self._over = False
        self._script: list[str] = []
        self._heading = False
        self._previous: str | None = None
        self.lines = 0
        """spoken lines so far"""
        self.title = ""
        self.asides: list[Aside] = []
        """all that isn't spoken, so far"""

    @property
    def script(self) -> str:
        """All of it, as written."""
        return "".join(self._script)

    @property
    def format(self) -> str:
        """What it is read as; plain while that is not known."""
        return self._reader.format or "plain"

    async def read(self, script: str, last: bool) -> list[Item]:
        """More of the script. Raises ScriptError, and again whenever it is called after."""
        if self._over:
            self._reader = ScriptReader(self._reader.format or self._wanted)
            self._script.append("\n\n")
        items: list[Item] = []
        for at in range(0, len(script), PIECE):
            items += self._reader.push(script[at : at + PIECE])
            await asyncio.sleep(0)
        while last and (rest := self._reader.end()):
            items += rest
        self._over = last
        self._script.append(script)
        return items

    def cues(self, items: Iterable[Item]) -> list[Cue]:
        """Those of the items that are spoken; the rest is remembered as asides."""
        cues = []
        for item in items:
            if isinstance(item, Dialogue):
                cues.append(self._cue(item))
            else:
                self._aside(item)
        return cues

    def _cue(self, dialogue: Dialogue) -> Cue:
        first = self.lines == 0
        pause = NATURAL.before(dialogue.speaker, self._previous, self._heading)
        self.lines += 1
        self._previous, self._heading = dialogue.speaker, False
        return Cue(dialogue, 0.0 if first else pause)

    def _aside(self, item: Item) -> None:
        self._heading = self._heading or isinstance(item, Heading)
        if isinstance(item, TitleEntry) and item.key.casefold() == "title":
            self.title = " ".join(item.text.split())
        kind, text = _named(item)
        self.asides.append(Aside(kind, text, self.lines))


def _named(item: Item) -> tuple[str, str]:
    """What kind of aside it is, and its text."""
    match item:
        case Heading():
            return "heading", item.text
        case Action():
            return "action", item.text
        case Transition():
            return "transition", item.text
        case Lyric():
            return "lyric", item.text
        case Section():
            return "section", item.text
        case Synopsis():
            return "synopsis", item.text
        case Note():
            return "note", item.text
        case Boneyard():
            return "boneyard", item.text
        case TitleEntry():
            return "title", f"{item.key}: {item.text}"
        case PageBreak():
            return "page", ""
        case Dialogue():
            raise AssertionError("what is spoken is no aside")
        case _:
            assert_never(item)


def nothing_said() -> ScriptError:
    """For a script that is over and has no line."""
    return ScriptError(1, 1, "nothing in it is spoken: write lines such as NAME: words")


def known_voices(speakers: Iterable[str], *casts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Voices that those speakers have already, by the last of the casts that has them."""
    for speaker in dict.fromkeys(speakers):
        for cast in reversed(casts):
            if speaker in cast:
                yield speaker, cast[speaker]
                break
