"""Plain scripts: `NAME: words`, with (directions) at the start or among the words.

A line right under a speech goes on with it; a blank line ends it. What then stands without a name
is the narrator's. A paragraph wholly in brackets, headings, transitions, rules and notes are kept
but not spoken. A name has up to five words with capitals (or one word without), and may be bold
as in Markdown; `NAME (softly):` and `NAME (V.O.):` are read too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sessions.script import speech
from sessions.script.lines import SourceLine
from sessions.script.marked import Marked
from sessions.script.model import (
    NARRATOR,
    Action,
    Heading,
    Item,
    Note,
    PageBreak,
    Position,
    ScriptError,
    Section,
    TitleEntry,
    Transition,
)
from sessions.script.speech import Cue, Speakers, Speech

_WORD = r"[^\W_][\w.'’/-]*"
_CUE = re.compile(
    rf"\s*(?P<bold>\*\*)?(?P<name>{_WORD}(?:\ +(?:{_WORD}|\#\d+|&))*)"
    r"(?P<remarks>(?:\s*\([^()]*\))*)\s*(?P<inner>\*\*)?"
    r"(?::(?P<outer>\*\*)?(?=\s|$)|：)"
)
_SMALL = re.compile(r"an?|and|at|by|der?|du|für|in|l[ae]|of|on|the|to|van|vo[mn]|with")
_LONGEST = 5
_NAMELESS = re.compile(r"\s*:\s+\S")
_RULE = re.compile(r"-{3,}|\*{3,}|={3,}|_{3,}|—{2,}")
_HEADING = re.compile(
    r"(?:(?:INT|EXT|EST|INT\.?/EXT|I/E)[. ].*|(?:ACT|SCENE|PROLOGUE|EPILOGUE)(?:\b[^a-z]*)?"
    r"|(?:Act|Scene|SCENE|ACT)\s+(?:[0-9]+|[IVXL]+|[Oo]ne|[Tt]wo|[Tt]hree|[Ff]our|[Ff]ive)\b.*)"
)
_SECTION = re.compile(r"(#{1,6})\s+(.*)")
_TRANSITION = re.compile(r"[A-Z][A-Z ]* TO:|FADE (?:IN|OUT)[:.]?|CUT TO BLACK[:.]?")
_KEYED = re.compile(
    r"(?P<key>note|title|author|authors|by|scene|setting|place|time)\s*:\s+(?P<text>.*\S)",
    re.IGNORECASE,
)


def cue(text: str) -> re.Match[str] | None:
    """The start of the line as `NAME:`, if it is one."""
    found = _CUE.match(text)
    if not found or not _is_name(found["name"]):
        return None
    marks = [mark for mark in (found["inner"], found["outer"]) if mark]
    return found if marks == [mark for mark in (found["bold"],) if mark] else None


def is_aside(text: str) -> bool:
    """Whether the line is a heading, a transition or the like, that no one says."""
    kinds = (_RULE, _HEADING, _SECTION, _TRANSITION, _KEYED)
    return any(kind.fullmatch(text.strip()) for kind in kinds)


def _is_name(written: str) -> bool:
    words = written.split()
    if len(words) > _LONGEST or not any(char.isalpha() for char in written):
        return False
    return len(words) == 1 or all(_SMALL.fullmatch(word) or not word[0].islower() for word in words)


class Plain:
    """Reads plain scripts line by line; gives each item once it can't change any more."""

    def __init__(self, position: Callable[[int], Position]) -> None:
        self._position = position
        self._speakers = Speakers()
        self._speech: Speech | None = None
        self._open: Marked | None = None

    def line(self, line: SourceLine) -> Iterator[Item]:
        """Raises ScriptError where the script can't be read."""
        words = line.marked.strip()
        if not words:
            yield from self.end()
        elif self._open is not None:
            self._words(self._open.joined(words, " "))
        elif is_aside(line.text):
            yield from self.end()
            yield _aside(line)
        elif found := cue(line.text):
            yield from self.end()
            self._begin(line, found)
        elif _NAMELESS.match(line.text):
            raise line.error(line.text.index(":"), "a name is missing before the colon")
        elif self._speech is None and _bracketed(words.text):
            yield Action(words.text[1:-1].strip(), self._position(words.at[0]))
        else:
            self._words(words)

    def end(self) -> Iterator[Item]:
        """The script, or the paragraph, is over."""
        if self._open is not None:
            raise self._unclosed(self._open)
        ended, self._speech = self._speech, None
        if ended is None:
            return
        if ended.silent:
            yield self._wordless(ended)
        else:
            yield ended.done()

    def _begin(self, line: SourceLine, found: re.Match[str]) -> None:
        extension, direction, continued = speech.remarks(found["remarks"])
        name = self._speakers.name(found["name"])
        at = line.at(found.start("name"))
        self._speech = Speech(Cue(name, at, extension, direction, continued))
        if words := line.marked[found.end() :].strip():
            self._words(words)

    def _words(self, words: Marked) -> None:
        """Adds words to the speech, or to the narrator's, once brackets at their start close."""
        opened = words.text.startswith("(") and not _closes(words.text)
        self._open = words if opened else None
        if opened:
            if len(words) > speech.LONGEST_DIRECTION:
                raise self._unclosed(words)
            return
        if self._speech is None:
            name = self._speakers.name(NARRATOR)
            self._speech = Speech(Cue(name, self._position(words.at[0])))
        speech.say(self._speech, words)

    def _wordless(self, ended: Speech) -> Item:
        """A direction alone is something done; a name alone is a mistake."""
        if not ended.directions:
            at = ended.cue.position
            raise ScriptError(at.line, at.column, f"{ended.cue.speaker} has nothing to say")
        if ended.cue.speaker == NARRATOR:
            return Action(ended.directions, ended.cue.position)
        return Action(f"{ended.cue.speaker} ({ended.directions})", ended.cue.position)

    def _unclosed(self, words: Marked) -> ScriptError:
        at = self._position(words.at[0])
        return ScriptError(at.line, at.column, "a direction is opened here and never closed")


def _bracketed(text: str) -> bool:
    if text.startswith("[") and text.endswith("]"):
        return "]" not in text[1:-1]
    return text.startswith("(") and text.endswith(")") and ")" not in text[1:-1]


def _closes(text: str) -> bool:
    depth = 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return True
    return False


def _aside(line: SourceLine) -> Item:
    text = line.text.strip()
    at = line.at(len(line.text) - len(line.text.lstrip()))
    if _RULE.fullmatch(text):
        return PageBreak(at)
    if section := _SECTION.fullmatch(text):
        return Section(section[2], at, len(section[1]))
    if _TRANSITION.fullmatch(text):
        return Transition(text, at)
    return _keyed(text, at)


def _keyed(text: str, at: Position) -> Item:
    found = _KEYED.fullmatch(text)
    if found is None:
        return Heading(text, at)
    if found["key"].casefold() == "note":
        return Note(found["text"], at)
    if found["key"].casefold() in ("scene", "setting", "place", "time"):
        return Heading(found["text"], at)
    return TitleEntry(found["key"], found["text"], at)
