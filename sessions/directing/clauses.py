"""Items parted into clauses, and what can be told of a clause before it is understood."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sessions.directing.instructions import Span
from sessions.directing.items import (
    Beyond,
    Break,
    Degree,
    Filler,
    Item,
    Joint,
    Modifier,
    Pausing,
    Placed,
    Return,
    Role,
    Said,
    Scope,
    Unknown,
)
from sessions.directing.places import Both, Place
from sessions.directing.vocabulary import vocabulary

_NEGATIVE = frozenset((Role.BAR, Role.PARTLY, Role.TOO, Role.LESS))


@dataclass(frozen=True, slots=True)
class Clause:
    """Items without breaks, at least one of them; `joint` stands before them."""

    items: tuple[Placed, ...]
    joint: Joint

    @property
    def telling(self) -> tuple[Placed, ...]:
        return tuple(placed for placed in self.items if not isinstance(placed.item, Filler))

    @property
    def span(self) -> Span:
        return self.items[0].span[0], self.items[-1].span[1]

    @property
    def pauses(self) -> bool:
        return any(isinstance(placed.item, Pausing) for placed in self.items)

    @property
    def roles(self) -> frozenset[Role]:
        return frozenset(p.item.role for p in self.items if isinstance(p.item, Modifier))

    @property
    def said(self) -> tuple[Placed, ...]:
        return tuple(placed for placed in self.items if isinstance(placed.item, Said))

    @property
    def names_concepts(self) -> bool:
        """Whether it names something that the voice can or can't do."""
        return any(isinstance(placed.item, Said | Beyond) for placed in self.items)

    @property
    def returned(self) -> Placed | None:
        """The earlier take it speaks of; "like this" is none."""
        found = (p for p in self.items if isinstance(p.item, Return) and p.item.which != "this")
        return max(found, key=lambda placed: placed.span, default=None)

    @property
    def place(self) -> Place | None:
        """Where it applies."""
        places = [scope.place for scope in self._scopes()]
        if len(places) > 1:
            return Both(tuple(places))
        return places[0] if places else None

    @property
    def place_leads(self) -> bool:
        """The place stands before what is said of it: "the last word louder and slower"."""
        order = [p.item for p in self.items if isinstance(p.item, Said | Scope | Pausing)]
        return bool(order) and isinstance(order[0], Scope)

    @property
    def place_is_led(self) -> bool:
        """The place has a preposition: "louder and slower on the last word"."""
        return any(scope.led for scope in self._scopes())

    @property
    def only_places(self) -> bool:
        return bool(self._scopes()) and all(isinstance(p.item, Scope) for p in self.telling)

    def _scopes(self) -> tuple[Scope, ...]:
        return tuple(p.item for p in self.items if isinstance(p.item, Scope))

    def unknown(self) -> Iterator[Span]:
        """Runs of words not understood, with what says nothing between them; all of the clause if
        nothing in it was understood.
        """
        if not any(isinstance(placed.item, Unknown) for placed in self.items):
            return
        if all(_says_little(placed.item) for placed in self.items):
            yield self.span
            return
        for run in self._unknown_runs():
            yield run[0].span[0], run[-1].span[1]

    def quoted(self, unknown: Span) -> Span:
        """What to quote of what isn't understood: with a likeness, all of it, since "band" would
        tell nobody what was missed of "like a brass band"; else with the small words that lead to
        it. A likeness goes on to the next one: "like a sailor" and "as a cat" of two.
        """
        likened = [p.span[0] for p in self.items if _likens(p.item)]
        before = [start for start in likened if start <= unknown[0]]
        if not before:
            return self._led_to(unknown), unknown[1]
        after = min((start for start in likened if start > unknown[0]), default=self.span[1])
        return max(before), self._likeness_ends(after)

    def _likeness_ends(self, before: int) -> int:
        """Where the last word ends that isn't understood, or those behind it that say nothing: of
        "the way a cat would do it" all belongs to it.
        """
        end, going = 0, False
        for placed in self.items:
            if placed.span[1] > before:
                break
            going = isinstance(placed.item, Unknown) or (going and placed.item == Filler())
            end = placed.span[1] if going else end
        return end

    def _led_to(self, unknown: Span) -> int:
        """Where the small words begin that stand right before what isn't understood."""
        start = unknown[0]
        for placed in reversed([p for p in self.items if p.span[1] <= start]):
            if placed.item != Filler(leads=True):
                break
            start = placed.span[0]
        return start

    def _unknown_runs(self) -> list[list[Placed]]:
        runs: list[list[Placed]] = []
        between: list[Placed] = []
        going = False
        for placed in self.items:
            if isinstance(placed.item, Unknown):
                runs[-1].extend([*between, placed]) if going else runs.append([placed])
                between, going = [], True
            elif isinstance(placed.item, Filler):
                between.append(placed)
            else:
                between, going = [], False
        return runs

    def names_missing_words(self) -> bool:
        """Whether what isn't understood must be words of the line that it hasn't got."""
        if self._scopes() or self.pauses:
            return not self._scopes()
        words = vocabulary().concepts
        telling = [p for p in self.items if not isinstance(p.item, Filler) or p.item.likens]
        for before, here in zip((None, *telling), (*telling, None), strict=True):
            said, after = before and before.item, here and here.item
            if isinstance(said, Unknown) and isinstance(after, Said) and after.compared:
                return True
            if isinstance(said, Said) and isinstance(after, Unknown):
                return words[said.concept].takes_words or said.concept in _VERBS_OF_WORDS
        return False


