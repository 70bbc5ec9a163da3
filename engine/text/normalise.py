"""Turns text as people write it into words as people say them, each traced to what was written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace

from engine.text.money import after_number, money
from engine.text.names import address, listed, mixed, pieces, shouted
from engine.text.quantities import arithmetic, decade, measure, number, span
from engine.text.reading import Reader, Reading
from engine.text.times import clock, clock_span, date, telephone, version
from engine.text.tokens import Spot, Token, tokenise
from engine.text.visible import Visible, visible
from engine.text.words import abbreviation, letters, numeral, plain


@dataclass(frozen=True, slots=True)
class SpokenWord:
    """A word as a person sees it and as it is said.

    written: as in the text. spoken: plain words with single spaces, never empty. span: [from, to)
    of `written` in the text. before, after: the marks around it that shape the tune, each one of
    “ ” ( ) , . ; : ? ! — …; never white space. letters: capitals that stand alone in `spoken` are
    names of letters, rather than the words "I" and "A".
    """

    written: str
    spoken: str
    span: tuple[int, int]
    before: str = ""
    after: str = ""
    letters: bool = False


@dataclass(frozen=True, slots=True)
class Unread:
    """A word in a script that has no reading here. script: by Unicode's name, as "CYRILLIC"."""

    written: str
    span: tuple[int, int]
    script: str


@dataclass(frozen=True, slots=True)
class Normalised:
    """Words to say and words that can't be said, each in the order of the text."""

    words: tuple[SpokenWord, ...]
    unread: tuple[Unread, ...]

    @property
    def spoken(self) -> str:
        """All that is said, without marks."""
        return " ".join(word.spoken for word in self.words)


# The first that has a reading is right; the narrow ones come first.
_READERS: tuple[Reader, ...] = (
    listed,
    telephone,
    clock,
    clock_span,
    date,
    version,
    money,
    decade,
    after_number,
    measure,
    number,
    span,
    arithmetic,
    address,
    abbreviation,
    numeral,
    letters,
    shouted,
    mixed,
    plain,
    pieces,
)
_FOREIGN = re.compile(r"[^\W\d_]+(?:['’·\-]?[^\W\d_])*")
_MARKS = str.maketrans({"–": "—", "[": "(", "]": ")", "{": "(", "}": ")", "«": "“", "»": "”"})
_KEPT = frozenset("“”(),.;:?!—…")


def normalise(text: str) -> Normalised:
    """Of one segment. Never raises; markup, emoji and stray marks are silent."""
    seen = visible(text)
    readable, unread = _split_scripts(text, seen)
    tokens = tokenise(readable)
    words = (_word(text, seen, Spot(tokens, at)) for at in range(len(tokens)))
    return Normalised(tuple(word for word in words if word), tuple(unread))


def _split_scripts(text: str, seen: Visible) -> tuple[str, list[Unread]]:
    """Blanks what can't be read out of the visible text, keeping its length."""
    unread: list[Unread] = []
    readable = seen.text
    for start, end in _foreign(seen.text):
        span = seen.span(start, end)
        written = text[span[0] : span[1]]
        unread.append(Unread(written, span, _script(seen.text[start])))
        readable = readable[:start] + " " * (end - start) + readable[end:]
    return readable, unread


def _foreign(text: str) -> Iterator[tuple[int, int]]:
    if text.isascii():
        return
    at = 0
    while at < len(text):
        end = at
        while end < len(text) and _unreadable(text[end], inside=end > at):
            end += 1
        if end > at and not (end - at == 1 and _script(text[at]) == "GREEK"):
            yield at, end
        at = max(end, at + 1)


def _unreadable(char: str, inside: bool) -> bool:
    """Letters outside Latin, and the marks within their words."""
    if char.isascii():
        return False
    category = unicodedata.category(char)
    if category[0] == "M":
        return inside
    if category in {"Nl", "No"} or not char.isalpha():
        return False
    return _script(char) not in {
        "LATIN",
        "MICRO",
        "FEMININE",
        "MASCULINE",
        "MODIFIER",
        "SUPERSCRIPT",
    }


def _script(char: str) -> str:
    return unicodedata.name(char, "UNKNOWN").split()[0].split("-")[0]


def _word(text: str, seen: Visible, spot: Spot) -> SpokenWord | None:
    token = spot.tokens[spot.at]
    reading = _read(spot)
    if not reading.spoken:
        return None
    end = token.end
    tail = token.tail
    if reading.dot and tail.startswith("."):
        end += 1
        tail = tail if spot.last else tail[1:]
    span = seen.span(token.start, end)
    after = _after(tail) or _line_pause(seen, token, spot)
    return SpokenWord(
        text[span[0] : span[1]], reading.spoken, span, _before(token.lead), after, reading.letters
    )


def _read(spot: Spot) -> Reading:
    for reader in _READERS:
        reading = reader(spot)
        if reading is not None:
            return replace(reading, spoken=" ".join(reading.spoken.split()))
    return Reading("")


def _before(lead: str) -> str:
    opened = lead.translate(_MARKS).replace('"', "“").replace("„", "“")
    return "".join(mark for mark in opened if mark in "“(")


def _after(tail: str) -> str:
    closed = re.sub(r"\.{2,}", "…", re.sub(r"--+", "—", tail)).translate(_MARKS).replace('"', "”")
    marks = (mark for mark in closed if mark in _KEPT and mark != "“")
    return re.sub(r"(.)\1+", r"\1", "".join(marks))


def _line_pause(seen: Visible, token: Token, spot: Spot) -> str:
    """A line that ends without a mark, where the next begins like a new one, is a short rest."""
    if spot.last or not spot.after[:1].isupper():
        return ""
    return "," if "\n" in seen.text[token.end : spot.near(1).start] else ""
