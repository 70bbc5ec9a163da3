"""Fountain scripts (fountain.io/syntax), read line by line.

Our own reader, since those on PyPI take whole texts only, give no columns and no way back from a
speech without its marks to the script (fountain-py, the best kept of them, checks ours in tests).

Where Fountain leaves room: a cue may stand right under a heading; a name's first spelling stands
for all later ones; a cue with a parenthetical alone is something done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias, assert_never

from sessions.script import elements, emphasis
from sessions.script.comments import Comments, is_empty
from sessions.script.elements import PossibleCue
from sessions.script.lines import SourceLine
from sessions.script.marked import Marked
from sessions.script.model import (
    Action,
    Boneyard,
    Item,
    Note,
    Position,
    ScriptError,
    TitleEntry,
)
from sessions.script.speech import LONGEST_DIRECTION, Speakers, Speech


@dataclass(frozen=True, slots=True)
class _Talk:
    """A speech under way. opened: a parenthetical that has not closed yet. gap: a kept empty line
    came since the last words."""

    speech: Speech
    opened: Marked | None = None
    gap: bool = False


_Block: TypeAlias = TitleEntry | PossibleCue | Action | _Talk


class Fountain:
    """Reads Fountain line by line; gives each item once it can't change any more."""

    def __init__(self, position: Callable[[int], Position]) -> None:
        self._position = position
        self._comments = Comments(position)
        self._speakers = Speakers()
        self._block: _Block | None = None
        self._held: list[Note | Boneyard] = []
        self._begun = False
        self._in_title_page = False
        self._after_empty = True
        self._spoken = False

    def line(self, line: SourceLine) -> Iterator[Item]:
        """Raises ScriptError where the script can't be read."""
        cleaned = self._comments.line(line)
        self._held += cleaned.comments
        if cleaned.words is not None:
            yield from self._line(cleaned.words)
        if self._block is None:
            yield from self._let_go()

    def end(self) -> Iterator[Item]:
        """The script is over."""
        self._comments.end()
        yield from self._close()

    def _line(self, words: Marked) -> Iterator[Item]:
        if not self._begun and words.text.strip():
            self._begun = True
            self._in_title_page = elements.opens_title_page(words.text)
        if is_empty(words.text):
            yield from self._close()
            self._after_empty, self._in_title_page = True, False
        elif self._in_title_page:
            yield from self._title(words)
        elif isinstance(self._block, _Talk):
            self._block = self._talk(self._block, words)
        elif isinstance(self._block, PossibleCue):
            self._block = self._talk(self._begin(self._block), words)
        else:
            yield from self._element(words)

    def _title(self, words: Marked) -> Iterator[Item]:
        """An entry begins at the margin with a key; all else goes on with the last one."""
        found = None if words.text[0].isspace() else elements.title_key(words.text)
        if found:
            yield from self._close()
            text, at = found["text"], self._position(words.at[0])
            self._block = TitleEntry(found["key"].strip(), text, at)
        elif isinstance(self._block, TitleEntry):
            text = "\n".join(filter(None, (self._block.text, words.text.strip())))
            self._block = replace(self._block, text=text)

    def _element(self, words: Marked) -> Iterator[Item]:
        line = words.strip()
        at = self._position((line or words).at[0])
        item = elements.element(line, at, self._after_empty) if line else None
        if item is not None:
            yield from self._close()
            self._after_empty = True
            yield item
            return
        if line and self._after_empty and (possible := elements.possible_cue(line, at)):
            self._block = possible
        else:
            self._action(words, at)
        self._after_empty = False

    def _action(self, words: Marked, at: Position) -> None:
        text = emphasis.plain(words.single_spaced())[0].text.rstrip()
        text = text.strip().removeprefix("!") if text.lstrip().startswith("!") else text
        if isinstance(self._block, Action):
            self._block = replace(self._block, text=f"{self._block.text}\n{text}")
        elif text.strip():
            self._block = Action(text.strip(), at)

    def _begin(self, possible: PossibleCue) -> _Talk:
        cue = elements.cue(possible, self._speakers)
        if cue.dual and not self._spoken:
            column = possible.at.column + possible.line.text.rindex("^")
            what = "no one speaks before this, with whom it could be said at once"
            raise ScriptError(possible.at.line, column, what)
        return _Talk(Speech(cue))

    def _talk(self, talk: _Talk, words: Marked) -> _Talk:
        line = words.strip()
        if talk.opened is not None:
            line = talk.opened.joined(line, " ")
        elif not line:
            return replace(talk, gap=True)
        if line.text.startswith("("):
            if ")" not in line.text:
                if len(line) > LONGEST_DIRECTION:
                    raise self._unclosed(line)
                return replace(talk, opened=line)
            return self._parenthetical(replace(talk, opened=None), line)
        line = line[1:].strip() if line.text.startswith("~") else line
        said, marked = emphasis.plain(line.single_spaced())
        talk.speech.say(said, marked, "\n" if talk.gap else " ")
        return replace(talk, gap=False)

    def _parenthetical(self, talk: _Talk, line: Marked) -> _Talk:
        """A direction, and what words follow it in its line."""
        end = line.text.index(")")
        talk.speech.direct(emphasis.plain(line[1:end])[0].text)
        return self._talk(talk, line[end + 1 :]) if line[end + 1 :].strip() else talk

    def _close(self) -> Iterator[Item]:
        """The block under way is over; notes within it come after it."""
        item = self._ended()
        if item is not None:
            before = [held for held in self._held if held.position < item.position]
            self._held = self._held[len(before) :]
            yield from before
            yield item
        yield from self._let_go()

    def _ended(self) -> Item | None:
        """What the block under way has become."""
        block, self._block = self._block, None
        match block:
            case _Talk():
                return self._spoken_or_done(block)
            case PossibleCue():
                return self._unspoken(block)
            case TitleEntry() | Action() | None:
                return block
            case _:
                assert_never(block)

    def _let_go(self) -> Iterator[Item]:
        held, self._held = self._held, []
        yield from held

    def _spoken_or_done(self, talk: _Talk) -> Item:
        if talk.opened is not None:
            raise self._unclosed(talk.opened)
        if talk.speech.silent:
            cue = talk.speech.cue
            return Action(f"{cue.speaker} ({talk.speech.directions})", cue.position)
        self._spoken = True
        return talk.speech.done()

    def _unclosed(self, line: Marked) -> ScriptError:
        at = self._position(line.at[0])
        return ScriptError(at.line, at.column, "a direction is opened here and never closed")

    def _unspoken(self, possible: PossibleCue) -> Item:
        if possible.forced:
            at = possible.at
            name = possible.line.text[1:].strip() or "no one"
            raise ScriptError(at.line, at.column, f"{name} is to speak, but no words follow")
        return Action(emphasis.plain(possible.line)[0].text, possible.at)
