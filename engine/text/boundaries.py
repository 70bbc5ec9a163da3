"""Says of one character whether a sentence or a clause may end after it.

Judgements use the text since the last cut and a bounded look ahead, nothing else, so they come out
the same however the text arrived.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from engine.text.abbreviations import LEADING, NUMBERS, STARTERS, TITLES, TRAILING, WORDLIKE
from engine.text.tables import word_set


class Verdict(Enum):
    """WAIT: more text may change the answer. The clauses go from weak to strong."""

    NONE = auto()
    WAIT = auto()
    COMMA = auto()
    CONJUNCTION = auto()
    STRONG = auto()
    SENTENCE = auto()


@dataclass(frozen=True, slots=True)
class Ahead:
    """Text after the character judged. complete: nothing that follows it will be looked at."""

    text: str
    complete: bool

    def first(self) -> str | None:
        """The first visible character, "" where there is none, None while it isn't known."""
        seen = self.text.lstrip()
        return seen[:1] if seen or self.complete else None

    def word(self) -> str | None:
        """The next word without opening marks, None while it isn't known."""
        seen = self.text.lstrip().lstrip(OPENERS)
        match = _WORD.match(seen)
        length = match.end() if match else 0
        return seen[:length] if length < len(seen) or self.complete else None


OPENERS = "\"'“‘«([{*_¿¡"
CLOSERS = "\"'”’»)]}*_"
_QUOTES = frozenset("\"'”’»")
_WORD = re.compile(r"[\w'’]*")
_WIDE_STOPS = frozenset("。！？｡")
_BLOCK = re.compile(r"[ \t]*(?:[-*+•>|#]|\d{1,3}[.)]\s|```|\r?\n)")
_BLOCK_LINE = re.compile(r"[ \t]*(?:#{1,6}\s|[-*+•]\s|\||\d{1,3}[.)]\s|```)")
_CONJUNCTIONS = word_set(
    """and but or so which who whose because while when where if then though although as since
    until unless whereas yet nor after before that however"""
)
_NAME_TAILS = word_set("Jr Sr Inc Ltd LLC Esq II III PhD MD")
_BLOCK_LOOK = 5


def judge(text: str, at: int, ahead: Ahead) -> Verdict:
    """Whether text[: at + 1] may be cut off. text begins at the last cut."""
    mark = text[at]
    if mark in _WIDE_STOPS:
        return _wide(ahead)
    if mark in "—" and not ahead.text[:1].isspace():
        return _dash(ahead)
    if not mark.isspace() or at == 0 or text[at - 1].isspace():
        return Verdict.NONE
    verdict = _stop(text[:at], ahead)
    if verdict is Verdict.NONE and mark in "\r\n":
        verdict = _line_end(text[:at], ahead)
    return _clause(text[:at], ahead) if verdict is Verdict.NONE else verdict


def _wide(ahead: Ahead) -> Verdict:
    if not ahead.text and not ahead.complete:
        return Verdict.WAIT
    follows = ahead.text[:1]
    held = follows in _WIDE_STOPS or follows in "」』”’）" if follows else False
    return Verdict.NONE if held else Verdict.SENTENCE


def _dash(ahead: Ahead) -> Verdict:
    if not ahead.text:
        return Verdict.NONE if ahead.complete else Verdict.WAIT
    return Verdict.STRONG if ahead.text[0].isalnum() else Verdict.NONE


def _line_end(head: str, ahead: Ahead) -> Verdict:
    """A line ends a sentence where a block ends: blank line, list, heading, table, quotation."""
    line = head[head.rfind("\n") + 1 :]
    if _BLOCK_LINE.match(line):
        return Verdict.SENTENCE
    if len(ahead.text) < _BLOCK_LOOK and not ahead.complete:
        return Verdict.WAIT
    return Verdict.SENTENCE if _BLOCK.match(ahead.text) else Verdict.NONE


def _stop(head: str, ahead: Ahead) -> Verdict:
    bare = head.rstrip(CLOSERS)
    closed = head[len(bare) :]
    if bare.endswith(("!", "?")):
        return _unless_lower(ahead) if _QUOTES & set(closed) else Verdict.SENTENCE
    if bare.endswith(("..", "…")):
        return _after_ellipsis(ahead)
    if not bare.endswith("."):
        return Verdict.NONE
    if _QUOTES & set(closed):
        return _unless_lower(ahead)
    return _period(bare, ahead)


def _unless_lower(ahead: Ahead) -> Verdict:
    first = ahead.first()
    if first is None:
        return Verdict.WAIT
    return Verdict.NONE if first.islower() else Verdict.SENTENCE


def _after_ellipsis(ahead: Ahead) -> Verdict:
    word = ahead.word()
    if word is None:
        return Verdict.WAIT
    pronoun = word == "I" or word.startswith(("I'", "I’"))
    return Verdict.SENTENCE if word[:1].isupper() and not pronoun else Verdict.COMMA


def _period(bare: str, ahead: Ahead) -> Verdict:
    words = bare.split()
    core = words[-1][:-1].lstrip(OPENERS)
    if not core:
        return _unless_more_dots(ahead)
    first_word = len(words) == 1 or "\n" in bare[-len(words[-1]) - 2 :]
    if core in TITLES or core in LEADING or (core.isdigit() and len(core) < 4 and first_word):
        return Verdict.NONE
    if core in NUMBERS:
        return _unless_digit(ahead)
    if core in WORDLIKE:
        return _unless_lower_or_digit(ahead)
    if core in TRAILING or _dotted(core) or _initial(core, words):
        return _before_starter(ahead)
    return Verdict.SENTENCE


def _unless_more_dots(ahead: Ahead) -> Verdict:
    first = ahead.first()
    if first is None:
        return Verdict.WAIT
    return Verdict.NONE if first == "." else Verdict.SENTENCE


def _dotted(core: str) -> bool:
    """U.S, a.m, Ph.D: short parts with periods between them."""
    parts = core.split(".")
    return len(parts) > 1 and all(part.isalpha() and len(part) < 3 for part in parts)


def _initial(core: str, words: list[str]) -> bool:
    """A capital by itself, but not the pronoun that ends a sentence."""
    if len(core) != 1 or not core.isalpha():
        return False
    return core != "I" or len(words) < 2 or not words[-2][:1].islower()


def _unless_digit(ahead: Ahead) -> Verdict:
    first = ahead.first()
    if first is None:
        return Verdict.WAIT
    return Verdict.NONE if first.isdigit() else Verdict.SENTENCE


def _unless_lower_or_digit(ahead: Ahead) -> Verdict:
    first = ahead.first()
    if first is None:
        return Verdict.WAIT
    return Verdict.NONE if first.islower() or first.isdigit() else Verdict.SENTENCE


def _before_starter(ahead: Ahead) -> Verdict:
    word = ahead.word()
    if word is None:
        return Verdict.WAIT
    return Verdict.SENTENCE if word.replace("’", "'") in STARTERS else Verdict.NONE


def _clause(head: str, ahead: Ahead) -> Verdict:
    bare = head.rstrip(CLOSERS)
    if bare.endswith((";", ":", "—", "–")):
        return Verdict.STRONG
    if not bare.endswith(","):
        return Verdict.NONE
    word = ahead.word()
    if word is None:
        return Verdict.WAIT
    if word[:1].isdigit() or word in _NAME_TAILS:
        return Verdict.NONE
    return Verdict.CONJUNCTION if word.lower() in _CONJUNCTIONS else Verdict.COMMA
