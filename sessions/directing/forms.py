"""Shapes of English words that a vocabulary need not list, and spelling that is nearly right."""

from __future__ import annotations

import unicodedata

_VOWELS = "aeiou"
_FOLDED = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'", "‐": "-", "‑": "-"})


def folded(text: str) -> str:
    """As it is compared: lower case, plain apostrophes and hyphens, without accents."""
    plain = unicodedata.normalize("NFKD", text.translate(_FOLDED)).lower()
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def comparative(word: str) -> str:
    return _stem(word, "er")


def adjective_forms(word: str) -> tuple[str, ...]:
    """sad: sad, sadly, sadness, saddest (the comparative aside)."""
    return (word, adverb(word), _noun(word), _stem(word, "est"))


def verb_forms(word: str) -> tuple[str, ...]:
    """whisper: whisper, whispers, whispering."""
    ending = "es" if word.endswith(("s", "sh", "ch", "x", "z")) else "s"
    third = word[:-1] + "ies" if _consonant_y(word) else word + ending
    return (word, third, _stem(word, "ing"))


def adverb(word: str) -> str:
    if word.endswith("ic"):
        return word + "ally"
    if word.endswith("le") and len(word) > 3 and word[-3] not in _VOWELS:
        return word[:-1] + "y"
    return word[:-1] + "ily" if _consonant_y(word) else word + "ly"


def _noun(word: str) -> str:
    return word[:-1] + "iness" if _consonant_y(word) else word + "ness"


def _stem(word: str, ending: str) -> str:
    """The word with -er, -est or -ing: sadder, paler, happier, crying."""
    if _consonant_y(word) and ending != "ing":
        return word[:-1] + "i" + ending
    if word.endswith("e") and not (ending == "ing" and word.endswith(("ee", "oe"))):
        return word[:-1] + ending
    return word + (word[-1] if _doubles(word) else "") + ending


def _consonant_y(word: str) -> bool:
    return len(word) > 2 and word.endswith("y") and word[-2] not in _VOWELS


def _doubles(word: str) -> bool:
    """sad, flat, drop; but not low, slow, soft, clear, open."""
    if len(word) < 3 or word[-1] in _VOWELS + "wxyh" or word[-2] not in _VOWELS:
        return False
    vowels = sum(1 for letter in word if letter in _VOWELS)
    return word[-3] not in _VOWELS and vowels == 1


def one_edit(left: str, right: str) -> bool:
    """Whether one letter put in, left out, changed, or swapped with its neighbour joins them."""
    if left == right or abs(len(left) - len(right)) > 1:
        return left == right
    at = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), None)
    if at is None:
        return True
    a, b = left[at:], right[at:]
    swapped = len(a) > 1 and len(b) > 1 and (a[0], a[1]) == (b[1], b[0]) and a[2:] == b[2:]
    return swapped or a[1:] == b[1:] or a[1:] == b or a == b[1:]
