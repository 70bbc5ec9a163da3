"""Every phrase of the vocabulary, in all its forms, and the item it stands for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from sessions.directing.forms import adjective_forms, comparative, one_edit, verb_forms
from sessions.directing.items import (
    Beyond,
    Break,
    Degree,
    Filler,
    Item,
    Joint,
    Modifier,
    Pausing,
    Return,
    Said,
    Size,
)
from sessions.directing.tokens import words_of
from sessions.directing.vocabulary import Concept, Vocabulary, vocabulary

# Words that may stand between those of a phrase: "slow it down", "pick the pace right up".
_GAPS = frozenset(
    ("it", "this", "that", "the", "things", "them", "him", "her", "right", "back", "all", "your")
)
_NEAR = 5  # letters from which one wrong letter is forgiven


class Lexicon:
    """Finds the longest phrase at the head of some words. Earlier entries win over later ones."""

    def __init__(self, entries: Iterable[tuple[str, Item]]) -> None:
        self._by_head: dict[str, dict[tuple[str, ...], Item]] = {}
        for phrase, item in entries:
            words = words_of(phrase)
            if words:
                self._by_head.setdefault(words[0], {}).setdefault(words, item)
        self._nearly = self._long_words()

    def _long_words(self) -> dict[str, Item]:
        """Single words of more than a few letters, which may be misspelt."""
        found: dict[str, Item] = {}
        for head, phrases in self._by_head.items():
            item = phrases.get((head,))
            if item is not None and len(head) >= _NEAR and not isinstance(item, Filler):
                found[head] = item
        return found

    def begins(self, word: str) -> bool:
        """Whether the word alone, or a phrase that begins with it, is known."""
        return word in self._by_head

    def longest(self, words: Sequence[str]) -> tuple[Item, int] | None:
        """The item and how many words it took."""
        best: tuple[Item, int] | None = None
        for phrase, item in self._by_head.get(words[0], {}).items():
            taken = _taken(phrase, words)
            if taken and (best is None or taken > best[1]):
                best = item, taken
        return best

    def nearly(self, word: str) -> Item | None:
        """What a misspelt word was meant to be, if it was one of five letters or more."""
        if len(word) < _NEAR or word in self._by_head:
            return None
        return next((item for known, item in self._nearly.items() if one_edit(known, word)), None)


def _taken(phrase: tuple[str, ...], words: Sequence[str]) -> int:
    """Words used up by the phrase, 0 if it doesn't stand at the head of them."""
    at = 0
    for index, wanted in enumerate(phrase):
        if index and at < len(words) and words[at] != wanted and words[at] in _GAPS:
            at += 1
        if at >= len(words) or words[at] != wanted:
            return 0
        at += 1
    return at


def entries_of(words: Vocabulary) -> Iterator[tuple[str, Item]]:
    """All phrases, the telling ones before those that say little."""
    yield from _concepts(words)
    yield from _impossible(words)
    yield from _returns(words)
    for degree in words.degrees:
        yield from ((phrase, Degree(degree.strength)) for phrase in degree.words)
    for role, phrases in words.modifiers.items():
        yield from ((phrase, Modifier(role)) for phrase in phrases)
    for joint, phrases in words.breaks.items():
        yield from ((phrase, Break(Joint(joint))) for phrase in phrases)
    yield from ((phrase, Pausing()) for phrase in words.pausing)
    yield from ((phrase, Filler(likens=True)) for phrase in words.likening)
    yield from ((phrase, Filler(leads=True)) for phrase in words.leading)
    yield from ((phrase, Filler()) for phrase in words.filler)


def size_entries(words: Vocabulary) -> Iterator[tuple[str, Item]]:
    """Words that mean the length of a pause where one is spoken of."""
    for sign, phrases in ((1, words.sizes["long"]), (-1, words.sizes["short"])):
        for phrase in phrases:
            yield phrase, Size(sign, compared=phrase.endswith(("er", "en")))
    yield from ((phrase, Pausing(placed=True)) for phrase in words.pausing_if_placed)


def _concepts(words: Vocabulary) -> Iterator[tuple[str, Item]]:
    for name, concept in words.concepts.items():
        for phrase, compared in concept_forms(concept):
            yield phrase, Said(name, compared=compared)
        yield from ((noun, Said(name, scale=True)) for noun in concept.nouns)


def concept_forms(concept: Concept) -> Iterator[tuple[str, bool]]:
    """Every form of a concept but its nouns, and whether it is a comparative."""
    yield from ((phrase, False) for phrase in concept.phrases)
    for word in concept.words:
        yield comparative(word), True
        yield from ((form, False) for form in adjective_forms(word))
    for verb in concept.verbs:
        yield from ((form, False) for form in verb_forms(verb))


def _impossible(words: Vocabulary) -> Iterator[tuple[str, Item]]:
    for name, cannot in words.impossible.items():
        adjectives = (form for word in cannot.words for form in adjective_forms(word))
        compared = (comparative(word) for word in cannot.words)
        verbs = (form for verb in cannot.verbs for form in verb_forms(verb))
        for phrase in (*cannot.phrases, *adjectives, *compared, *verbs):
            yield phrase, Beyond(name)


def _returns(words: Vocabulary) -> Iterator[tuple[str, Item]]:
    for which, phrases in words.returns.items():
        yield from ((phrase, Return(which)) for phrase in phrases)


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """Of the vocabulary."""
    return Lexicon(entries_of(vocabulary()))


@lru_cache(maxsize=1)
def size_lexicon() -> Lexicon:
    """Of the words that are sizes beside a pause and something else elsewhere."""
    return Lexicon(size_entries(vocabulary()))
