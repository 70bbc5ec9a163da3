"""Inline tags in a line's text: `[whisper] … [/whisper]`, `[angry]` until the next, `[pause 0.5]`.

Sans-IO: push text as it comes, in any chunks; what comes out, joined, is the same. A tag becomes
blanks, so that every offset into the text stays what it was, and is never read aloud. Brackets that
are no tags (`[1]`, `[sic]`, `array[0]`, `[text](url)`) stay text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import assert_never

from engine.types import Levers, Part, Pause, Performance
from sessions.directing.instructions import Force
from sessions.directing.levers import levers_of, moved
from sessions.directing.vocabulary import vocabulary
from sessions.tag_words import (
    Ends,
    Named,
    Pauses,
    Silences,
    TagMeaning,
    Unable,
    abilities,
    meaning_of,
)

_DEEPEST = 16  # tags that are remembered as open
_LONGEST_TAG = 40  # characters between the brackets
_LONGEST_STRESS = 80  # characters looked ahead for [/emphasis]
_LONGEST_CLOSING = 20  # of them, for that tag itself
_STRESS = "emphasis"
_ENDS_STRESS = ".!?…;\n["


@dataclass(frozen=True, slots=True)
class UnableTag:
    """A tag for what this voice can't do. at: its first character in the whole text."""

    tag: str
    at: int

    @property
    def message(self) -> str:
        return f"this voice can't do [{self.tag}]; it can do: {', '.join(abilities())}"


@dataclass(frozen=True, slots=True)
class Tagged:
    """What a piece of text came to.

    text: as long as the text that it was made from, tags blanked. parts, pauses: at characters of
    the whole text, counted from the first push; a part is cut where the pieces are (`joined`).
    """

    text: str
    parts: tuple[Part, ...] = ()
    pauses: tuple[Pause, ...] = ()
    unknown: tuple[UnableTag, ...] = ()


