"""Reads clock times, dates, telephone numbers and versions."""

from __future__ import annotations

import re

from engine.text.abbreviations import MONTHS
from engine.text.numbers import cardinal, code, digits, ordinal, whole_number, year
from engine.text.reading import Reading
from engine.text.tables import word_set
from engine.text.tokens import Spot

_CLOCK = re.compile(
    r"(?P<hour>\d{1,2}):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?"
    r"(?P<half>[ap]\.?m)?",
    re.IGNORECASE,
)
_HOUR = re.compile(r"(?P<hour>\d{1,2})(?P<half>[ap]\.?m)", re.IGNORECASE)
_HALF = re.compile(r"([ap])\.?m", re.IGNORECASE)
_RATIO = re.compile(r"(?P<left>\d{1,4}):(?P<right>\d{1,4})")
_SLASHED = re.compile(r"(?P<first>\d{1,2})/(?P<second>\d{1,2})/(?P<year>\d{4}|\d{2})")
_ISO = re.compile(r"(?P<year>\d{4})[-/](?P<month>\d{2})[-/](?P<day>\d{2})")
_POINTED = re.compile(r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})")
_ZERO_DATE = re.compile(r"(?P<first>0\d|1[0-2])/(?P<second>0\d|[12]\d|3[01])")
_DAY = re.compile(r"(?P<day>\d{1,2})(?P<ending>st|nd|rd|th)?")
_MONTH = re.compile("|".join(f"{name}|{name[:3]}\\.?" for name in MONTHS) + r"|Sept\.?")
_PHONE = re.compile(
    r"\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}|\d{3}-\d{4}|1-\d{3}-\d{3}-\d{4}"
    r"|\+\d{1,3}(?:[ .-]\(?\d{1,5}\)?){2,5}|0\d{2,4}(?:[ -]\d{3,4}){2}"
)
_PHONE_PART = re.compile(r"[+\d][\d.-]*")
_VERSION = re.compile(r"(?P<v>[vV]?)(?P<parts>\d+(?:\.\d+)+)")
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_SOFTWARE = word_set("Python Java Windows Ruby Node PHP Version version Ubuntu Django iOS macOS")
_NUMBERED = word_set(
    """Room room Flight flight Highway highway Route route Interstate Suite suite Apartment
    apartment Boeing Airbus Building Gate gate Bus bus Unit unit Area extension Apt"""
)
_REACH = 5


def clock(spot: Spot) -> Reading | None:
    """9:30, 14:05, 7pm, and the "a.m." after a time."""
    words = clock_words(spot.core, half_follows=_HALF.fullmatch(spot.after) is not None)
    if words:
        dotted = spot.tail.startswith(".") and spot.core.lower().endswith(".m")
        return Reading(words, dot=dotted)
    half = _HALF.fullmatch(spot.core)
    if half and spot.before[-1:].isdigit():
        return Reading(f"{half[1].upper()} M", dot="." in spot.core)
    return _ratio(spot.core)


def clock_words(core: str, half_follows: bool = False) -> str | None:
    hour = _HOUR.fullmatch(core)
    if hour and int(hour["hour"]) <= 24:
        return f"{cardinal(int(hour['hour']))} {_half(hour['half'])}"
    match = _CLOCK.fullmatch(core)
    if not match or int(match["hour"]) > 24:
        return None
    words = _hour_and_minute(match, half_follows)
    if match["second"]:
        words += f" and {cardinal(int(match['second']))} seconds"
    return f"{words} {_half(match['half'])}".strip()


def _half(half: str | None) -> str:
    return f"{half[0].upper()} M" if half else ""


def _hour_and_minute(match: re.Match[str], half_follows: bool) -> str:
    hour, minute = int(match["hour"]), int(match["minute"])
    words = cardinal(hour)
    if minute:
        return f"{words} {'oh ' if minute < 10 else ''}{cardinal(minute)}"
    if match["half"] or match["second"] or half_follows:
        return words
    return f"{words} o'clock" if 1 <= hour <= 12 else f"{words} hundred"


