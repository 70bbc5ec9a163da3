"""What the phonemiser's own lexicon gets wrong, as data, in the model's phoneme letters.

Every reading is given for American and for British voices.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

# Words by themselves: American, British.
WORDS: dict[str, tuple[str, str]] = {
    "'tis": ("tˈɪz", "tˈɪz"),
    "'twas": ("twˈʌz", "twˈɒz"),
    "'n": ("ən", "ən"),
    "'n'": ("ən", "ən"),
    "hmm": ("hˈʌm", "hˈʌm"),
    "mm": ("mˈʌm", "mˈʌm"),
    "shh": ("ʃˈʃ", "ʃˈʃ"),
    "psst": ("pˈst", "pˈst"),
    "brr": ("bˈɜɹ", "bˈɜː"),
    "grr": ("ɡˈɜɹ", "ɡˈɜː"),
    "zz": ("zˈzz", "zˈzz"),
    "ugh": ("ˈʌɡ", "ˈʌɡ"),
    "cetera": ("sˈɛTəɹə", "sˈɛtəɹə"),
    "wi": ("wˈI", "wˈI"),
}


@dataclass(frozen=True, slots=True)
class Heteronym:
    """A word that is said otherwise where all its patterns match.

    left: matched at the end of the words before it; right: at the start of those after it; around:
    anywhere in the sentence. All in small letters with single spaces, "" always matches.
    """

    word: str
    american: str
    british: str
    left: str = ""
    right: str = ""
    around: str = ""

    def fits(self, before: str, after: str) -> bool:
        """Whether the word is this one between those words."""
        return bool(
            re.search(rf"(?:^|\s)(?:{self.left})$" if self.left else "", before)
            and re.match(rf"(?:{self.right})(?:\s|$)" if self.right else "", after)
            and re.search(rf"\b(?:{self.around})\b" if self.around else "", f"{before} {after}")
        )


def load(table: str) -> tuple[Heteronym, ...]:
    """Of a table as in data/heteronyms.tsv. Raises ValueError for a row without six cells."""
    rows = [line.split("\t") for line in table.splitlines() if line[:1] not in {"#", ""}]
    sets = {name: words for name, *rest in rows if name[0] == "{" for words in rest}
    entries = [[_filled(cell, sets) for cell in row] for row in rows[1:] if row[0][0] != "{"]
    if any(len(entry) != 6 for entry in entries):
        raise ValueError("heteronyms.tsv: every row has six cells")
    return tuple(Heteronym(*entry) for entry in entries)


def _filled(cell: str, sets: dict[str, str]) -> str:
    for name, words in sets.items():
        cell = cell.replace(name, words)
    return cell


class Heteronyms:
    """Finds the reading that a word's neighbours ask for."""

    def __init__(self, british: bool) -> None:
        self._british = british
        self._table: dict[str, list[Heteronym]] = {}
        table = resources.files("engine.families.embedded") / "data" / "heteronyms.tsv"
        for entry in load(table.read_text("utf-8")):
            self._table.setdefault(entry.word, []).append(entry)

    def find(self, words: Sequence[str], at: int) -> str | None:
        """Phonemes of words[at], None where the lexicon's own reading will do."""
        entries = self._table.get(words[at]) or self._table.get(words[at].lower())
        if not entries:
            return None
        before = " ".join(words[:at]).lower()
        after = " ".join(words[at + 1 :]).lower()
        entry = next((entry for entry in entries if entry.fits(before, after)), None)
        if entry is None:
            return None
        return entry.british if self._british else entry.american
