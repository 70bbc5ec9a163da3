"""Reads money, and the units and large numbers that stand as words of their own after a number."""

from __future__ import annotations

import re

from engine.text.numbers import NUMBER, decimal
from engine.text.quantities import named, numeric, partial, signed
from engine.text.reading import Reading, attributive
from engine.text.tokens import Spot
from engine.text.units import (
    CODES,
    CURRENCIES,
    DOTTABLE,
    DOTTED_UNITS,
    GLUED_ONLY,
    LARGE,
    LARGE_WORDS,
    UNITS,
)

_CURRENCY = "|".join(map(re.escape, sorted(CURRENCIES, key=len, reverse=True)))
_LARGE = "|".join(sorted(LARGE, key=len, reverse=True))
_MONEY = re.compile(
    rf"(?P<sign>[-−–+~]?)(?P<currency>{_CURRENCY})[ \u00a0]?(?P<sign2>[-−]?)(?P<number>{NUMBER})"
    rf"(?P<large>{_LARGE})?(?:[-–](?:{_CURRENCY})?(?P<to>{NUMBER})(?P<tolarge>{_LARGE})?)?"
    r"(?P<open>(?:[-/]\w+)+)?\+?"
)
_MONEY_AFTER = re.compile(rf"(?P<number>{NUMBER})(?P<currency>[€£$¥¢₹])")


def money(spot: Spot) -> Reading | None:
    match = _MONEY.fullmatch(spot.core)
    if not match:
        return _money_after(spot)
    sign = match["sign"] or match["sign2"]
    if spot.after in LARGE_WORDS and not match["large"] and not spot.tail:
        upper = f" to {decimal(match['to'])}" if match["to"] else ""
        return Reading(signed(sign, decimal(match["number"])) + upper)
    return Reading(signed(sign, _sum_of_money(match, attributive(spot))) + _per(match["open"]))


def _per(rest: str | None) -> str:
    if not rest:
        return ""
    words = rest[1:].replace("-", " ").replace("/", " per ")
    return f" per {words}" if rest[0] == "/" else f" {words}"


def _sum_of_money(match: re.Match[str], single: bool) -> str:
    names, small = CURRENCIES[match["currency"]]
    single = single or (match["open"] or "").startswith("-")
    large, to = match["large"], match["to"]
    if to:
        tail = match["tolarge"] or large
        words = f"{_scaled(match['number'], large)} to {_scaled(to, tail)}"
        return f"{words} {named('2', names, single)}"
    whole, _, part = match["number"].partition(".")
    if large or len(part) > 2 or not part or not int(part):
        amount = match["number"] if large or len(part) > 2 else whole
        return f"{_scaled(amount, large)} {named(amount + (large or ''), names, single)}"
    cents = str(int(part.ljust(2, "0")))
    minor = f"{decimal(cents)} {named(cents, small)}"
    if not whole.strip("0"):
        return minor
    return f"{decimal(whole)} {named(whole, names)} and {minor}"


def _scaled(number: str, large: str | None) -> str:
    return f"{decimal(number)} {LARGE[large]}" if large else decimal(number)


def _money_after(spot: Spot) -> Reading | None:
    match = _MONEY_AFTER.fullmatch(spot.core)
    if not match:
        return None
    sign = match["currency"]
    names = ("cent", "cents") if sign == "¢" else CURRENCIES[sign][0]
    return Reading(f"{decimal(match['number'])} {named(match['number'], names)}")


def after_number(spot: Spot) -> Reading | None:
    """A unit, a currency's code or "million" that belongs to the number before it."""
    before, core = spot.before, spot.core
    if core in LARGE_WORDS:
        match = _MONEY.fullmatch(before)
        if not match or match["large"] or spot.near(-1).tail:
            return None
        return Reading(
            f"{core} {named('2', CURRENCIES[match['currency']][0], attributive(spot, 1))}"
        )
    if not (numeric(before) or partial(before)):
        return None
    dotted = spot.tail.startswith(".")
    names = CODES.get(core) or (DOTTED_UNITS.get(core) if dotted else None)
    if names is None and core in CURRENCIES:
        names = CURRENCIES[core][0]
    if names is None and core not in GLUED_ONLY:
        names = UNITS.get(core)
    if names is None or spot.near(-1).tail:
        return None
    words = named(before.lstrip("-−+~"), names, attributive(spot, 1))
    return Reading(words, dot=dotted and (core in DOTTABLE or core in DOTTED_UNITS))
