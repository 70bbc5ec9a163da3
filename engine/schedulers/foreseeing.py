"""The windows that a take would get if it had the machine to itself, worked out without one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.costs import LearntCosts, WindowCosts
from engine.runners import Ready
from engine.schedulers import fixed
from engine.schedulers.chains import Terms
from engine.schedulers.choices import Choice, Go, Standing
from engine.schedulers.planning import decide
from engine.stats import WindowStats

SENTENCE: Final = 60
"""Codec frames of the take that is foreseen."""


@dataclass(frozen=True, slots=True)
class Lone:
    """windows: codec frames of each. hold: seconds that the first one is held back."""

    windows: tuple[int, ...]
    hold: float


def foreseen(costs: WindowCosts, frame_s: float, asked: tuple[int, ...] | None) -> WindowStats:
    """What a scheduler would tell of windows that cost so much, and give the same samples whatever
    their sizes are. asked: a plan, by the config."""
    sizes = tuple(frames for frames, _ in costs.table)
    plan = fixed.plan_of(asked, Terms.of(sizes, LearntCosts(costs), frame_s), exact=True)
    return WindowStats(costs, 1.0, sizes, plan, frame_s)


def lone(stats: WindowStats, frames: int = SENTENCE) -> Lone:
    """Of a take of a single clause, played as soon as it may be. frames: codec frames."""
    terms = Terms.of(stats.sizes, LearntCosts(stats.now), stats.frame_s)
    now, hold, deadline, windows = 0.0, 0.0, None, list[int]()
    while left := frames - sum(windows):
        ready = Ready(sum(windows), left, False, ())
        opens = not windows
        take = Standing(0, 0.0, ready, deadline, True, True, opens, len(windows))
        choice = _choice(stats.plan, take, terms, now)
        if not isinstance(choice, Go):
            break  # Nothing more would come of waiting: all of it is there.
        size = min(choice.frames, left)
        now += terms.cost(size)
        hold = choice.hold if opens else hold
        deadline = (now + hold if deadline is None else deadline) + terms.sound(size)
        windows.append(size)
    return Lone(tuple(windows), hold)


def _choice(plan: tuple[int, ...] | None, take: Standing, terms: Terms, now: float) -> Choice:
    return decide([take], terms, now) if plan is None else fixed.follow(plan, [take], terms)
