"""How a line of a script is said: by its directions, those within it, and what it stresses."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from engine.types import Levers, Performance
from sessions.directing import Context, Directed
from sessions.directing.performing import Performing
from sessions.directions import Directions
from sessions.script import Dialogue

STRESS = 1.0
"""Strength of what a script writes in italics, bold or underlined."""


def said(
    dialogue: Dialogue, direction: str | None, text: str, directions: Directions
) -> tuple[Performance, list[Directed]]:
    """The performance of a line, and how each of its directions was understood.

    direction: the line's standing one. text: what is spoken, tags blanked.
    """
    context = Context(text)
    whole = Directed(Performance())
    if direction is not None:
        whole = directions.at_once(direction, Performance(), context)
    performing = Performing(whole.performance)
    understood = [whole]
    ends = [*(aside.at for aside in dialogue.asides), len(text)]
    for aside, span in zip(dialogue.asides, pairwise(ends), strict=True):
        directed = directions.at_once(aside.direction, whole.performance, context)
        performing.become(directed.performance, span)
        understood.append(directed)
    for emphasis in dialogue.emphasis:
        if emphasis.span != (0, len(text)):
            performing.turn(emphasis.span, _stressed)
    return performing.done(), understood


def _stressed(levers: Levers) -> Levers:
    return replace(levers, emphasis=max(levers.emphasis, STRESS))
