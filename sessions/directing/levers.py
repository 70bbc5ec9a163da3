"""The arithmetic of levers: a recipe done to a degree, held within its safe ends.

Sums are multiplied by the degree, factors raised to it. Taking a concept away brings a lever back
to neutral at most, if it stood on the concept's side of it.
"""

from __future__ import annotations

import math
from dataclasses import fields, replace

from engine.types import Levers, Performance
from sessions.directing.instructions import Force
from sessions.directing.items import Amount
from sessions.directing.values import Change
from sessions.directing.vocabulary import Bound, Concept, LeverName, vocabulary

NEUTRAL = Levers()
_NAMES = tuple(field.name for field in fields(Levers))
_DIGITS = 4
_PLAIN_PERCENT = 40  # so much more of what has no measure is a plain "more"


def levers_of(performance: Performance) -> Levers:
    """The levers of the whole take, without parts and pauses."""
    return Levers(**{name: getattr(performance, name) for name in _NAMES})


def changes(before: Levers, after: Levers) -> tuple[Change, ...]:
    """The levers that differ, in the order of the type."""
    pairs = ((name, getattr(before, name), getattr(after, name)) for name in _NAMES)
    return tuple(Change(name, old, new) for name, old, new in pairs if old != new)


def moved(levers: Levers, concept: Concept, force: Force) -> Levers:
    """The levers with so much more (or less) of the concept."""
    if concept.blend is not None:
        return _blended(levers, concept.blend**force.strength)
    recipe = concept.levers
    if recipe.whisper:
        return _whispered(levers, recipe, force.strength)
    return _recipe_moved(levers, recipe, force)


def _recipe_moved(levers: Levers, recipe: Levers, force: Force) -> Levers:
    for name, bound in vocabulary().levers.items():
        aim = getattr(recipe, name)
        if aim != bound.neutral:
            levers = _set(levers, name, _stepped(getattr(levers, name), aim, bound, force))
    if recipe.tremor and force.strength > 0:
        levers = replace(levers, tremor_hz=recipe.tremor_hz)
    return levers if levers.tremor else replace(levers, tremor_hz=NEUTRAL.tremor_hz)


def _stepped(value: float, aim: float, bound: Bound, force: Force) -> float:
    """One lever after its part of a recipe."""
    if force.strength >= 0:
        return bound.held(_step(value, aim, bound, force.strength))
    towards_aim = (value - bound.neutral) * (aim - bound.neutral)
    if towards_aim <= 0:
        return bound.held(_step(value, aim, bound, force.strength * force.beyond))
    taken = _step(value, aim, bound, force.strength)
    held = max(taken, bound.neutral) if aim > bound.neutral else min(taken, bound.neutral)
    return bound.held(held)


def _step(value: float, aim: float, bound: Bound, strength: float) -> float:
    """One degree of a factor multiplies, of a sum adds."""
    return float(value * aim**strength if bound.kind == "factor" else value + aim * strength)


def _whispered(levers: Levers, recipe: Levers, strength: float) -> Levers:
    """Whispering is on or off: asked for twice it changes nothing, nor does its end without it."""
    if levers.whisper == (strength > 0) or strength == 0:
        return levers
    force = Force(strength) if strength > 0 else Force(-1.0)
    return replace(_recipe_moved(levers, recipe, force), whisper=strength > 0)


def _blended(levers: Levers, share: float) -> Levers:
    """`share` of all that was directed: 0.5 is half of it, 1.5 half as much again."""
    for name, bound in vocabulary().levers.items():
        value = getattr(levers, name)
        new = value**share if bound.kind == "factor" else value * share
        if name != "emphasis" and value != bound.neutral:
            levers = _set(levers, name, bound.held(new))
    return levers


def measured(levers: Levers, concept: Concept, amount: Amount, forward: bool) -> Levers | None:
    """The lever that the concept is measured by, moved by a number; None if the unit isn't its."""
    name, sign = concept.measure, concept.sign * (1 if forward else -1)
    if name is None:
        return None
    value = getattr(levers, name)
    match amount.unit:
        case "semitones" | "decibels":
            fits = ("pitch", "ending") if amount.unit == "semitones" else ("gain", "tilt")
            new = value + sign * amount.value if name in fits else None
        case "percent":
            new = _scaled(name, value, max(0.01, 1 + sign * amount.value / 100))
        case "times":
            new = _scaled(name, value, _ratio(amount.value) ** sign)
        case "bare":
            new = _by_bare(name, value, amount.value, sign)
        case "seconds":
            new = None
    bound = vocabulary().levers[name]
    return None if new is None else _set(levers, name, bound.held(new))


def _by_bare(name: LeverName, value: float, number: float, sign: int) -> float | None:
    """A number without a unit, in the lever's own: "speed 0.9", "pitch +2"."""
    if vocabulary().levers[name].kind == "factor":
        return value * number**sign if 0.25 <= number <= 4 else None
    return value + sign * number


def _ratio(value: float) -> float:
    return min(100.0, max(0.01, value))


def _scaled(name: LeverName, value: float, ratio: float) -> float | None:
    """Pace and range are factors; loudness has 20, pitch 12 steps a ratio of 10 and of 2."""
    if vocabulary().levers[name].kind == "factor":
        return value * ratio
    if name in ("gain", "tilt"):
        return value + 20 * math.log10(ratio)
    return value + 12 * math.log2(ratio) if name == "pitch" else None


def strength_of(amount: Amount) -> float | None:
    """A number said of what has no measure, as a degree: "40% sadder", "twice as sad"."""
    match amount.unit:
        case "percent":
            return min(2.0, amount.value / _PLAIN_PERCENT)
        case "times":
            return max(-0.5, min(2.0, amount.value - 1))
        case "semitones" | "decibels" | "seconds" | "bare":
            return None


def copied(levers: Levers, source: Levers, concept: Concept) -> Levers:
    """The levers, with those that the concept moves taken from `source`."""
    names = [name for name in _NAMES if getattr(concept.levers, name) != getattr(NEUTRAL, name)]
    return replace(levers, **{name: getattr(source, name) for name in names})


def settled(levers: Levers, concept: Concept) -> Levers:
    """The lever that measures the concept, or all of its recipe, back to neutral."""
    if concept.measure is None:
        return copied(levers, NEUTRAL, concept)
    return _set(levers, concept.measure, vocabulary().levers[concept.measure].neutral)


def _set(levers: Levers, name: str, value: float) -> Levers:
    return replace(levers, **{name: round(value, _DIGITS)})  # type: ignore[arg-type]  # a lever