def _ratio(core: str) -> Reading | None:
    match = _RATIO.fullmatch(core)
    if not match:
        return None
    return Reading(f"{whole_number(match['left'])} to {whole_number(match['right'])}")


def clock_span(spot: Spot) -> Reading | None:
    """9:30–10:30, 9am-5pm."""
    low, dash, high = spot.core.replace("–", "-").partition("-")
    first, second = clock_words(low, half_follows=True), clock_words(high)
    return Reading(f"{first} to {second}") if dash and first and second else None


def date(spot: Spot) -> Reading | None:
    """Dates in digits, month first unless that can't be."""
    core = spot.core
    iso = _ISO.fullmatch(core) or _POINTED.fullmatch(core)
    if iso:
        return _dated(int(iso["month"]), int(iso["day"]), iso["year"])
    match = _SLASHED.fullmatch(core) or _ZERO_DATE.fullmatch(core)
    if not match:
        return _day(spot)
    month, day = int(match["first"]), int(match["second"])
    if not core.startswith("0") and "0" not in match["second"][:1] and core.count("/") == 1:
        return None
    if month > 12:
        month, day = day, month
    return _dated(month, day, match["year"] if core.count("/") == 2 else "")


def _dated(month: int, day: int, in_year: str) -> Reading | None:
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    if len(in_year) == 2:
        in_year = ("19" if int(in_year) > 50 else "20") + in_year
    ending = f" {year(int(in_year))}" if in_year and int(in_year) >= 1000 else ""
    return Reading(f"{MONTHS[month - 1]} {ordinal(day)}{ending}")


def _day(spot: Spot) -> Reading | None:
    match = _DAY.fullmatch(spot.core)
    if not match or not 1 <= int(match["day"]) <= 31:
        return None
    words = ordinal(int(match["day"]))
    if _MONTH.fullmatch(spot.before) and spot.near(-1).tail in {"", "."}:
        return Reading(words)
    if _MONTH.fullmatch(spot.after) and not spot.tail:
        return Reading(f"{'' if spot.before.lower() == 'the' else 'the '}{words} of")
    return None


def telephone(spot: Spot) -> Reading | None:
    """Part of a telephone number that may go over several words."""
    if not _PHONE_PART.fullmatch(spot.core):
        return None
    for first in range(1 - _REACH, 1):
        for last in range(_REACH):
            if _PHONE.fullmatch(_run(spot, first, last)):
                return Reading(_digits(spot.core))
    return None


def _run(spot: Spot, first: int, last: int) -> str:
    tokens = [spot.near(step) for step in range(first, last + 1)]
    if not all(_PHONE_PART.fullmatch(token.core) for token in tokens):
        return ""
    if any(token.tail not in {"", ")"} for token in tokens[:-1]):
        return ""
    return " ".join(token.core for token in tokens)


def _digits(core: str) -> str:
    toll_free = re.fullmatch(r"1-([2-9])00-(.*)", core)
    if toll_free:
        return f"one {cardinal(int(toll_free[1]))} hundred {digits(toll_free[2])}"
    return ("plus " if core.startswith("+") else "") + digits(core)


def version(spot: Spot) -> Reading | None:
    """2.3.1, v2.3, Python 3.11, Room 101, 192.168.0.1."""
    core = spot.core
    if re.fullmatch(r"[1-9]\d{2,3}", core) and spot.before in _NUMBERED:
        return Reading(code(core))
    if re.fullmatch(r"\d{5}", core) and re.fullmatch(r"[A-Z]{2}", spot.before):
        return Reading(digits(core, zero="oh"))
    if _ADDRESS.fullmatch(core):
        return Reading(" dot ".join(digits(part) for part in core.split(".")))
    match = _VERSION.fullmatch(core)
    if not match or not (match["v"] or core.count(".") > 1 or spot.before in _SOFTWARE):
        return _short_version(core)
    words = " point ".join(whole_number(part) for part in match["parts"].split("."))
    return Reading(f"version {words}" if match["v"] else words)


def _short_version(core: str) -> Reading | None:
    match = re.fullmatch(r"v(\d{1,3})", core)
    return Reading(f"version {cardinal(int(match[1]))}") if match else None
