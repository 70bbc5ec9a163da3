"""Scripts with speaker tags, as speech models are given them: `[S1]`, `<|speaker:0|>` anywhere in
a line, `Speaker 1:` at its start. A speech lasts to the next tag, over lines and blank lines;
(directions) are read as in plain scripts; what stands before the first tag is the narrator's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sessions.script import speech
from sessions.script.lines import SourceLine
from sessions.script.marked import Marked
from sessions.script.model import NARRATOR, Action, Item, Position, ScriptError
from sessions.script.speech import Cue, Speakers, Speech

_TAG = re.compile(
    r"\[(?P<short>S\d{1,4})\]:?"
    r"|<\|(?P<model>speaker:[\w-]{1,40})\|>"
    r"|(?:^\s*|(?<=\])\s*)\[?(?P<long>Speaker [\w-]{1,40})(?P<close>\])?(?(close):?|:)(?=\s|$)",
    re.IGNORECASE,
)
_BROKEN = re.compile(r"\[S\d+(?![\d\]])|<\|(?:[^|>]*\|>|speaker\b)?", re.IGNORECASE)


def has_tag(text: str) -> bool:
    """Whether a line has a speaker's tag."""
    return _TAG.search(text) is not None


class Tags:
    """Reads tagged scripts line by line; gives each item once the next tag is there."""

    def __init__(self, position: Callable[[int], Position]) -> None:
        self._position = position
        self._speakers = Speakers()
        self._speech: Speech | None = None

    def line(self, line: SourceLine) -> Iterator[Item]:
        """Raises ScriptError where the script can't be read."""
        at = 0
        for found in _TAG.finditer(line.text):
            self._words(line, at, found.start())
            yield from self.end()
            name = found["short"] or found["model"] or found["long"]
            place = found.start() + len(found[0]) - len(found[0].lstrip())
            self._speech = Speech(Cue(self._speakers.name(name), line.at(place)))
            at = found.end()
        self._words(line, at, len(line.text))

    def end(self) -> Iterator[Item]:
        """The script, or what the speaker says, is over."""
        ended, self._speech = self._speech, None
        if ended is None:
            return
        if not ended.silent:
            yield ended.done()
        elif ended.directions:
            yield Action(f"{ended.cue.speaker} ({ended.directions})", ended.cue.position)
        else:
            at = ended.cue.position
            raise ScriptError(at.line, at.column, f"{ended.cue.speaker} has nothing to say")

    def _words(self, line: SourceLine, start: int, end: int) -> None:
        words = Marked.of(line.text[start:end], line.offset + start).strip()
        if not words:
            return
        if broken := _BROKEN.search(words.text):
            index = words.at[broken.start()] - line.offset
            raise line.error(
                index, "this is no speaker's tag; such are [S1], Speaker 1: and <|speaker:0|>"
            )
        if self._speech is None:
            self._speech = Speech(Cue(self._speakers.name(NARRATOR), line.at(start)))
        speech.say(self._speech, words)
