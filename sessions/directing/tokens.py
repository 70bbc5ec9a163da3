"""A direction as words, numbers, quotations and marks, each with its place in what was written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from sessions.directing.forms import folded

Kind = Literal["word", "number", "quote", "mark"]

_TOKEN = re.compile(
    r"""
    (?P<quote> "[^"\n]{1,200}" | “[^”\n]{1,200}[”"] | «[^»\n]{1,200}»
      | (?<!\w)‘[^\n]{1,200}?’(?!\w) | (?<!\w)'(?=\S)[^\n]{1,200}?(?<=\S)'(?!\w) )
    | (?P<number> (?:(?<![\w.])[-+−])? (?: \d+(?:[.,]\d+)? | \.\d+ ) )
    | (?P<word> [^\W\d_]+(?:['’ʼ][^\W\d_]+)* )
    | (?P<mark> [,;:.!?\n—–()&%/] )
    """,
    re.VERBOSE,
)
_QUOTES = "\"“”«»‘’'"


@dataclass(frozen=True, slots=True)
class Token:
    """text: folded; a quotation without its marks. span: [from, to) of the direction."""

    kind: Kind
    text: str
    span: tuple[int, int]


def tokenised(direction: str) -> tuple[Token, ...]:
    """Everything but blanks and signs that say nothing; hyphens part words."""
    return tuple(_token(match) for match in _TOKEN.finditer(direction))


def _token(match: re.Match[str]) -> Token:
    written = match.group()
    if match["quote"]:
        return Token("quote", folded(written.strip(_QUOTES)).strip(), match.span())
    if match["number"]:
        return Token("number", written.replace(",", ".").replace("−", "-"), match.span())
    kind: Kind = "word" if match["word"] else "mark"
    return Token(kind, folded(written), match.span())


def words_of(phrase: str) -> tuple[str, ...]:
    """A phrase of the vocabulary as the words it is matched by."""
    return tuple(token.text for token in tokenised(phrase))
