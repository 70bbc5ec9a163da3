"""Pauses: where a direction wants them, and how long they become."""

from __future__ import annotations

from collections.abc import Sequence

from sessions.directing.instructions import PauseBy
from sessions.directing.items import Role
from sessions.directing.places import (
    After,
    Before,
    Between,
    Both,
    Counted,
    Mark,
    Place,
    Side,
    Within,
)
from sessions.directing.spots import Line, Span, resolved
from sessions.directing.vocabulary import vocabulary

_TAKES = frozenset((Role.LESS, Role.TOO, Role.HEARD, Role.PARTLY, Role.BAR))


def pause_points(place: Place | None, line: Line, taken: Sequence[Span] = ()) -> list[int]:
    """Characters before whose word there is to be silence; without a place, every clause but the
    first has one. Empty if the line has no such place.
    """
    if place is None:
        return [line.span(run)[0] for run in line.units("clause")[1:]]
    return sorted({_offset(line, index) for index in _indices(place, line, taken)})


def _indices(place: Place, line: Line, taken: Sequence[Span]) -> list[int]:
    """Numbers of the words that the pauses come before; one past the last means the end."""
    match place:
        case Before(inner):
            return [run[0] for run in resolved(inner, line, taken)]
        case After(inner):
            return [run[1] for run in resolved(inner, line, taken)]
        case Side("end", _):
            return [len(line.spots)]
        case Both(places):
            return [index for each in places for index in _indices(each, line, taken)]
        case Between(first, last, False) if last is not None:
            return [run[0] for run in resolved(last, line) if resolved(first, line)][:1]
        case Counted(_, None, _):
            return [run[0] for run in resolved(place, line, taken)][1:]
        case Within(Before(inner) | After(inner), outer):
            way = Before if isinstance(place.inner, Before) else After
            return _indices(way(Within(inner, outer)), line, taken)
        case _:
            marked = isinstance(place, Mark)
            return [run[1] if marked else run[0] for run in resolved(place, line, taken)]


def _offset(line: Line, index: int) -> int:
    return line.spots[index].span[0] if index < len(line.spots) else len(line.text)


def ends_put_in(before: float | None, after: float, pause: PauseBy) -> bool:
    """Whether a pause that was put in is only taken back: "shorter" leaves the voice's own silence
    until it is said once more, "no pause" doesn't.
    """
    return bool(before) and after == 0 and _is_taken_from(pause)


def pause_length(before: float, pause: PauseBy) -> float:
    """Seconds of silence where there were `before`; at 0 the voice's own goes too."""
    sizes, modifiers = vocabulary().pauses, pause.modifiers
    degree = 1.0 if modifiers.degree is None else modifiers.degree
    longer = pause.size is None or pause.size.sign > 0
    amount = modifiers.amount
    if amount is not None and amount.unit in ("seconds", "bare"):
        step = amount.value if longer else -amount.value
        compared = pause.size is not None and pause.size.compared
        return _held(before + step if compared else amount.value)
    if Role.BAR in modifiers.roles and pause.size is None:
        return 0.0
    if _is_relative(pause):
        forward = longer != bool(modifiers.roles & _TAKES)
        return _held(before + sizes.step * degree * (1 if forward else -1))
    if pause.size is None:
        return _held(max(before, sizes.plain * degree))
    return _held(sizes.long * degree if longer else sizes.short / degree)


def _is_relative(pause: PauseBy) -> bool:
    """Longer, shorter, more of a pause, less of one."""
    compared = pause.size is not None and pause.size.compared
    return compared or bool(pause.modifiers.roles & {Role.MORE, *_TAKES})


def _is_taken_from(pause: PauseBy) -> bool:
    return Role.BAR not in pause.modifiers.roles and _is_relative(pause)


def _held(seconds: float) -> float:
    return round(min(vocabulary().pauses.most, max(0.0, seconds)), 3)
