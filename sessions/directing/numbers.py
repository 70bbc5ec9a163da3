"""Numbers, ordinals and amounts as they are said in a direction."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from sessions.directing.items import Amount, Unit
from sessions.directing.tokens import Token

_CARDINALS = MappingProxyType(
    {
        **{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8},
        **{"nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20},
        **{"thirty": 30, "forty": 40, "fifty": 50, "couple": 2, "few": 3},
    }
)
_ORDINALS = MappingProxyType(
    {
        **{"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6},
        **{"seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "opening": 1, "initial": 1},
        **{"last": -1, "final": -1, "closing": -1, "penultimate": -2},
    }
)
_SUFFIXES = ("st", "nd", "rd", "th")
_UNITS: tuple[tuple[Unit, float, tuple[str, ...]], ...] = (
    ("percent", 1, ("%", "percent", "pct")),
    ("times", 1, ("times", "x")),
    ("semitones", 1, ("semitone", "semitones", "st", "halftone", "halftones")),
    ("semitones", 2, ("tone", "tones", "steps", "step")),
    ("semitones", 12, ("octave", "octaves")),
    ("semitones", 0.01, ("cents", "cent")),
    ("decibels", 1, ("db", "decibel", "decibels")),
    ("seconds", 1, ("second", "seconds", "s", "sec", "secs")),
    ("seconds", 0.001, ("ms", "millisecond", "milliseconds", "msec")),
)
_MOST = 1e4


def cardinal(token: Token) -> float | None:
    """3, 0.5, two, a couple; None if it is no number."""
    if token.kind == "number":
        return max(-_MOST, min(float(token.text), _MOST))
    return _CARDINALS.get(token.text) if token.kind == "word" else None


def ordinal(tokens: Sequence[Token], at: int) -> tuple[int, int] | None:
    """first, 2nd, last, next to last: its number (negative from the end), and the next index."""
    word = tokens[at].text
    third = tokens[at + 2].text if at + 2 < len(tokens) else ""
    second = tokens[at + 1].text if at + 1 < len(tokens) else ""
    if word in ("next", "second") and (second, third) == ("to", "last"):
        return -2, at + 3
    if word == "second" and second == "last":
        return -2, at + 2
    if tokens[at].kind == "number" and second in _SUFFIXES and "." not in word:
        return int(min(float(word), _MOST)), at + 2
    number = _ORDINALS.get(word)
    return None if number is None else (number, at + 1)


def amount(tokens: Sequence[Token], at: int) -> tuple[Amount, int] | None:
    """20%, -2, two semitones, half a second, 1.5 times, twice, double; and the next index."""
    word = tokens[at].text
    if word in ("twice", "double", "doubled", "triple", "thrice"):
        return Amount(3.0 if word in ("triple", "thrice") else 2.0, "times"), at + 1
    if word in ("half", "quarter"):
        return _fraction(0.5 if word == "half" else 0.25, tokens, at + 1)
    value = cardinal(tokens[at])
    if value is None and word in ("a", "an", "another"):
        value = 1.0
    if value is None:
        return None
    after = at + 1
    if _reads(tokens, after, "and", "a", "half"):
        value, after = value + 0.5, after + 3
    if after < len(tokens) and tokens[after].text in ("of", "full", "whole", "more"):
        after += 1
    found = _unit(tokens, after, value)
    if found is None and tokens[at].kind == "number":
        return Amount(value, "bare"), at + 1
    if found and word in ("a", "an", "another") and found[0].unit in ("percent", "times"):
        return None
    return found


def _fraction(value: float, tokens: Sequence[Token], at: int) -> tuple[Amount, int] | None:
    """Half a second, half second, quarter tone, half as fast, half the speed."""
    after = at
    while after < len(tokens) and tokens[after].text in ("a", "an", "of"):
        after += 1
    measured = _unit(tokens, after, value)
    if measured and measured[0].unit not in ("percent", "times"):
        return measured
    halves = at < len(tokens) and tokens[at].text in ("as", "the", "speed", "volume", "that")
    return (Amount(value, "times"), at) if halves else None


def _unit(tokens: Sequence[Token], at: int, value: float) -> tuple[Amount, int] | None:
    word = tokens[at].text if at < len(tokens) else ""
    for unit, scale, names in _UNITS:
        if word in names:
            return Amount(value * scale, unit), at + 1
    return None


def _reads(tokens: Sequence[Token], at: int, *words: str) -> bool:
    return tuple(token.text for token in tokens[at : at + len(words)]) == words
