"""Which format a script is in, by the first line that leaves no doubt.

A speaker's tag means tags; `NAME: words` plain; a cue in capitals with words right under it, or
forced by @, Fountain. Headings, notes and the like only hint at Fountain: they decide if, in as
many lines as are looked at, nothing else does. A script without any sign is plain.
"""

from __future__ import annotations

import re

from sessions.script import elements, plain, tags
from sessions.script.lines import Lines, SourceLine
from sessions.script.model import Format

#: Lines with text that are looked at.
LOOK = 40
_HINT = re.compile(r"\s*(?:/\*|\[\[|~|={1,3}(?:\s|$)|>\s*\S|!\w|\.\w)")


def detect(text: str) -> Format:
    """The format of a whole script."""
    lines, detector = Lines(), Detector()
    for line in [*lines.push(text), *lines.end()]:
        if found := detector.line(line):
            return found
    return detector.end()


class Detector:
    """Fed line by line until it knows."""

    def __init__(self) -> None:
        self._seen = 0
        self._hinted = False
        self._named = 0
        self._may_be_cue = False
        self._after_empty = True

    def line(self, line: SourceLine) -> Format | None:
        """The format, once it is sure."""
        text = line.text.strip()
        if not text:
            self._may_be_cue, self._after_empty = False, True
            return None
        self._seen += 1
        found = self._decisive(text) or self._hint(text)
        if found is None and self._seen >= LOOK:
            return self.end()
        return found

    def end(self) -> Format:
        """The format, if no line has decided it."""
        return "fountain" if self._hinted else "plain"

    def _decisive(self, text: str) -> Format | None:
        if tags.has_tag(text):
            return "tags"
        named = None if plain.is_aside(text) else plain.cue(text)
        if self._title(text):
            return None
        if named:
            self._named += 1
            if not self._hinted or self._named > 1 or named["name"].isupper():
                return "plain"
        return "fountain" if self._may_be_cue and not named else None

    def _hint(self, text: str) -> Format | None:
        """Takes note of what the line suggests."""
        title = self._title(text)
        hint = title or elements.is_heading(text) or elements.is_transition(text)
        self._hinted = self._hinted or hint or _HINT.match(text) is not None
        line = Lines().push(text + "\n")[0]
        item = elements.element(line.marked, line.at(0), True)
        possible = None if item else elements.possible_cue(line.marked, line.at(0))
        self._may_be_cue = self._after_empty and possible is not None and not title
        self._after_empty = item is not None
        return None

    def _title(self, text: str) -> bool:
        return elements.opens_title_page(text) and not self._named
