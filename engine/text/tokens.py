"""Visible text cut into the words a person sees, each with the marks around it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.text.tables import word_set

_ELISIONS = word_set(
    "'em 'cause 'til 'bout 'n 'round 'cuz ’em ’cause ’til ’bout ’n ’round ’cuz 'tis 'twas"
)
_LEAD = re.compile(r"[\"“”„«‹(\[{¿¡‘’'<,;!?]+")
_TAIL = re.compile(r"[.,;:!?…\"”“»›)\]}’'>—–]+$")
_DECADE = re.compile(r"['’‘]\d0s")
_FEET = re.compile(r"\d+['’′]\d*[\"”″]?")
_ADDRESS = re.compile(r"://|@\w|^www\.|\w\.\w+/", re.IGNORECASE)
_INNER = re.compile(
    r"—|--+|(?<=[^\W\d])–(?=[^\W\d])|\.{2,}|…"
    r"|(?<=[^\W\d]),(?=[^\W\d])|(?<=[^\W\d])[!?;:](?=[^\W\d])|(?<=[a-z]{2})\.(?=[A-Z][a-z])"
)
_ALONE = frozenset("+=<>&×÷−≈≤≥≠→~±*/@%#°§-–©√∞$€£¥₹₩") | {"!=", ">=", "<=", "==", "->", "=>"}


@dataclass(frozen=True, slots=True)
class Token:
    """core: the word, at [start, end) of the visible text. lead, tail: marks before and after."""

    core: str
    start: int
    end: int
    lead: str = ""
    tail: str = ""


@dataclass(frozen=True, slots=True)
class Spot:
    """A token and those around it; beyond either end everything is empty."""

    tokens: Sequence[Token]
    at: int

    def near(self, step: int) -> Token:
        at = self.at + step
        return self.tokens[at] if 0 <= at < len(self.tokens) else _NOTHING

    @property
    def core(self) -> str:
        return self.tokens[self.at].core

    @property
    def tail(self) -> str:
        return self.tokens[self.at].tail

    @property
    def before(self) -> str:
        return self.near(-1).core

    @property
    def after(self) -> str:
        return self.near(1).core

    @property
    def last(self) -> bool:
        return self.at + 1 == len(self.tokens)


_NOTHING = Token("", 0, 0)


def tokenise(text: str) -> tuple[Token, ...]:
    """Marks that stand alone go to the tail of the word before; at the very start, away."""
    tokens: list[Token] = []
    for start, end in _chunks(text):
        token = _token(text, start, end)
        if token.core:
            tokens.append(token)
        elif tokens:
            last = tokens[-1]
            tokens[-1] = Token(last.core, last.start, last.end, last.lead, last.tail + token.tail)
    return tuple(tokens)


def _chunks(text: str) -> Iterator[tuple[int, int]]:
    for match in re.finditer(r"[$€£¥₹₩] (?=\d)\S+|\S+", text):
        at = match.start()
        if not _ADDRESS.search(match.group()):
            for inner in _INNER.finditer(text, match.start(), match.end()):
                yield at, inner.end()
                at = inner.end()
        if at < match.end():
            yield at, match.end()


def _token(text: str, start: int, end: int) -> Token:
    chunk = text[start:end]
    if _FEET.fullmatch(chunk) or chunk in _ALONE:
        return Token(chunk, start, end)
    lead = _lead(chunk)
    bare = chunk[lead:]
    tail = len(bare) if not any(map(_sounds, bare)) else _tail(bare)
    if chunk[:lead].endswith("<") and not bare[-tail:].startswith(">"):
        lead -= 1
    core = chunk[lead : len(chunk) - tail]
    return Token(core, start + lead, end - tail, chunk[:lead], chunk[len(chunk) - tail :])


def _sounds(char: str) -> bool:
    return char.isalnum() or char in "+=&%@#×÷→°§©√∞$€£¥₹₩"


def _lead(chunk: str) -> int:
    match = _LEAD.match(chunk)
    length = match.end() if match else 0
    kept = chunk[max(length - 1, 0) :]
    if length and (_DECADE.match(kept) or kept.lower().rstrip(".,!?'’\"”") in _ELISIONS):
        return length - 1
    return length


def _tail(bare: str) -> int:
    feet = re.match(r"\d+['’′]\d+[\"”″]?", bare)
    match = _TAIL.search(bare, feet.end() if feet else 0)
    return len(match.group()) if match else 0
