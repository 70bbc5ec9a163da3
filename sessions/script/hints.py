"""What a script lets guess of its speakers: women or men, and where they speak as they do.

Each sign is a vote, the surer the heavier: "a woman" or "(male)" said of the speaker, a title
(Queen, Mr), a pronoun in a direction ("she laughs"), a given name, a pronoun in the action next to
the name alone. The heavier side holds; even votes say nothing. Tables are data beside this.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from sessions.script.model import Action, Dialogue, Item, SpeakerHint, TitleEntry

_WORD = re.compile(r"[^\W\d_]+")
_HE = re.compile(r"\b(?:he|himself)\b", re.IGNORECASE)
_SHE = re.compile(r"\b(?:she|herself)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
#: Sentences of action after the one with the name in which a pronoun still means it.
_REACH = 1


@dataclass(slots=True)
class _Signs:
    """Votes for one speaker: above 0 for a woman, below for a man."""

    votes: int = 0
    language: str | None = None


@cache
def _table(name: str) -> dict[str, str]:
    text = (resources.files("sessions.script") / "data" / name).read_text("utf-8")
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return {words: meaning for meaning, listed in rows for words in listed.split()}


def cast_hints(items: Iterable[Item]) -> tuple[SpeakerHint, ...]:
    """A hint for each speaker, in the order they first speak."""
    items = tuple(items)
    spoken = [item for item in items if isinstance(item, Dialogue)]
    signs: dict[str, _Signs] = {item.speaker: _Signs() for item in spoken}
    for name, sign in signs.items():
        _of_name(name, sign)
    for item in spoken:
        _of_directions(item, signs[item.speaker])
    _of_action([item.text for item in items if isinstance(item, Action)], signs)
    default = _script_language(items)
    return tuple(
        SpeakerHint(name, _gender(sign.votes), sign.language or default)
        for name, sign in signs.items()
    )


def _gender(votes: int) -> str | None:
    return None if votes == 0 else "female" if votes > 0 else "male"


def _vote(words: Sequence[str], table: str, weight: int) -> int:
    found = {_table(table)[word] for word in words if word in _table(table)}
    return weight * (("female" in found) - ("male" in found))


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text.replace("’", "'").replace("'s", ""))]


def _of_name(name: str, sign: _Signs) -> None:
    words = _words(name)
    title = _vote(words, "titles.tsv", 6)
    sign.votes += title or _vote(words[:1] or words, "names.tsv", 2) or _vote(words, "names.tsv", 2)
    sign.language = _language(words)


def _of_directions(item: Dialogue, sign: _Signs) -> None:
    said = [item.direction, item.extension, *(aside.direction for aside in item.asides)]
    text = " . ".join(filter(None, said))
    words = _words(text)
    sign.votes += 3 * (bool(_SHE.search(text)) - bool(_HE.search(text)))
    if not {"to", "at", "with", "like", "as"} & set(words):
        sign.votes += _vote(words, "stated.tsv", 8)
    sign.language = sign.language or _language(words)


def _of_action(paragraphs: Iterable[str], signs: dict[str, _Signs]) -> None:
    """Signs in the paragraphs of action that name one speaker."""
    names = {name.casefold(): name for name in signs if len(name) > 1}
    listed = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    pattern = re.compile(rf"(?<!\w)(?:{listed})(?!\w)", re.IGNORECASE)
    for paragraph in paragraphs if names else ():
        found = {names.get(m.group().casefold()) for m in pattern.finditer(paragraph)}
        if len(found) == 1 and (name := found.pop()):
            _of_paragraph(paragraph, pattern, signs[name])


def _of_paragraph(paragraph: str, pattern: re.Pattern[str], sign: _Signs) -> None:
    """Signs in a paragraph whose only speaker `pattern` finds."""
    sentences = _SENTENCE.split(paragraph)
    first = next((i for i, text in enumerate(sentences) if pattern.search(text)), None)
    if first is None:
        return
    near = " ".join(sentences[first : first + 1 + _REACH])
    after = near[_end(pattern, near) :]
    sign.votes += bool(_SHE.search(after)) - bool(_HE.search(after))
    apposed = re.match(r"\s*(?:\([^)]*\))?\s*,?\s*(?:is )?(an? [^.;,]*)", after)
    described = _words(f"{_bracket(after)} {apposed[1] if apposed else ''}")
    sign.votes += _vote(described, "stated.tsv", 4)
    sign.language = sign.language or _language(described)


def _end(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.search(text)
    return found.end() if found else 0


def _bracket(text: str) -> str:
    found = re.match(r"\s*\(([^)]*)\)", text)
    return found[1] if found else ""


def _language(words: Sequence[str]) -> str | None:
    table = _table("accents.tsv")
    return next((table[word] for word in words if word in table), None)


def _script_language(items: Iterable[Item]) -> str | None:
    for item in items:
        if isinstance(item, TitleEntry) and item.key.casefold() in ("language", "lang"):
            text = item.text.strip()
            return _language(_words(text)) or (text if _TAG.fullmatch(text) else None)
    return None
