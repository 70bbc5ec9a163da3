"""Reads abbreviations, initials, spelled letters, Roman numerals and plain words."""

from __future__ import annotations

import re

from engine.text.abbreviations import LEADING, MONTHS, NUMBERS, STARTERS, TITLES, TRAILING, WORDLIKE
from engine.text.names import spelled
from engine.text.numbers import cardinal, ordinal, roman
from engine.text.reading import Reading
from engine.text.tables import pairs, word_set
from engine.text.tokens import Spot, Token

_DOTTED = re.compile(r"(?:[A-Za-z]{1,2}\.)+[A-Za-z]{1,2}(?:\.?(?P<suffix>['’]?s))?")
_SPELLING = re.compile(r"(?:[A-Za-z]-){2,}[A-Za-z]")
_ROMAN = re.compile(r"(?P<numeral>[IVXLC]+)(?P<suffix>['’]s)?")
_CARDINALS = word_set(
    """Chapter chapter Part part Act act Scene scene Section section Volume volume Book book Phase
    phase Article War Mark Type type Level level Stage stage Class class Grade grade Bowl Apollo
    Gemini Fantasy Episode episode Round round Rocky Season season Table Figure Appendix Title
    Division Tier Group Category Vol Saturn Mac"""
)
_REGNAL = word_set(
    """Pope King Queen Henry Louis Edward George William Charles James Richard Elizabeth Napoleon
    Pius Benedict Leo Paul Ramses Frederick Philip Alexander Nicholas Peter Catherine Ivan Umberto
    Emmanuel Gustav Christian Ferdinand Mary Tsar Czar Emperor Felipe Carlos Haakon Margrethe
    Gregory Innocent Clement Urban John Francis Wilhelm Otto Darius Xerxes Mehmed Murad Robert"""
)
_RULERS = word_set("King Queen Pope Emperor Empress Tsar Czar Kaiser Prince Sultan")
_LETTERED = word_set(
    """vitamin vitamins plan grade type section group option class appendix hepatitis exhibit team
    side point level letter column row gate hall block zone part schedule model an straight
    from Vitamin Plan Grade Type Section Group Option Class Appendix Hepatitis Exhibit Team Side
    Point Level Letter Column Row Gate Hall Block Zone Part Schedule Model"""
)
_RELATIONS = word_set("+ = < > × ÷ − ≈ ≤ ≥ ≠")
_SHORT_DATES = {
    short: name
    for short, name in (TRAILING | WORDLIKE).items()
    if name in MONTHS or name.endswith("day")
}
_GREEK = pairs(
    """α=alpha; β=beta; γ=gamma; δ=delta; Δ=delta; ε=epsilon; θ=theta; λ=lambda; μ=mu; µ=mu; π=pi
    ρ=rho; σ=sigma; Σ=sigma; τ=tau; φ=phi; χ=chi; ψ=psi; ω=omega; Ω=omega; ∞=infinity; ©=copyright
    √=square root of"""
)


def abbreviation(spot: Spot) -> Reading | None:
    core, dotted = spot.core, spot.tail.startswith(".")
    if core == "Dr" and dotted and _is_drive(spot):
        return Reading("Drive", dot=True)
    if core in TITLES and (dotted or core in {"Mr", "Mrs", "Ms", "Dr", "Prof"}):
        return Reading(TITLES[core], dot=dotted)
    glued = re.fullmatch(r"([Nn]os?)\.(\d+)", core)
    if glued:
        return Reading(f"number {cardinal(int(glued[2]))}")
    if core in _SHORT_DATES and (spot.after[:1].isdigit() or spot.before[-1:].isdigit()):
        return Reading(_SHORT_DATES[core], dot=dotted)
    low, _, high = core.replace("–", "-").partition("-")
    if low in _SHORT_DATES and high in _SHORT_DATES:
        return Reading(f"{_SHORT_DATES[low]} to {_SHORT_DATES[high]}", dot=dotted)
    if core in NUMBERS:
        return _number(core, dotted, spot.after)
    if not dotted:
        return None
    if core == "St" and spot.after[:1].isupper() and spot.after not in STARTERS:
        return Reading(_street(spot), dot=True)
    if core in WORDLIKE:
        return _wordlike(spot)
    spoken = LEADING.get(core) or LEADING.get(core.lower()) or TRAILING.get(core)
    return Reading(spoken, dot=True, letters=False) if spoken else None


def _is_drive(spot: Spot) -> bool:
    """A doctor has a name after the title; a drive has one before it."""
    return spot.before[:1].isupper() and not spot.near(-1).tail and spot.after[:1].islower()


