"""What stands between the brackets of an inline tag: a closed union; None for what is no tag."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from sessions.directing.forms import adverb, folded, verb_forms
from sessions.directing.items import Beyond
from sessions.directing.lexicon import lexicon
from sessions.directing.tokens import words_of
from sessions.directing.vocabulary import Concept, vocabulary

_PAUSE = re.compile(r"(?P<name>[a-z ]+?)[ :=]*(?P<number>\d*\.?\d+)\s*(?P<unit>s|sec|seconds?|ms)?")
_PLAUSIBLE = re.compile(r"[A-Z]?[a-z]+(?:[ -][a-z]+)?")


@dataclass(frozen=True, slots=True)
class Named:
    """A concept of the vocabulary, as strong as 1 is plain."""

    concept: str
    strength: float = 1.0


@dataclass(frozen=True, slots=True)
class Ends:
    """[/whisper]: the concept holds no longer."""

    concept: str


@dataclass(frozen=True, slots=True)
class Silences:
    """[normal]: nothing holds any longer."""


@dataclass(frozen=True, slots=True)
class Pauses:
    """[pause], [pause 0.5], [long pause]."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Unable:
    """[laughing]: a tag for something that the voice can't do."""

    name: str


TagMeaning: TypeAlias = Named | Ends | Silences | Pauses | Unable


def meaning_of(inside: str) -> TagMeaning | None:
    """Of the characters between the brackets; None if they make no tag."""
    written = inside.strip()
    name = " ".join(folded(written).replace("_", " ").split())
    if name in vocabulary().tags.neutral:
        return Silences()
    if name.startswith("/"):
        return _closing(name[1:].strip(), written[1:].strip())
    return _pause(name) or _named(name) or _unable(name, written)


def _closing(name: str, written: str) -> TagMeaning | None:
    named = _named(name)
    if named is not None:
        return Ends(named.concept)
    if name in vocabulary().tags.neutral or not name:
        return Silences()
    return _unable(name, written)


def _pause(name: str) -> Pauses | None:
    tags, sizes = vocabulary().tags, vocabulary().pauses
    for names, seconds in (
        (tags.pause, sizes.plain),
        (tags.short_pause, sizes.short),
        (tags.long_pause, sizes.long),
    ):
        if name in names:
            return Pauses(seconds)
    match = _PAUSE.fullmatch(name)
    if match is None or match["name"].strip() not in tags.pause:
        return None
    seconds = float(match["number"]) / (1000 if match["unit"] == "ms" else 1)
    return Pauses(min(sizes.most, seconds))


def _named(name: str) -> Named | None:
    """whisper, whispering, a little sad, very angrily."""
    concept = _tags().get(name)
    if concept is not None:
        return Named(concept)
    for degree in vocabulary().degrees:
        for words in degree.words:
            concept = _tags().get(name.removeprefix(words + " "))
            if concept is not None:
                return Named(concept, degree.strength)
    return None


def _unable(name: str, written: str) -> Unable | None:
    """One or two words in lower or title case that mean something impossible."""
    if _PLAUSIBLE.fullmatch(written) is None:
        return None
    words = words_of(name)
    found = lexicon().longest(words)
    whole = found is not None and isinstance(found[0], Beyond) and found[1] == len(words)
    return Unable(written) if whole else None


@lru_cache(maxsize=1)
def _tags() -> dict[str, str]:
    """Every tag and the concept it stands for; the concept's own name before other words."""
    concepts = {name: c for name, c in vocabulary().concepts.items() if c.tag}
    found = {name.replace("_", " "): name for name in concepts}
    for name, concept in concepts.items():
        for form in _forms(concept):
            found.setdefault(form, name)
    return found


def _forms(concept: Concept) -> Iterator[str]:
    for word in concept.words:
        yield from (folded(word), folded(adverb(word)))
    for verb in concept.verbs:
        yield from verb_forms(verb)
    yield from (folded(phrase) for phrase in concept.phrases)


def abilities() -> tuple[str, ...]:
    """Tags that the voice can do, by the names of their concepts."""
    names = (name for name, concept in vocabulary().concepts.items() if concept.tag)
    return (*sorted(names), "pause")
