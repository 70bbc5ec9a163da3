"""From clauses to instructions: degrees, negations and scopes find what they are said of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from sessions.directing.clauses import Clause, negative, parted
from sessions.directing.gathering import Found, gathered, grown, on_scale
from sessions.directing.instructions import (
    CannotDo,
    Force,
    Instruction,
    Missed,
    Modifiers,
    Move,
    PauseBy,
    Recall,
    Settle,
    Span,
)
from sessions.directing.items import (
    Beyond,
    Degree,
    Joint,
    Placed,
    Return,
    Role,
    Said,
    Size,
)
from sessions.directing.places import Place, Rest, Side

_OF_LOUDNESS = ("loud", "quiet")
_OF_PITCH = ("high", "low")
_OF_THEIR_OWN = frozenset((Role.MORE, Role.LESS, Role.UP, Role.DOWN))


def understood(items: Sequence[Placed]) -> list[Instruction]:
    """The instructions of a direction, in the order they are to be done."""
    return _Understanding(parted(items)).all()


class _Understanding:
    """Goes through the clauses once; what a clause leaves for the next is kept between them."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self._clauses = clauses
        self._done: list[Instruction] = []
        self._newest = 0  # where the last clause's instructions begin
        self._carried = Modifiers()
        self._place: Place | None = None

    def all(self) -> list[Instruction]:
        for index, clause in enumerate(self._clauses):
            last = index + 1 == len(self._clauses)
            self._clause(clause, last)
        return self._done

    def _clause(self, clause: Clause, last: bool) -> None:
        if clause.only_places:
            self._set_scene(clause, last)
            return
        place = self._placed(clause)
        made = [_with_place(one, place, clause.span) for one in self._made(clause)]
        if made:
            self._newest = len(self._done)
            self._done += made

    def _set_scene(self, clause: Clause, last: bool) -> None:
        """Only a place: for what comes next, or, at the end, for what came before it."""
        self._place = clause.place
        if not last:
            return
        if self._newest < len(self._done):
            self._place_newest(clause.place)
        else:
            self._done.append(Missed(clause.span, guess=False))

    def _placed(self, clause: Clause) -> Place | None:
        """The clause's own place, or that of the clause before it where that still holds."""
        own = clause.place
        if own is None:
            place = self._place
            if clause.joint is Joint.HARD:
                self._place = None
            return place
        if clause.joint is Joint.AND and clause.place_is_led and not clause.place_leads:
            self._place_newest(own)
        self._place = own if clause.place_leads else None
        if isinstance(own, Side) and own.then_rest:
            self._place = Rest()
        return own

    def _place_newest(self, place: Place | None) -> None:
        """Gives a place to the last clause's instructions that have none."""
        for index in range(self._newest, len(self._done)):
            one = self._done[index]
            if not isinstance(one, CannotDo) and one.place is None:
                self._done[index] = replace(one, place=place)

    def _made(self, clause: Clause) -> list[Instruction]:
        unknown: list[Instruction] = [
            Missed(span, quoted=clause.quoted(span)) for span in clause.unknown()
        ]
        if unknown and clause.names_missing_words():
            return [Missed(clause.span, guess=False)]
        if clause.pauses:
            return [_pause(clause), *unknown]
        said = self._said(clause)
        returned = clause.returned
        if returned is not None:
            said = _returned(clause, returned, said)
        elif not said and not unknown and not clause.names_concepts:
            said = self._alone(clause)
        return [*said, *unknown]

    def _said(self, clause: Clause) -> list[Instruction]:
        """One instruction for each concept, with the small words before it; those left at the end
        belong to the last.
        """
        found, left = gathered(clause)
        if found and found[-1].modifiers.empty:
            found[-1].modifiers = left
        elif found and found[-1].modifiers.degree is None:
            own = found[-1].modifiers
            amount = own.amount or left.amount
            found[-1].modifiers = Modifiers(own.roles | left.roles, left.degree, amount)
        if clause.joint is Joint.HARD:
            self._carried = Modifiers()
        out: list[Instruction] = []
        for one in found:
            out += self._instruction(one, clause.joint)
        return out

    def _instruction(self, found: Found, joint: Joint) -> list[Instruction]:
        item = found.placed.item
        modifiers = self._with_carried(found, joint)
        self._carried = modifiers
        span = (found.start, found.placed.span[1])
        force = modifiers.force()
        if isinstance(item, Beyond):
            return [CannotDo(span, item.name)] if force and force.strength > 0 else []
        assert isinstance(item, Said)
        if Role.NORMAL in modifiers.roles:
            return [Settle(span, item.concept)]
        if item.compared and Role.BAR in modifiers.roles and Role.ENOUGH not in modifiers.roles:
            return []  # "no louder": as it is
        return [Move(span, item.concept, force, on_scale(item, modifiers))] if force else []

    def _with_carried(self, found: Found, joint: Joint) -> Modifiers:
        """What is said of one holds for the next: "a little slower and softer"."""
        own, item = found.modifiers, found.placed.item
        if not own.empty or joint is Joint.HARD:
            return own
        roles = negative(self._carried.roles)
        if isinstance(item, Said) and item.compared:
            roles = frozenset()
        if joint is Joint.AND:
            roles -= {Role.BAR}
        kept = None if negative(self._carried.roles) - roles else self._carried.degree
        return Modifiers(roles, kept)

    def _alone(self, clause: Clause) -> list[Instruction]:
        """Small words without a concept: "more", "but only slightly", "too much", "3 dB up"."""
        modifiers = gathered(clause)[1]
        before = self._done[-1] if self._done else None
        if modifiers.amount is not None:
            return _by_amount(clause.span, modifiers)
        weighs = modifiers.degree is not None or modifiers.roles >= {Role.BAR, Role.TOO}
        if weighs and isinstance(before, Move) and not modifiers.roles & _OF_THEIR_OWN:
            self._done[-1] = _weighed(before, modifiers)
            return []
        if clause.place is not None and modifiers.roles & _OF_THEIR_OWN:
            return [_of_words(clause.span, modifiers)]
        if modifiers.roles & {Role.LESS, Role.TOO} and Role.BAR not in modifiers.roles:
            return [Move(clause.span, "toned_down", Force(modifiers.degree or 1.0))]
        if modifiers.roles & {Role.MORE, Role.LACKING}:
            return [Move(clause.span, "pushed", Force(modifiers.degree or 1.0))]
        if modifiers.degree is not None and modifiers.roles & {Role.UP, Role.DOWN}:
            way = "toned_down" if Role.DOWN in modifiers.roles else "pushed"
            return [Move(clause.span, way, Force(modifiers.degree))]
        lost = modifiers.degree is not None or modifiers.roles & {Role.UP, Role.DOWN}
        return [Missed(clause.span)] if lost else []