def _number(core: str, dotted: bool, after: str) -> Reading | None:
    if dotted and re.match(r"\d|[ivxIVX]{2,}$", after):
        return Reading(NUMBERS[core], dot=True)
    return None


def _street(spot: Spot) -> str:
    """After a house number and a name it is a street, though a capital follows."""
    named = spot.before[:1].isupper() and spot.near(-2).core[:1].isdigit()
    return "Street" if named else "Saint"


def _wordlike(spot: Spot) -> Reading | None:
    """Short months and days: before a number, or after "on" or "in"."""
    follows = spot.after[:1].isdigit() or spot.after in {"to", "through"}
    if follows or spot.before.lower() in {"on", "in", "last", "next", "this", "every"}:
        return Reading(WORDLIKE[spot.core], dot=True) if spot.core[0].isupper() else None
    if spot.core in {"sec", "min"} and spot.before[-1:].isdigit():
        return Reading(WORDLIKE[spot.core] + "s", dot=True)
    return None


def letters(spot: Spot) -> Reading | None:
    """Initials, dotted acronyms, spellings and letters by themselves."""
    core = spot.core
    dotted = _DOTTED.fullmatch(core)
    if dotted:
        suffix = (dotted["suffix"] or "").replace("’", "'")
        bare = core[: len(core) - len(suffix)]
        return Reading(spelled(bare) + suffix, dot=spot.tail.startswith(".") and not suffix)
    if _SPELLING.fullmatch(core):
        return Reading(spelled(core))
    if len(core) != 1 or not core.isalpha() or not core.isascii():
        return Reading(_GREEK[core]) if core in _GREEK else None
    return _letter(spot)


def _letter(spot: Spot) -> Reading | None:
    core = spot.core
    initial = core.isupper() and spot.tail.startswith(".") and not spot.last
    if core in "AIaOo":
        row = _capital(spot.near(1)) and _capital(spot.near(-1))
        row = row or _row(spot, 1) or _row(spot, -1)
        row = row or spot.after in _RELATIONS or spot.before in _RELATIONS
        named = spot.before in _LETTERED or (core in "Aa" and _ends(spot))
        initial = initial and spot.after[:1].isupper() and spot.after not in STARTERS
        if core in "Oo" or not (row or (core != "I" and named) or (core == "A" and initial)):
            return None
    return Reading(core.upper(), dot=initial)


def _capital(token: Token) -> bool:
    return len(token.core) == 1 and token.core.isupper()


def _row(spot: Spot, step: int) -> bool:
    """Two more single capitals on that side, as in A B C."""
    return _capital(spot.near(step)) and _capital(spot.near(2 * step))


def _ends(spot: Spot) -> bool:
    """An article has its noun after it; this one has none."""
    return bool(spot.before) and (spot.last or spot.tail[:1] in {",", ".", "!", "?", ";", ":"})


def numeral(spot: Spot) -> Reading | None:
    """Roman numerals, where a name or a heading before them says so."""
    match = _ROMAN.fullmatch(spot.core)
    value = roman(match["numeral"]) if match else None
    if match is None or value is None:
        return None
    suffix = (match["suffix"] or "").replace("’", "'")
    pronoun = match["numeral"] == "I"
    if spot.before in _CARDINALS and not (pronoun and spot.before.islower()):
        return Reading(cardinal(value) + suffix)
    if spot.before in _REGNAL and (not pronoun or spot.near(-2).core in _RULERS):
        return Reading(f"the {ordinal(value)}{suffix}")
    if len(match["numeral"]) > 2 and set(match["numeral"]) <= set("IVX"):
        return Reading(cardinal(value) + suffix)
    plain = set(match["numeral"]) <= set("IVX") and len(match["numeral"]) > 1
    if plain and spot.before[:1].isupper() and match["numeral"] not in {"IV", "XX", "XXX"}:
        return Reading(cardinal(value) + suffix)
    return None


def plain(spot: Spot) -> Reading | None:
    """A word as it is; slashes and underscores part its words."""
    core = spot.core.replace("’", "'").replace("ʼ", "'").replace("‐", "-").replace("‑", "-")
    core = re.sub(r"\(([^()]*)\)?", r"\1", core)
    parts = [part for part in re.split(r"[/_·|]+", core) if part]
    if not parts or not all(
        re.fullmatch(r"'?[^\W\d_]+(?:['-]+[^\W\d_]+)*'?", part) for part in parts
    ):
        return None
    return Reading(" ".join(parts), letters=False)
