"""Puts together what one speaker says, and knows speakers again however they are spelt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sessions.script.marked import Marked, concatenated
from sessions.script.model import Aside, Dialogue, Emphasis, Position

_CONTINUED = re.compile(r"cont(?:['’]?d|inued|inuing)?\.?", re.IGNORECASE)
_EXTENSION = re.compile(
    r"(?:v\.?\s?o|o\.?\s?s|o\.?\s?c|off(?:[ -]?(?:screen|stage|camera))?|voice[ -]?over|filtered"
    r"|pre-?lap|subtitled?|into device|on (?:the )?(?:phone|radio|tv|screen))\.?",
    re.IGNORECASE,
)


class Speakers:
    """The first spelling of each speaker's name stands for all later ones."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def name(self, written: str) -> str:
        spelt = " ".join(written.split())
        return self._known.setdefault(spelt.casefold(), spelt)


@dataclass(frozen=True, slots=True)
class Cue:
    """The line, or the part of one, that names who speaks."""

    speaker: str
    position: Position
    extension: str | None = None
    direction: str | None = None
    continued: bool = False
    dual: bool = False


def remarks(written: str) -> tuple[str | None, str | None, bool]:
    """What stands in brackets after a name, as extension, direction and (CONT'D)."""
    extensions, directions, continued = [], [], False
    for remark in (found.strip() for found in re.findall(r"\(([^()]*)\)", written)):
        if _CONTINUED.fullmatch(remark):
            continued = True
        elif _EXTENSION.fullmatch(remark):
            extensions.append(remark)
        elif remark:
            directions.append(remark)
    return ", ".join(extensions) or None, "; ".join(directions) or None, continued


class Speech:
    """What has been read so far of what a cue's speaker says."""

    def __init__(self, cue: Cue) -> None:
        self.cue = cue
        self._words: list[Marked] = []
        self._length = 0
        self._directions = [cue.direction] if cue.direction else []
        self._asides: list[Aside] = []
        self._emphasis: list[Emphasis] = []
        self._waiting: list[str] = []

    @property
    def silent(self) -> bool:
        """Whether nothing is spoken yet."""
        return not self._words

    @property
    def directions(self) -> str:
        return "; ".join(self._directions)

    def direct(self, direction: str) -> None:
        """A direction for the words that follow."""
        direction = " ".join(direction.split())
        if direction:
            (self._directions if self.silent else self._waiting).append(direction)

    def say(self, words: Marked, emphasis: tuple[Emphasis, ...] = (), by: str = " ") -> None:
        """More words, without blanks around; `by` parts them from those before."""
        if not words:
            return
        if self._words:
            self._words.append(Marked(by, (self._words[-1].at[-1] + 1,)))
            self._length += len(by)
        start = self._length
        self._words.append(words)
        self._length += len(words)
        self._direct_from(start)
        self._emphasis += [
            Emphasis((start + e.span[0], start + e.span[1]), e.style) for e in emphasis
        ]

    def done(self) -> Dialogue:
        """All of it; call it only if it is not `silent`."""
        self._direct_from(self._length)
        words = concatenated(self._words)
        return Dialogue(
            self.cue.speaker,
            words.text,
            self.directions or None,
            self.cue.position,
            dual=self.cue.dual,
            extension=self.cue.extension,
            continued=self.cue.continued,
            asides=tuple(self._asides),
            emphasis=tuple(self._emphasis),
            runs=words.runs(),
        )

    def _direct_from(self, at: int) -> None:
        if self._waiting:
            self._asides.append(Aside(at, "; ".join(self._waiting)))
            self._waiting = []


#: Characters of a direction that goes on over lines; one without an end is a mistake.
LONGEST_DIRECTION = 500
#: Words that people say and that directions hardly have.
_SAID = re.compile(r"\b(?:i|i['’]\w+|you|you['’]\w+|we|we['’]\w+|my|your|our)\b", re.IGNORECASE)
_MOST_WORDS = 6


def is_direction(inner: str) -> bool:
    """Whether what stands in brackets amid spoken words says how, and is not itself said: at most
    six words, the first in small letters, none of them an I, you or we."""
    words = inner.split()
    return (
        0 < len(words) <= _MOST_WORDS
        and not words[0][0].isupper()
        and any(char.isalpha() for char in inner)
        and not _SAID.search(inner)
    )


def pieces(words: Marked, opening: bool) -> Iterator[Marked | str]:
    """Spoken words and, as plain strings, the directions in brackets between them.

    opening: nothing was said before, so that brackets right at the start direct whatever they say.
    """
    kept = 0
    for found in re.finditer(r"\(([^()]*)\)", words.text):
        first = opening and not words.text[kept : found.start()].strip()
        if not (first or is_direction(found.group(1))):
            opening = False
            continue
        opening = first
        yield words[kept : found.start()].strip()
        yield found.group(1)
        kept = found.end()
    yield words[kept:].strip()


def say(speech: Speech, words: Marked) -> None:
    """Adds words with directions in brackets among them."""
    for piece in pieces(words, speech.silent):
        if isinstance(piece, str):
            speech.direct(piece)
        else:
            speech.say(piece.single_spaced())