def _with_place(one: Instruction, place: Place | None, clause: Span) -> Instruction:
    match one:
        case CannotDo():
            return one
        case Move() | Settle() | Recall() | PauseBy() | Missed():
            return replace(one, place=place, clause=clause)
    assert_never(one)


def _of_words(span: Span, modifiers: Modifiers) -> Move:
    """Words of the line alone: "more on Wednesday" is stress, "lift Wednesday" is pitch."""
    force = modifiers.force() or Force(0.0)
    pitched = modifiers.roles & {Role.UP, Role.DOWN}
    return Move(span, "high" if pitched else "emphasis", force)


def _weighed(move: Move, modifiers: Modifiers) -> Move:
    """The move before, as strong as an afterthought says: "slower, but only slightly"."""
    sign = 1.0 if move.force.strength >= 0 else -1.0
    degree = 0.5 if modifiers.degree is None or Role.BAR in modifiers.roles else modifiers.degree
    return replace(move, force=replace(move.force, strength=sign * degree))


def _by_amount(span: Span, modifiers: Modifiers) -> list[Instruction]:
    """Units that can only mean one scale: "two semitones up", "3 dB down"."""
    assert modifiers.amount is not None
    down = Role.DOWN in modifiers.roles or Role.LESS in modifiers.roles
    match modifiers.amount.unit:
        case "semitones":
            return [Move(span, _OF_PITCH[down], Force(1.0), modifiers.amount)]
        case "decibels":
            return [Move(span, _OF_LOUDNESS[down], Force(1.0), modifiers.amount)]
        case _:
            return [Missed(span)]


def _returned(clause: Clause, placed: Placed, said: list[Instruction]) -> list[Instruction]:
    """An earlier take beside what else is said: a return to it, or only a comparison with it."""
    assert isinstance(placed.item, Return)
    take, roles = placed.item, clause.roles
    moves = [one for one in said if isinstance(one, Move)]
    if take.which == "neutral":
        return _neutral(clause, placed, take, said)
    if Role.THAN in roles and said:
        return [replace(one, like=take) if isinstance(one, Move) else one for one in said]
    if clause.said and roles & {Role.AS, Role.HOLD}:
        names = [p.item.concept for p in clause.said if isinstance(p.item, Said)]
        return [Move(clause.span, name, Force(0.0), like=take) for name in names]
    if moves and any(p.item.scale for p in clause.said if isinstance(p.item, Said)):
        return [Move(one.span, one.concept, Force(0.0), like=take) for one in moves]
    if Role.BAR in roles and not said:
        return [Missed(clause.span, guess=False)]
    return [Recall(placed.span, take), *said]


def _neutral(
    clause: Clause, placed: Placed, take: Return, said: list[Instruction]
) -> list[Instruction]:
    """neutral, a bit more neutral, neutral pitch."""
    names = [p.item.concept for p in clause.said if isinstance(p.item, Said) and p.item.scale]
    if names:
        return [Settle(clause.span, name) for name in names]
    degree = gathered(clause)[1].degree or next(
        (p.item.strength for p in clause.items if isinstance(p.item, Degree)), None
    )
    if not said and (degree is not None or Role.MORE in clause.roles):
        return [Move(clause.span, "toned_down", Force(degree or 1.0))]
    return [Recall(placed.span, take), *said]


def _pause(clause: Clause) -> PauseBy:
    sizes = [placed.item for placed in clause.items if isinstance(placed.item, Size)]
    modifiers = Modifiers()
    for placed in clause.items:
        modifiers = grown(modifiers, placed)
    return PauseBy(clause.span, modifiers, sizes[-1] if sizes else None)
