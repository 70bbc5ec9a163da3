"""Plain words become a change of performance, relative to the take they are said of."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import assert_never

from engine.types import Levers, Performance
from sessions.directing.instructions import (
    CannotDo,
    Force,
    Instruction,
    Missed,
    Move,
    PauseBy,
    Recall,
    Settle,
)
from sessions.directing.items import Return
from sessions.directing.levers import (
    changes,
    copied,
    levers_of,
    measured,
    moved,
    settled,
    strength_of,
)
from sessions.directing.pausing import ends_put_in, pause_length, pause_points
from sessions.directing.performing import Performing, touched
from sessions.directing.places import Place, Whole
from sessions.directing.reading import read
from sessions.directing.spots import Line, Span, resolved
from sessions.directing.understanding import understood
from sessions.directing.values import (
    Change,
    Context,
    Directed,
    Impossible,
    Meaning,
    Moved,
)
from sessions.directing.vocabulary import Concept, vocabulary

LONGEST = 1000  # characters of a direction that are read; the rest is ignored, and said to be


def direct(
    direction: str, base: Performance, context: Context, meaning: Meaning | None = None
) -> Directed:
    """The performance that the direction asks for, said of a take with performance `base`.

    meaning: asked for phrases outside the vocabulary. Never raises on any direction or text:
    what isn't understood is in `ignored`, and the rest is done. Takes well under a millisecond a
    clause on a line of some sentences.
    """
    line = Line.of(context.text, context.words)
    directing = _Directing(direction, base, context.earlier, line, meaning)
    for instruction in understood(read(direction[:LONGEST], line)):
        directing.do(instruction)
    if direction[LONGEST:].strip():
        directing.do(Missed((LONGEST, len(direction)), guess=False))
    return directing.done()


class _Directing:
    """Does instructions one after the other to one performance, and keeps account of them."""

    def __init__(
        self,
        direction: str,
        base: Performance,
        earlier: tuple[Performance, ...],
        line: Line,
        meaning: Meaning | None,
    ) -> None:
        self._direction = direction
        self._base = base
        self._takes = (*earlier, base)
        self._line = line
        self._meaning = meaning
        self._performing = Performing(base)
        self._taken: list[Span] = []
        self._moved: list[Moved] = []
        self._ignored: list[str] = []
        self._impossible: list[Impossible] = []

    def done(self) -> Directed:
        performance = self._performing.done()
        return Directed(
            performance,
            tuple(self._moved),
            tuple(self._ignored),
            tuple(self._impossible),
            touched(self._base, performance, self._line),
        )

    def do(self, instruction: Instruction) -> None:
        match instruction:
            case Move():
                self._move(instruction)
            case Settle():
                turn = partial(settled, concept=vocabulary().concepts[instruction.concept])
                self._turn(instruction, turn)
            case Recall():
                self._recall(instruction)
            case PauseBy():
                self._pause(instruction)
            case CannotDo(span, name):
                nearest = vocabulary().impossible[name].nearest
                names = tuple(each.replace("_", " ") for each in nearest)
                self._impossible.append(Impossible(self._phrase(span), names))
            case Missed():
                self._guess(instruction)
            case _:
                assert_never(instruction)

    def _move(self, move: Move) -> None:
        like = None if move.like is None else self._earlier(move.like)
        if move.like is not None and like is None:
            self._ignore(move.span)
            return
        concept = self._effective(move)
        self._turn(move, partial(_turned, move=move, concept=concept, like=like))

    def _effective(self, move: Move) -> Concept:
        """Stress that is said of no words, or taken where there is none, is something else; so is
        toning down what is neutral.
        """
        concepts = vocabulary().concepts
        concept = concepts[move.concept]
        if concept.unscoped and (move.place is None or isinstance(move.place, Whole)):
            return concepts[concept.unscoped]
        if concept.unmoved and levers_of(self._performing.done()) == Levers():
            return concepts[concept.unmoved]
        if concept.opposite and move.force.strength < 0 and not self._stressed(move.place):
            return _opposed(concepts[concept.opposite])
        return concept

    def _stressed(self, place: Place | None) -> bool:
        spans = self._spans(place) or []
        return any(self._performing.at(span[0]).emphasis > 0 for span in spans)

    def _turn(self, move: Move | Settle, turn: partial[Levers]) -> None:
        """Changes the whole or the place; a place that the line hasn't got is ignored."""
        span, clause = move.span, move.clause or move.span
        spans = self._spans(move.place)
        if spans is None:
            before = self._performing.whole
            self._performing.turn_all(turn)
            self._account(span, changes(before, self._performing.whole))
            return
        if not spans:
            self._ignore(clause)
        for each in spans:
            before = self._performing.at(each[0])
            self._performing.turn(each, turn)
            done = changes(before, self._performing.at(each[0]))
            self._account(span, done, self._line.text[slice(*each)])

    def _spans(self, place: Place | None) -> list[Span] | None:
        """Characters of a place, None for the whole line; remembers them for "the rest"."""
        if place is None or isinstance(place, Whole):
            return None
        runs = resolved(place, self._line, self._taken)
        self._taken += [run for run in runs if run not in self._taken]
        return [self._line.span(run) for run in runs]

    def _recall(self, recall: Recall) -> None:
        earlier = self._earlier(recall.take)
        spans = self._spans(recall.place)
        if earlier is None or spans == []:
            self._ignore(recall.clause or recall.span)
            return
        if spans is None:
            before = self._performing.whole
            self._performing.become(earlier)
            self._account(recall.span, changes(before, self._performing.whole))
        for span in spans or ():
            before = self._performing.at(span[0])
            self._performing.become(earlier, span)
            done = changes(before, self._performing.at(span[0]))
            self._account(recall.span, done, self._line.text[slice(*span)])

    def _earlier(self, take: Return) -> Performance | None:
        """The performance meant; the first and the one before are this one if there is none."""
        if take.number:
            return self._takes[take.number - 1] if take.number <= len(self._takes) else None
        if take.back:
            return self._takes[-1 - take.back] if take.back < len(self._takes) else None
        match take.which:
            case "neutral" | None:
                return Performance()
            case "first":
                return self._takes[0]
            case "previous":
                return self._takes[-2] if len(self._takes) > 1 else self._base
            case "this":
                return self._base
        assert_never(take.which)

    def _pause(self, pause: PauseBy) -> None:
        points = pause_points(pause.place, self._line, self._taken)
        if not points:
            self._ignore(pause.span)
        for at in points:
            before = self._performing.pause(at)
            after = pause_length(before or 0.0, pause)
            if ends_put_in(before, after, pause):
                self._performing.drop_pause(at)
            else:
                self._performing.set_pause(at, after)
            changed = before is None or before != after
            done = (Change("pause", before or 0.0, after),) if changed else ()
            self._account(pause.span, done, self._around(at))

    def _around(self, at: int) -> str:
        """The words on both sides of a pause."""
        beside = [s for s in self._line.spots if s.span[1] <= at][-1:]
        beside += [s for s in self._line.spots if s.span[0] >= at][:1]
        return self._line.text[beside[0].span[0] : beside[-1].span[1]] if beside else ""

    def _guess(self, missed: Missed) -> None:
        """Asks an embedding what was meant, if there is one."""
        phrase = self._phrase(missed.span)
        near = self._meaning.nearest(phrase) if self._meaning and missed.guess else None
        if near is None or near.concept not in vocabulary().concepts:
            self._ignore(missed.quoted or missed.span)
            return
        self._move(Move(missed.span, near.concept, Force(1.0), place=missed.place))

    def _account(self, span: Span, done: tuple[Change, ...], scope: str | None = None) -> None:
        self._moved.append(Moved(self._phrase(span), span, done, scope))

    def _ignore(self, span: Span) -> None:
        phrase = self._phrase(span)
        if phrase not in self._ignored:
            self._ignored.append(phrase)

    def _phrase(self, span: Span) -> str:
        return self._direction[slice(*span)].strip()


def _turned(levers: Levers, move: Move, concept: Concept, like: Performance | None) -> Levers:
    """The levers after a move."""
    if like is not None and concept.blend is None:
        levers = copied(levers, levers_of(like), concept)
    if move.amount is None:
        return moved(levers, concept, move.force)
    forward = move.force.strength >= 0
    by_measure = measured(levers, concept, move.amount, forward)
    if by_measure is not None:
        return by_measure
    strength = strength_of(move.amount)
    if strength is None:
        return moved(levers, concept, move.force)
    return moved(levers, concept, Force(strength if forward else -strength))


def _opposed(concept: Concept) -> Concept:
    """A concept that is done where its opposite was to be taken away."""
    recipe = {name: _inverse(name, float(value)) for name, value in concept.recipe.items()}
    return concept.model_copy(update={"recipe": recipe})


def _inverse(name: str, value: float) -> float:
    factors = {lever for lever, bound in vocabulary().levers.items() if bound.kind == "factor"}
    return 1 / value if name in factors else -value


def concepts() -> Iterator[str]:
    """Names of all concepts that a direction can mean."""
    return iter(vocabulary().concepts)
