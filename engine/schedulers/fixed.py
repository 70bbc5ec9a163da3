"""Windows of a plan that follows neither load nor time; only whose turn it is does."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from engine.schedulers.chains import Terms, hold_of, ramp
from engine.schedulers.choices import Choice, Go, Standing, Wait


def plan_of(asked: tuple[int, ...] | None, terms: Terms, exact: bool) -> tuple[int, ...] | None:
    """The plan that is followed whatever the load; None for one that follows it. asked: by the
    config. exact: any plan gives the same samples."""
    if asked is not None:
        return tuple(min(size, terms.largest) for size in asked)
    return None if exact else ramp(terms)


def follow(plan: tuple[int, ...], takes: Iterable[Standing], terms: Terms) -> Choice:
    """First windows before later ones, then the earliest deadline, then the order of arrival.

    plan: frames of the first window, the second, and so on; the last one's repeat.
    """
    takes = list(takes)
    able = [take for take in takes if window(plan, take) is not None]
    if not able:
        return Wait()
    take = min(able, key=_urgency)
    frames = window(plan, take)
    assert frames is not None, "only those were looked at"
    return Go(take.order, frames, _hold(plan, take, takes, terms))


def window(plan: tuple[int, ...], take: Standing) -> int | None:
    """Frames of the take's next window; None where they are not there, or not wanted."""
    size = plan[min(take.made, len(plan) - 1)]
    if take.ready is None or not take.wanted or (take.ready.more and take.ready.frames < size):
        return None
    return size


def _urgency(take: Standing) -> tuple[bool, float, int]:
    return take.made > 0, -inf if take.deadline is None else take.deadline, take.order


def _hold(plan: tuple[int, ...], take: Standing, takes: Iterable[Standing], terms: Terms) -> float:
    if take.made or take.ready is None:
        return 0.0
    load = sum(1.0 if other.ready is None else other.ready.work for other in takes)
    return hold_of(plan, terms, load, take.ready.frames)
