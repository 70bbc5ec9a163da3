"""Which element of Fountain a single line is, where the line alone says so."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sessions.script import emphasis, speech
from sessions.script.marked import Marked
from sessions.script.model import (
    Action,
    Heading,
    Item,
    Lyric,
    PageBreak,
    Position,
    ScriptError,
    Section,
    Synopsis,
    Transition,
)
from sessions.script.speech import Cue, Speakers

_HEADING = re.compile(r"(?:INT|EXT|EST|INT\.?/EXT|EXT\.?/INT|I\.?/E)[. ]", re.IGNORECASE)
_FORCED_HEADING = re.compile(r"\.(?=\w)")
_NUMBER = re.compile(r"\s*#([\w.-]+)#$")
_SECTION = re.compile(r"(#+)\s*(.*)")
_TITLE_KEY = re.compile(r"(?P<key>[A-Za-z][A-Za-z ]*):\s*(?P<text>.*)")
_CUE = re.compile(r"(?P<name>[^(^]+)(?P<remarks>(?:\([^()]*\)\s*)*)(?P<dual>\^)?")
_TITLE_KEYS = re.compile(
    r"title|credit|authors?|writers?|source|notes|(?:draft )?date|draft|contact|copyright|revision"
    r"|version|language|format|font|series|season|episode",
    re.IGNORECASE,
)


def title_key(text: str) -> re.Match[str] | None:
    """The line as an entry of a title page."""
    return _TITLE_KEY.fullmatch(text.strip())


def opens_title_page(text: str) -> bool:
    """Whether a script that begins with this line begins with a title page."""
    found = title_key(text)
    return found is not None and _TITLE_KEYS.fullmatch(found["key"].strip()) is not None


def is_heading(text: str) -> bool:
    return _HEADING.match(text) is not None or _FORCED_HEADING.match(text) is not None


def is_transition(text: str) -> bool:
    return text.isupper() and text.endswith("TO:")


def is_page_break(text: str) -> bool:
    return len(text) >= 3 and not text.strip("=")


def element(line: Marked, at: Position, after_empty: bool) -> Item | None:
    """The line (without blanks around) as an element of its own, None if it is part of action, or
    may be a cue. after_empty: nothing stands right above it."""
    text = line.text
    if text.startswith("!"):
        return None
    if is_page_break(text):
        return PageBreak(at)
    if text.startswith("="):
        return Synopsis(_plain(line[1:]), at)
    if section := _SECTION.fullmatch(text):
        return Section(_plain(line[len(section[1]) :]), at, len(section[1]))
    if text.startswith("~"):
        return Lyric(_plain(line[1:]), at)
    if text.startswith(">"):
        if text.endswith("<") and len(text) > 1:
            return Action(_plain(line[1:-1]), at, centered=True)
        return Transition(_plain(line[1:]), at)
    if not after_empty:
        return None
    return _transition_or_heading(line, at)


def _transition_or_heading(line: Marked, at: Position) -> Item | None:
    if is_transition(line.text):
        return Transition(line.text, at)
    if not is_heading(line.text):
        return None
    number = _NUMBER.search(line.text)
    words = line[: number.start()] if number else line
    words = words[1:] if _FORCED_HEADING.match(line.text) else words
    return Heading(_plain(words), at, number[1] if number else None)


def _plain(words: Marked) -> str:
    return emphasis.plain(words.strip())[0].text


@dataclass(frozen=True, slots=True)
class PossibleCue:
    """A line that names a speaker if words follow right under it. forced: or else is wrong."""

    line: Marked
    at: Position
    forced: bool


def possible_cue(line: Marked, at: Position) -> PossibleCue | None:
    """The line (without blanks around) as a cue: forced by @, or all in capitals."""
    text = line.text
    if text.startswith("@"):
        return PossibleCue(line, at, forced=True)
    name = text.split("(")[0].rstrip(" ^")
    if not name.isupper() or text.endswith(":") or text[0] in "!([":
        return None
    if _CUE.fullmatch(text) is None and text.count("(") <= text.count(")"):
        return None
    return PossibleCue(line, at, forced=False)


def cue(possible: PossibleCue, speakers: Speakers) -> Cue:
    """Who speaks. Raises ScriptError if the name is missing or brackets after it are not right."""
    text = possible.line.text.removeprefix("@")
    shift = len(possible.line.text) - len(text) + possible.at.column
    found = _CUE.fullmatch(text)
    if found is None or not found["name"].strip():
        bracket = re.search(r"[(^]", text)
        column = shift + (bracket.start() if bracket else 0)
        what = "what follows the name is not right: expected NAME (V.O.) ^"
        missing = not text.split("(")[0].strip(" ^")
        raise ScriptError(
            possible.at.line, column, "a speaker's name is missing here" if missing else what
        )
    extension, direction, continued = speech.remarks(found["remarks"])
    at = Position(possible.at.line, shift)
    name = speakers.name(found["name"])
    return Cue(name, at, extension, direction, continued, found["dual"] is not None)
