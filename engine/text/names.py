"""Reads addresses, file names, acronyms and mixtures of letters, digits and signs."""

from __future__ import annotations

import re

from engine.text.acronyms import COMMON, ENDINGS, READ_AS, SAID, SPELLED
from engine.text.numbers import code, digits, ordinal
from engine.text.quantities import decade_words
from engine.text.reading import Reading
from engine.text.tables import pairs
from engine.text.tokens import Spot

_WEB = re.compile(r"(?:https?|ftp|wss?)://(?P<rest>\S+)", re.IGNORECASE)
_MAIL = re.compile(r"(?:mailto:)?[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.IGNORECASE)
_HOST = re.compile(r"(?:[\w-]+\.)+(?P<ending>[A-Za-z]\w{1,4})(?P<path>[/?:]\S*)?")
_HANDLE = re.compile(r"(?P<mark>[@#])(?P<name>[^\W\d]\w*)")
_POINT_NAME = re.compile(r"(?P<head>[A-Za-z]\w*)?\.(?P<tail>NET|js|JS|io|ai|NeT)")
_PIECE = re.compile(
    r"(?:[A-Za-z]\.){2,}|\d{1,3}0s(?![^\W\d_])|\d+(?:st|nd|rd|th)(?![^\W\d_])|\d+(?:[.,]\d+)*|[A-Z]+(?![a-zß-ÿ'’])(?:s(?![a-z]))?|[A-Z]?[^\W\dA-Z_]+(?:['’][^\W\d_]+)*"
    r"|[^\W\d_]+(?:['’][^\W\d_]+)*|.",
    re.DOTALL,
)
_CAMEL = re.compile(r"\d+|[A-Z]+(?![a-zß-ÿ])|[^\W\d_]?[^\W\dA-Z_]+|[^\W_]")
_CAPITALS = re.compile(r"(?P<base>[A-ZÀ-ÖØ-Þ]{2,})(?P<suffix>(?:['’]?s)?)")
_HAS_CAPITALS = re.compile(r"(?<![^\W\d_])[A-Z]{2,}(?![a-z])|(?:^|[-/])[A-Z](?:[-/]|$)")
_WIRELESS = re.compile(r"802\.(?P<part>\d+)(?P<letters>[a-z]{0,2})")
_ADDRESS_SIGNS = pairs(
    """.=dot; /=slash; -=dash; _=underscore; :=colon; ?=question mark; &=and; #=hash
    @=at; %=percent; ~=tilde; +=plus; \\=backslash; ,=comma"""
) | {"=": "equals"}
_SIGNS = pairs(
    """&=and; +=plus; @=at; %=percent; /=slash; \\=backslash; .=dot; #=hash; °=degrees; ×=times
    ²=squared; ³=cubed; ½=one half; ¼=one quarter; ¾=three quarters; ⅓=one third
    ⅔=two thirds; ⅛=one eighth; ⅜=three eighths; ⅝=five eighths; ⅞=seven eighths; ©=copyright;
    ≥=at least; ≤=at most; ≠=is not; →=to"""
) | {"=": "equals", "<": "less than", ">": "greater than", "^": "to the power of"}
_COMPARISONS = {">=": "≥", "<=": "≤", "!=": "≠", "==": "=", "->": "→", "=>": "→"}
_VOWELS = frozenset("aeiouy")


def address(spot: Spot) -> Reading | None:
    """Web and mail addresses, hosts and file names."""
    core = spot.core
    web = _WEB.fullmatch(core)
    if web:
        return Reading(address_words(web["rest"].rstrip("/")))
    if _MAIL.fullmatch(core):
        return Reading(address_words(core.removeprefix("mailto:")))
    host = _HOST.fullmatch(core)
    if host and (host["ending"].lower() in ENDINGS or core.lower().startswith("www.")):
        return Reading(address_words(core.rstrip("/")))
    return _handle(core)


def _handle(core: str) -> Reading | None:
    point = _POINT_NAME.fullmatch(core)
    if point:
        tail = "net" if point["tail"].lower() == "net" else spelled(point["tail"])
        return Reading(f"{point['head'] or ''} dot {tail}".strip())
    match = _HANDLE.fullmatch(core)
    if not match:
        return None
    words = " ".join(_address_piece(part) for part in _CAMEL.findall(match["name"]))
    return Reading(("at " if match["mark"] == "@" else "hashtag ") + words)


def address_words(text: str) -> str:
    pieces = re.findall(r"\d+|[^\W\d_]+|.", text, re.DOTALL)
    words: list[str] = []
    for index, piece in enumerate(pieces):
        after_dot = index > 0 and pieces[index - 1] == "."
        ends = "".join(pieces[index + 1 : index + 2]) in {"", "/", "?", ":", "."}
        if after_dot and ends and piece.lower() in ENDINGS:
            words.append(ENDINGS[piece.lower()])
        else:
            words.append(_ADDRESS_SIGNS.get(piece) or _address_piece(piece))
    return " ".join(word for word in words if word)


def _address_piece(piece: str) -> str:
    if piece in READ_AS:
        return READ_AS[piece]
    if piece.isdecimal():
        return code(piece)
    if not piece.isalpha():
        return ""
    if len(piece) == 1 or (piece.isascii() and not _VOWELS & set(piece.lower())):
        return spelled(piece)
    if len(piece) > 4 and not piece.isupper():
        return " ".join(_CAMEL.findall(piece))
    return capitals(piece) or piece


def spelled(text: str) -> str:
    """The letters and digits of a short name, each by itself."""
    return " ".join(digits(c) if c.isdecimal() else c.upper() for c in text if c.isalnum())


def listed(spot: Spot) -> Reading | None:
    """Names whose reading is a matter of record."""
    core = spot.core.replace("’", "'")
    wireless = _WIRELESS.fullmatch(core)
    if wireless:
        tail = f" {spelled(wireless['letters'])}" if wireless["letters"] else ""
        return Reading(f"eight oh two dot {code(wireless['part'])}{tail}")
    base, _, owner = core.partition("'")
    suffix = f"'{owner}" if owner == "s" else ""
    if core in READ_AS:
        return Reading(READ_AS[core])
    return Reading(READ_AS[base] + suffix) if suffix and base in READ_AS else None


def shouted(spot: Spot) -> Reading | None:
    """A word in capitals: said, spelled, or said since all around it is in capitals."""
    match = _CAPITALS.fullmatch(spot.core)
    if not match:
        return None
    loud = any(_loud(word) for word in (spot.before, spot.after, spot.near(2).core))
    words = capitals(match["base"], loud)
    if words is None:
        return None
    suffix = match["suffix"].replace("’", "'")
    return Reading(words + suffix, letters=" " in words)


def _loud(word: str) -> bool:
    return len(word) > 1 and word.isalpha() and word.isupper() and word.lower() in COMMON


def capitals(word: str, loud: bool = False) -> str | None:
    """Letters of an acronym, or the word in small letters. None unless it is all capitals."""
    if not word.isupper():
        return None
    low = word.lower()
    if word in SAID:
        return word
    common = low in COMMON or (low.endswith("s") and len(low) > 3 and low[:-1] in COMMON)
    if loud and common:
        return low
    if word in SPELLED or not _VOWELS & set(low):
        return spelled(word)
    if common or len(word) > 4 or (loud and len(word) > 3) or not word.isascii():
        return low
    return spelled(word)


def mixed(spot: Spot) -> Reading | None:
    """H2O, COVID-19, B2B, F-16, USB-C: its parts one after the other."""
    core = spot.core
    wordlike = re.sub(r"['’/_-]", "", core).isalpha()
    if wordlike and (len(core) == 1 or not _HAS_CAPITALS.search(core)):
        return None
    return pieces(spot)


def pieces(spot: Spot) -> Reading:
    """Anything at all: its words, numbers and signs one after the other, perhaps none."""
    return Reading(
        " ".join(
            filter(None, (_mixed_piece(p, spot.core) for p in _PIECE.findall(_apart(spot.core))))
        )
    )


def _formula(piece: str, core: str) -> bool:
    """Capitals right beside digits are letters even where they make a word: H2SO4, IT4."""
    digits_beside = re.search(rf"\d{re.escape(piece)}|{re.escape(piece)}\d", core)
    return len(piece) < 4 and piece.isupper() and piece not in SAID and digits_beside is not None


def _apart(core: str) -> str:
    """With signs such as "½" and "²", which count as letters for patterns, by themselves; and
    comparisons of two signs as one."""
    for typed, sign in _COMPARISONS.items():
        core = core.replace(typed, sign)
    return "".join(f" {c} " if c.isnumeric() and not c.isdecimal() else c for c in core)


def _mixed_piece(piece: str, core: str) -> str:
    if piece in READ_AS:
        return READ_AS[piece]
    if piece[0].isdecimal() and piece.endswith(("st", "nd", "rd", "th")):
        return ordinal(int(piece[:-2]))
    if piece[0].isdecimal() and piece.endswith("s"):
        return decade_words(piece) or ""
    if piece[0].isdecimal():
        return " point ".join(code(part) for part in re.split(r"[.,]", piece) if part)
    if piece == "–":
        return "to"
    if not piece[0].isalpha():
        return _SIGNS.get(piece, "")
    if "." in piece or _formula(piece, core):
        return spelled(piece)
    plural = piece[-1] == "s" and piece[:-1].isupper() and len(piece) > 2
    base = piece[:-1] if plural else piece
    if len(base) == 1:
        return base.upper()
    if len(base) == 2 and base.islower() and base not in COMMON:
        return spelled(base)
    if len(base) < 5 and base.islower() and base.isascii() and not _VOWELS & set(base):
        return spelled(base)
    return (capitals(base) or base) + ("s" if plural else "")
