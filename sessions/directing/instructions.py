"""What a direction asks for, clause by clause: a closed union, still without any numbers moved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from sessions.directing.items import Amount, Return, Role, Size
from sessions.directing.places import Place

Span = tuple[int, int]  # of the direction; `clause` is that of all that belongs to the place


@dataclass(frozen=True, slots=True)
class Force:
    """How far and which way. strength: 1 is plain, negative takes the concept away. beyond: the
    share of it that is done where there is nothing left to take away.
    """

    strength: float
    beyond: float = 1.0


@dataclass(frozen=True, slots=True)
class Modifiers:
    """The small words around a concept."""

    roles: frozenset[Role] = frozenset()
    degree: float | None = None
    amount: Amount | None = None

    @property
    def empty(self) -> bool:
        return not self.roles and self.degree is None and self.amount is None

    def force(self) -> Force | None:
        """None if things should stay as they are: "keep the pace", "loud enough"."""
        degree = 1.0 if self.degree is None else self.degree
        if Role.HOLD in self.roles:
            return None
        if Role.LACKING in self.roles or self.roles >= {Role.BAR, Role.ENOUGH}:
            return Force(degree)
        if Role.ENOUGH in self.roles:
            return None
        if Role.PARTLY in self.roles or self.roles >= {Role.BAR, Role.TOO}:
            return Force(-0.5 * (degree if Role.PARTLY in self.roles else 1.0))
        if Role.BAR in self.roles:
            return self._barred()
        taken = self.roles & {Role.LESS, Role.TOO, Role.DOWN, Role.HEARD}
        return Force(-degree if taken else degree)

    def _barred(self) -> Force:
        """Not less sad, not very sad, not sad."""
        if Role.LESS in self.roles:
            return Force(0.5)
        if self.degree is not None and self.degree > 1:
            return Force(-0.5)
        return Force(-1.0, beyond=0.5)


@dataclass(frozen=True, slots=True)
class Move:
    """A concept, more or less of it. like: measured from an earlier take instead of this one."""

    span: Span
    concept: str
    force: Force
    amount: Amount | None = None
    like: Return | None = None
    place: Place | None = None
    clause: Span | None = None


@dataclass(frozen=True, slots=True)
class Settle:
    """The concept's own levers back to neutral: "normal speed"."""

    span: Span
    concept: str
    place: Place | None = None
    clause: Span | None = None


@dataclass(frozen=True, slots=True)
class Recall:
    """All as in an earlier take."""

    span: Span
    take: Return
    place: Place | None = None
    clause: Span | None = None


@dataclass(frozen=True, slots=True)
class PauseBy:
    """A pause made, made longer or shorter, or taken away; at every clause without a place."""

    span: Span
    modifiers: Modifiers
    size: Size | None
    place: Place | None = None
    clause: Span | None = None


@dataclass(frozen=True, slots=True)
class CannotDo:
    """Understood, but not within the voice."""

    span: Span
    name: str


@dataclass(frozen=True, slots=True)
class Missed:
    """Not understood, or said of words that the line hasn't got. guess: worth an embedding.
    quoted: what to quote of it, the same where not given."""

    span: Span
    guess: bool = True
    quoted: Span | None = None
    place: Place | None = None
    clause: Span | None = None


Instruction: TypeAlias = Move | Settle | Recall | PauseBy | CannotDo | Missed
