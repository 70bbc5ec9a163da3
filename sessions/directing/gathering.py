"""Gathers the small words of a clause around the concepts that they are said of."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sessions.directing.clauses import Clause
from sessions.directing.instructions import Modifiers
from sessions.directing.items import Amount, Beyond, Degree, Modifier, Placed, Said


@dataclass(slots=True)
class Found:
    """A concept, or what the voice can't do, with the small words gathered before it."""

    placed: Placed
    modifiers: Modifiers
    start: int


def gathered(clause: Clause) -> tuple[list[Found], Modifiers]:
    """The concepts of a clause with the small words before each, and those after the last."""
    found: list[Found] = []
    modifiers, start = Modifiers(), None
    for placed in clause.items:
        item = placed.item
        if isinstance(item, Said | Beyond):
            found.append(Found(placed, modifiers, placed.span[0] if start is None else start))
            modifiers, start = Modifiers(), None
            continue
        more = grown(modifiers, placed)
        if more is not modifiers and start is None:
            start = placed.span[0]
        modifiers = more
    return found, modifiers


def grown(modifiers: Modifiers, placed: Placed) -> Modifiers:
    """With one more small word; the same if it is none."""
    match placed.item:
        case Degree(strength):
            return replace(modifiers, degree=strength)
        case Modifier(role):
            return replace(modifiers, roles=modifiers.roles | {role})
        case Amount():
            return replace(modifiers, amount=placed.item)
        case _:
            return modifiers


def on_scale(said: Said, modifiers: Modifiers) -> Amount | None:
    """Its amount: "at 90% speed" is a share, "20% more speed" is more."""
    amount = modifiers.amount
    if amount is None or not said.scale or modifiers.roles or amount.unit != "percent":
        return amount
    return Amount(amount.value / 100, "times") if amount.value > 0 else amount
