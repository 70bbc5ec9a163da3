"""Numbers as words, American style without "and" and without hyphens.

Own rather than a package: the one at hand for this reads forty languages and needs a build step,
and the voice wants the words bare.
"""

from __future__ import annotations

import re
from itertools import pairwise

from engine.text.tables import word_list

_ONES = word_list(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_TENS = word_list("- ten twenty thirty forty fifty sixty seventy eighty ninety")
_SCALES = (
    "",
    *word_list(
        "thousand million billion trillion quadrillion quintillion sextillion septillion "
        "octillion nonillion decillion"
    ),
)
_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
_LARGEST_DIGITS = 3 * len(_SCALES)
_NUMBER = re.compile(r"(?P<whole>\d{1,3}(?:,\d{3})+|\d*)(?:\.(?P<part>\d+))?")
NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"


def _below_thousand(number: int) -> list[str]:
    words = [_ONES[number // 100], "hundred"] if number >= 100 else []
    number %= 100
    if number >= 20:
        words.append(_TENS[number // 10])
        number %= 10
        return [*words, _ONES[number]] if number else words
    return [*words, _ONES[number]] if number or not words else words


def cardinal(number: int) -> str:
    """Of a number not below 0; one too large to have a name is read digit by digit."""
    if len(str(number)) > _LARGEST_DIGITS:
        return digits(str(number))
    if number < 1000:
        return " ".join(_below_thousand(number))
    words: list[str] = []
    for scale in range(len(_SCALES) - 1, -1, -1):
        group = number // 1000**scale % 1000
        if group:
            words += [*_below_thousand(group), _SCALES[scale]]
    return " ".join(word for word in words if word)


def as_ordinal(words: str) -> str:
    """Turns the words of a cardinal into those of the ordinal."""
    head, _, last = words.rpartition(" ")
    last = last[:-1] + "ieth" if last.endswith("y") else _ORDINALS.get(last, last + "th")
    return f"{head} {last}".strip()


def ordinal(number: int) -> str:
    return as_ordinal(cardinal(number))


def digits(text: str, zero: str = "zero") -> str:
    """Each digit by itself; all else in the text is passed over."""
    return " ".join(zero if c == "0" else _ONES[int(c)] for c in text if c in "0123456789")


def decimal(text: str) -> str:
    """Of digits with commas and a point: "1,234.50", ".5", "007" (digit by digit)."""
    match = _NUMBER.fullmatch(text)
    if match is None or not any(match.groups()):
        raise ValueError(f"not a number: {text!r}")
    whole = (match["whole"] or "").replace(",", "")
    words = whole_number(whole) if whole else ""
    if match["part"]:
        words += " point " + digits(match["part"])
    return words.strip()


def whole_number(text: str) -> str:
    """Of digits only. With zeros in front, or more digits than numbers have, digit by digit."""
    if (len(text) > 1 and text[0] == "0") or len(text) > 12:
        return digits(text)
    return cardinal(int(text))


def year(number: int) -> str:
    """Of 1000 to 9999 as years are said: nineteen oh five, two thousand five, twenty ten."""
    high, low = divmod(number, 100)
    if high % 10 == 0 and low < 10:
        return cardinal(number)
    if low == 0:
        return cardinal(high) + " hundred"
    return f"{cardinal(high)} {'oh ' if low < 10 else ''}{cardinal(low)}"


def code(text: str) -> str:
    """Digits within a name: 16, 320, 747, 802, 2000, 90210."""
    if text[0] == "0" or len(text) > 4:
        return digits(text, zero="oh") if len(text) > 1 else digits(text)
    if len(text) == 4:
        return year(int(text)) if text[0] != "0" else digits(text)
    if len(text) < 3 or text.endswith("00"):
        return cardinal(int(text))
    rest = text[1:]
    tail = f"oh {digits(rest[1])}" if rest[0] == "0" else cardinal(int(rest))
    return f"{digits(text[0])} {tail}"


def plural(words: str) -> str:
    """Of a number's words: nineties, thousands, sixes."""
    if words.endswith("y"):
        return words[:-1] + "ies"
    return words + ("es" if words.endswith("x") else "s")


_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_ROMAN_FORM = re.compile(r"(?=.)M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})")


def roman(text: str) -> int | None:
    """The value of a well-formed Roman numeral in capitals, else None."""
    if not _ROMAN_FORM.fullmatch(text):
        return None
    values = [_ROMAN[c] for c in text] + [0]
    return sum(-here if here < after else here for here, after in pairwise(values))