_VERBS_OF_WORDS = frozenset(("whisper", "shout", "drawn"))


def _likens(item: Item) -> bool:
    return item in (Filler(likens=True), Modifier(Role.AS), Modifier(Role.THAN))


def _says_little(item: Item) -> bool:
    return isinstance(item, Filler | Unknown | Degree | Modifier)


def parted(items: Sequence[Placed]) -> list[Clause]:
    """The clauses in order, scale nouns settled; a hard break outweighs an "and" beside it."""
    clauses: list[Clause] = []
    run: list[Placed] = []
    joint = Joint.HARD
    for placed in items:
        if not isinstance(placed.item, Break):
            run.append(placed)
            continue
        if run:
            clauses.append(Clause(_settled(_uncompared(run)), joint))
            run, joint = [], placed.item.joint
        elif placed.item.joint is Joint.HARD:
            joint = Joint.HARD
    return [*clauses, Clause(_settled(_uncompared(run)), joint)] if run else clauses


def _uncompared(items: Sequence[Placed]) -> list[Placed]:
    """Without what is only compared with: "softer rather than slower", "louder than the rest"."""
    kept: list[Placed] = []
    compared = False
    for placed in items:
        compared = compared or placed.item == Modifier(Role.THAN)
        if not compared or not isinstance(placed.item, Said | Beyond | Scope):
            kept.append(placed)
    return kept


def _settled(items: Sequence[Placed]) -> tuple[Placed, ...]:
    """Takes nouns of a scale together with the word that moves them: "lower the volume" is down
    the scale of loudness, "a slower pace" just slower.
    """
    nouns = [p for p in items if isinstance(p.item, Said) and p.item.scale]
    movers = [p for p in items if isinstance(p.item, Said) and not p.item.scale]
    if not nouns or not movers:
        return tuple(items)
    noun, mover = nouns[0], movers[0]
    assert isinstance(noun.item, Said)
    assert isinstance(mover.item, Said)
    concepts = vocabulary().concepts
    scale, moved = concepts[noun.item.concept], concepts[mover.item.concept]
    if scale.measure == moved.measure or not moved.polar:
        return tuple(p for p in items if p is not noun)
    way = Modifier(Role.MORE if moved.polar > 0 else Role.DOWN)
    return tuple(replace(p, item=way) if p is mover else p for p in items)


def negative(roles: frozenset[Role]) -> frozenset[Role]:
    """Those that take away, and so may reach over "or" to what follows."""
    return roles & _NEGATIVE
