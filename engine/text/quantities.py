"""Reads numbers, money, measures, fractions, ranges and sums."""

from __future__ import annotations

import re

from engine.text.numbers import (
    NUMBER,
    as_ordinal,
    cardinal,
    decimal,
    digits,
    ordinal,
    plural,
    whole_number,
    year,
)
from engine.text.reading import Reading, attributive
from engine.text.tables import pairs, word_list, word_set
from engine.text.tokens import Spot
from engine.text.units import (
    COUNTED,
    DOTTABLE,
    DOTTED_UNITS,
    GLUED_ONLY,
    LARGE_WORDS,
    UNITS,
    Names,
)

_UNIT = "|".join(map(re.escape, sorted(UNITS, key=len, reverse=True)))
_MEASURE = re.compile(rf"(?P<sign>[-−–+~±<>]?)(?P<number>{NUMBER})(?P<dash>-?)(?P<unit>{_UNIT})")
_SIGNED = re.compile(rf"(?P<sign>[-−–+~±<>≈#§]?)(?P<number>{NUMBER})(?P<more>\+?)")
_ORDINAL = re.compile(r"(?P<number>\d{1,3}(?:,\d{3})+|\d{1,12})(?:st|nd|rd|th)", re.IGNORECASE)
_DECADE = re.compile(r"['’‘]?(?P<number>\d{2}|\d{4})['’]?s")
_FRACTION = re.compile(r"(?P<top>\d{1,4})/(?P<bottom>\d{1,4})")
_RATED = re.compile(r"(\d+\.\d+)/(\d+)")
_RANGE = re.compile(r"(?P<low>[^-–]+)[-–](?P<high>[^-–]+)")
_FEET = re.compile(r"(?P<feet>\d+)['’′](?:(?P<inches>\d+)[\"”″]?)?")
_SUM = re.compile(rf"(?:[A-Za-z]|{NUMBER})(?:[-+−×*÷=<>^≤≥≈](?:[A-Za-z]|[-−]?{NUMBER}))+")
_SUM_PART = re.compile(rf"{NUMBER}|[A-Za-z]|.")
_TIMES = re.compile(rf"(?P<number>{NUMBER})[x×](?P<by>{NUMBER})?")
_VULGAR = dict(zip("½¼¾⅓⅔⅛⅜⅝⅞", word_list("1/2 1/4 3/4 1/3 2/3 1/8 3/8 5/8 7/8"), strict=True))
_VULGAR_FORM = re.compile(rf"(?P<whole>\d*)(?P<part>[{''.join(_VULGAR)}])")
_SIGNS = pairs("-=minus; −=minus; –=minus; +=plus; ~=about; ±=plus or minus; ≈=about") | {
    "<": "less than",
    ">": "more than",
    "#": "number",
    "§": "section",
}
_SAID = {
    "24/7": "twenty four seven",
    "9/11": "nine eleven",
    "7/11": "seven eleven",
    "20/20": "twenty twenty",
}
_DIALLED = word_set("call dial dialed dialled dialing ring phone")
_OPERATORS = _SIGNS | {
    "×": "times",
    "*": "times",
    "÷": "divided by",
    "=": "equals",
    "<": "less than",
    ">": "greater than",
    "^": "to the power of",
    "≤": "at most",
    "≥": "at least",
    "≠": "is not",
    "→": "to",
    "~": "about",
    "/": "slash",
    "&": "and",
    "@": "at",
    "%": "percent",
    "#": "number",
    "°": "degrees",
    "§": "section",
}
_DENOMINATORS = frozenset({*range(2, 11), 12, 16, 20, 32, 64, 100})
_SQUARE = re.compile(r"to the power of (two|three)(?= (?:plus|minus|times|equals|divided)|$)")
_POWERS = {"two": "squared", "three": "cubed"}
_WAITING = word_set("in for after within about only just took takes every a under over wait")
_YEAR_BEFORE = word_set("in since until by before after circa from to year around AD")


def numeric(core: str) -> bool:
    return re.fullmatch(rf"[-−+~]?{NUMBER}", core) is not None


def partial(core: str) -> bool:
    """Whether it is a fraction, with or without a whole number."""
    return bool(_VULGAR_FORM.fullmatch(core) or _FRACTION.fullmatch(core))


def signed(sign: str, words: str) -> str:
    """Words with those of the sign, if any, before them."""
    return f"{_SIGNS[sign]} {words}" if sign else words


def named(number: str, names: Names, single: bool = False) -> str:
    """The unit's name, in the singular after one or where `single` asks for it."""
    return names[0] if single or number in {"1", "1.0", "1.00"} else names[1]


def decade(spot: Spot) -> Reading | None:
    """Decades, where they aren't seconds."""
    sure = len(spot.core) > 3 or spot.before.lower() not in _WAITING
    words = decade_words(spot.core) if sure else None
    return Reading(words) if words else None


def measure(spot: Spot) -> Reading | None:
    words = measure_words(spot.core, attributive(spot))
    if words is None:
        return None
    unit = spot.core.lstrip("-−–+~±<>.,0123456789")
    return Reading(words, dot=spot.tail.startswith(".") and unit in DOTTABLE)


def measure_words(core: str, single: bool = False) -> str | None:
    feet = _FEET.fullmatch(core)
    if feet:
        words = f"{decimal(feet['feet'])} {named(feet['feet'], UNITS['ft'])}"
        inches = feet["inches"]
        return f"{words} {decimal(inches)} {named(inches, DOTTED_UNITS['in'])}" if inches else words
    match = _MEASURE.fullmatch(core)
    if not match:
        return None
    names = UNITS[match["unit"]]
    name = named(match["number"], names, single or bool(match["dash"]))
    return signed(match["sign"], f"{decimal(match['number'])} {name}")