def joined(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Parts that touch and are alike made one."""
    out: list[Part] = []
    for part in parts:
        if out and out[-1].span[1] == part.span[0] and out[-1].levers == part.levers:
            out[-1] = Part((out[-1].span[0], part.span[1]), part.levers)
        else:
            out.append(part)
    return tuple(out)


@dataclass(frozen=True, slots=True)
class _Held:
    """A tag that holds, and what it makes of the levers."""

    name: str
    levers: Levers


class TagReader:
    """Reads one line's text. At most a tag, or a stressed phrase, is held back undecided.

    A tag holds until the next, or until it is closed, when what it followed holds again; tags with
    no words between them hold together. `[emphasis]` holds for one word unless it is closed.
    """

    def __init__(self, base: Performance | None = None) -> None:
        self._base = levers_of(base or Performance())
        self._waiting = ""
        self._at = 0  # in the whole text, of what isn't decided
        self._head = 0  # characters of it that are decided
        self._open: list[_Held] = []  # the last of them holds
        self._spoken = False  # since the last tag that holds
        self._stress: float | None = None  # of the text right behind an [emphasis]
        self._closes = False  # the stress is ended by its own tag
        self._in_word = False

    def push(self, text: str) -> Tagged:
        """More of the text; the answer is as long as what could be decided by now."""
        self._waiting += text
        return self._drained(last=False)

    def end(self) -> Tagged:
        """No more text; the answer holds the rest of it."""
        return self._drained(last=True)

    def _drained(self, last: bool) -> Tagged:
        out = _Gathered()
        while self._head < len(self._waiting):
            taken = self._next(out, last)
            if not taken:
                break
            self._head += taken
            self._at += taken
        self._waiting, self._head = self._waiting[self._head :], 0
        return out.tagged()

    def _next(self, out: _Gathered, last: bool) -> int:
        """Decides on the head of what waits; 0 if more must come first."""
        if self._waiting[self._head] != "[":
            return self._say(out)
        ahead = self._ahead(_LONGEST_TAG + _LONGEST_STRESS)
        close = _close(ahead)
        if close == _OPEN and not last:
            return 0
        if close < 0:
            return self._letter(out)
        if close + 1 == len(ahead) and not last:
            return 0  # it may be a link's text: the next character tells
        linked = ahead[close + 1 : close + 2] == "("
        meaning = None if linked else meaning_of(ahead[1:close])
        if meaning is None:
            return self._letter(out)
        if not last and not _ready(meaning, ahead[close + 1 :]):
            return 0
        self._obey(meaning, out, ahead[: close + 1], ahead[close + 1 :])
        out.text.append(" " * (close + 1))
        return close + 1

    def _ahead(self, length: int) -> str:
        return self._waiting[self._head : self._head + length]

    def _obey(self, meaning: TagMeaning, out: _Gathered, tag: str, behind: str) -> None:
        match meaning:
            case Pauses(seconds):
                out.pauses.append(Pause(self._at + len(tag), seconds))
            case Unable(name):
                out.unknown.append(UnableTag(name, self._at))
            case Silences():
                self._open, self._stress = [], None
            case Ends(name):
                self._ended(name)
            case Named(name, strength) if name == _STRESS:
                self._stress, self._in_word = strength, False
                self._closes = _is_closed(behind)
            case Named(name, strength):
                self._begun(name, strength)
            case _:
                assert_never(meaning)

    def _begun(self, name: str, strength: float) -> None:
        """On top of the last tag if nothing was said since; else from the line's own levers."""
        together = self._open and not self._spoken
        under = self._open[-1].levers if together else self._base
        levers = moved(under, vocabulary().concepts[name], Force(strength))
        self._open = [*self._open, _Held(name, levers)][-_DEEPEST:]
        self._spoken = False

    def _ended(self, name: str) -> None:
        """What held before the tag holds again; one that isn't open is passed over."""
        if name == _STRESS:
            self._stress = None
            return
        found = [index for index, held in enumerate(self._open) if held.name == name]
        if found:
            self._open = self._open[: found[-1]]
            self._spoken = True

    def _letter(self, out: _Gathered) -> int:
        """A bracket that is no tag, as text."""
        self._put(out, "[")
        return 1

    def _say(self, out: _Gathered) -> int:
        """Text up to the next bracket, or to where the stress ends."""
        end = self._waiting.find("[", self._head)
        text = self._waiting[self._head : end if end >= 0 else None]
        if self._stress is not None and not self._closes:
            text = text[: self._stressed(text)]
        self._put(out, text)
        return len(text)

    def _stressed(self, text: str) -> int:
        """How much of the text is said the same way: blanks, a word, and what is behind it."""
        for index, letter in enumerate(text):
            if self._in_word and letter.isspace():
                if index:
                    return index
                self._stress, self._in_word = None, False
                return len(text)
            self._in_word = self._in_word or not letter.isspace()
        return len(text)

    def _put(self, out: _Gathered, text: str) -> None:
        self._spoken = self._spoken or not text.isspace()
        out.text.append(text)
        levers = self._levers()
        if levers != self._base and text:
            out.parts.append(Part((self._at, self._at + len(text)), levers))

    def _levers(self) -> Levers:
        levers = self._open[-1].levers if self._open else self._base
        if self._stress is None:
            return levers
        bound = vocabulary().levers["emphasis"]
        return replace(levers, emphasis=bound.held(levers.emphasis + self._stress))


_NEVER, _OPEN = -1, -2


def _close(ahead: str) -> int:
    """Where the bracket at the head closes; _OPEN if it still may, _NEVER if it won't."""
    for index, letter in enumerate(ahead[1 : _LONGEST_TAG + 2], start=1):
        if letter == "]":
            return index
        if letter in "[\n":
            return _NEVER
    return _OPEN if len(ahead) <= _LONGEST_TAG + 1 else _NEVER


def _ready(meaning: TagMeaning, behind: str) -> bool:
    """Whether enough text is there to know how far a stress reaches."""
    if not isinstance(meaning, Named) or meaning.concept != _STRESS:
        return True
    if len(behind) >= _LONGEST_STRESS - 1:
        return True
    end = next((i for i, letter in enumerate(behind) if letter in _ENDS_STRESS), -1)
    return end >= 0 and (behind[end] != "[" or "]" in behind[end:])


def _is_closed(behind: str) -> bool:
    """Whether a stress has its own closing tag, before the sentence ends."""
    for index, letter in enumerate(behind[: _LONGEST_STRESS - _LONGEST_CLOSING]):
        if letter == "[":
            inside, found, _ = behind[index + 1 :].partition("]")
            ends = meaning_of(inside) if found else None
            return isinstance(ends, Ends) and ends.concept == _STRESS
        if letter in _ENDS_STRESS:
            return False
    return False


class _Gathered:
    """What one push came to, while it is read."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.parts: list[Part] = []
        self.pauses: list[Pause] = []
        self.unknown: list[UnableTag] = []

    def tagged(self) -> Tagged:
        text, parts = "".join(self.text), joined(self.parts)
        return Tagged(text, parts, tuple(self.pauses), tuple(self.unknown))


def read_tags(text: str, base: Performance | None = None) -> Tagged:
    """A whole text at once."""
    reader = TagReader(base)
    first, rest = reader.push(text), reader.end()
    return Tagged(
        first.text + rest.text,
        joined((*first.parts, *rest.parts)),
        (*first.pauses, *rest.pauses),
        (*first.unknown, *rest.unknown),
    )