def number(spot: Spot) -> Reading | None:
    core = spot.core
    if core in _SAID or _hotline(spot):
        return Reading(_SAID.get(core) or digits(core))
    words = (
        _ordinal(core) or decade_words(core) or _vulgar(core, spot.before) or _fraction(core, spot)
    )
    words = words or _times(core) or _year(spot) or number_words(core)
    return Reading(words) if words else None


def _hotline(spot: Spot) -> bool:
    """Three digits that are dialled; 911 is known without being told so."""
    if spot.core == "911":
        return spot.after not in COUNTED
    return re.fullmatch(r"\d{3}", spot.core) is not None and spot.before.lower() in _DIALLED


def number_words(core: str) -> str | None:
    """A number by itself with its sign, whatever stands around it."""
    match = _SIGNED.fullmatch(core)
    if not match:
        return None
    return signed(match["sign"], decimal(match["number"])) + (" plus" if match["more"] else "")


def _ordinal(core: str) -> str | None:
    match = _ORDINAL.fullmatch(core)
    return ordinal(int(match["number"].replace(",", ""))) if match else None


def decade_words(core: str) -> str | None:
    """Of 1980s, '90s, 20s, 1,000s."""
    if re.fullmatch(r"1,000(?:,000)?s", core):
        return "thousands" if len(core) == 6 else "millions"
    match = _DECADE.fullmatch(core)
    if not match or not match["number"].endswith("0"):
        return None
    value = int(match["number"])
    return plural(year(value) if value >= 1000 else cardinal(value))


def _vulgar(core: str, before: str) -> str | None:
    match = _VULGAR_FORM.fullmatch(core)
    if not match:
        return None
    part = _parts(*_VULGAR[match["part"]].split("/"))
    joined = f"and {'a half' if part == 'one half' else part}"
    if match["whole"]:
        return f"{decimal(match['whole'])} {joined}"
    return joined if before.isdigit() else part


def _parts(top: str, bottom: str) -> str:
    names = {"2": "half", "4": "quarter"}
    name = names.get(bottom) or as_ordinal(cardinal(int(bottom)))
    if top != "1":
        name = "halves" if name == "half" else name + "s"
    return f"{cardinal(int(top))} {name}"


def _fraction(core: str, spot: Spot) -> str | None:
    match = _FRACTION.fullmatch(core)
    if not match:
        rated = _RATED.fullmatch(core)
        return f"{decimal(rated[1])} out of {decimal(rated[2])}" if rated else None
    top, bottom = int(match["top"]), int(match["bottom"])
    if top == bottom and top > 10:
        return f"{cardinal(top)} {cardinal(top)}"
    if top == bottom or bottom not in _DENOMINATORS or top > 100 or _rating(spot):
        joint = "out of" if top <= bottom else "over"
        return f"{cardinal(top)} {joint} {cardinal(bottom)}"
    words = _parts(str(top), str(bottom))
    return f"and {words}" if spot.before.isdigit() and top < bottom else words


def _rating(spot: Spot) -> bool:
    """Of ten, where no "of" follows that would make a part of it."""
    return spot.core.endswith("/10") and spot.after != "of"


def _times(core: str) -> str | None:
    match = _TIMES.fullmatch(core)
    if not match:
        return None
    if not match["by"]:
        return f"{decimal(match['number'])} times"
    return f"{_pixels(match['number'])} by {_pixels(match['by'])}"


def _pixels(text: str) -> str:
    return year(int(text)) if re.fullmatch(r"[1-9]\d{3}", text) else decimal(text)


def _year(spot: Spot) -> str | None:
    if not re.fullmatch(r"[12]\d{3}", spot.core):
        return None
    value, after = int(spot.core), spot.after
    if after in COUNTED or after in LARGE_WORDS or (after in UNITS and after not in GLUED_ONLY):
        return None
    if 1100 <= value <= 2099 or (value > 1000 and spot.before.lower() in _YEAR_BEFORE):
        return year(value)
    return None


def span(spot: Spot) -> Reading | None:
    """Two quantities with a dash between them: 10–20, 50-60%, 1914–1918."""
    match = _RANGE.fullmatch(spot.core)
    if not match:
        return None
    low, high = _end_of_span(match["low"]), _end_of_span(match["high"])
    return Reading(f"{low} to {high}") if low and high else None


def _end_of_span(text: str) -> str | None:
    if re.fullmatch(r"(1[1-9]|20)\d\d", text):
        return year(int(text))
    if re.fullmatch(r"\d+", text):
        return whole_number(text)
    return measure_words(text) or number_words(text)


def arithmetic(spot: Spot) -> Reading | None:
    """A sum without spaces, or a sign of one by itself."""
    core = spot.core
    if core in _OPERATORS:
        return _operator(spot)
    if not _SUM.fullmatch(core) or not re.search(r"\d", core) or re.search(r"[A-Za-z]-", core):
        return None
    parts = (_OPERATORS.get(p) or number_words(p) or p.upper() for p in _SUM_PART.findall(core))
    return Reading(_SQUARE.sub(lambda match: _POWERS[match[1]], " ".join(parts)))


def _operator(spot: Spot) -> Reading | None:
    """A dash, star or slash is one only between numbers; elsewhere it is silent."""
    if spot.core in "-–−*":
        between = numeric(spot.before) and numeric(spot.after)
        return Reading(_OPERATORS[spot.core]) if between else Reading("")
    return Reading(_OPERATORS[spot.core])
