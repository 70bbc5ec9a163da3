"""hibari's dictionaries as tries in a file: as Python's own they take 150 MiB and a second to read.

marisa-trie keeps them, since it maps the file and looks up without reading it all (of what was
tried, SQLite takes ten times as long for a word).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import marisa_trie
from hibari.g2p import G2P, _load_json
from hibari.g2p.lexicon import Lexicon
from hibari.g2p.tagger import Tagger
from hibari.g2p.tokenize import Tokenizer

_ACCENTS: Final = ("us", "gb")
_PARTS: Final = ("gold", "silver")
#: Entries that a dictionary keeps at hand: words come again.
_AT_HAND: Final = 4096


class Trie:
    """A mapping from words to what JSON can hold, on disk. What is got must not be changed."""

    def __init__(self, path: Path) -> None:
        self._trie = marisa_trie.BytesTrie().mmap(str(path))
        self._get = lru_cache(_AT_HAND)(self._look_up)

    def get(self, word: str) -> Any:
        """None for a word that isn't there."""
        return self._get(word)

    def __contains__(self, word: str) -> bool:
        return word in self._trie

    def _look_up(self, word: str) -> Any:
        found = self._trie.get(word)
        return json.loads(found[0]) if found else None


def write(folder: Path) -> None:
    """All of hibari's, for `rules`."""
    for name in (f"lexicon_{accent}_{part}" for accent in _ACCENTS for part in _PARTS):
        _write(folder / f"{name}.marisa", _load_json(f"{name}.json.gz"))
    tagger = _load_json("tagger.json.gz")
    _write(folder / "tags.marisa", tagger["tagdict"])
    _write(folder / "weights.marisa", tagger["weights"])
    _write(folder / "vocabulary.marisa", dict.fromkeys(tagger["vocab"]))
    (folder / "tags.json").write_text(json.dumps(tagger["tags"]))


def _write(path: Path, entries: Mapping[str, Any]) -> None:
    made = ((word, json.dumps(value).encode()) for word, value in entries.items())
    marisa_trie.BytesTrie(made).save(str(path))


def rules(folder: Path, british: bool) -> G2P:
    """Hibari's rules, as `G2P(british=british)` gives them, on what `write` wrote."""
    accent = "gb" if british else "us"
    gold, silver = (Trie(folder / f"lexicon_{accent}_{part}.marisa") for part in _PARTS)
    made = G2P.__new__(G2P)
    made.lexicon = Lexicon(gold, silver, british)
    made.tokenizer = Tokenizer(_load_json("tokenizer_exceptions.json"))
    made.tagger = _tagger(folder)
    made._oov, made.unk, made.british = None, "", british
    return made


def _tagger(folder: Path) -> Tagger:
    made = Tagger.__new__(Tagger)
    made.tags = json.loads((folder / "tags.json").read_text())
    made.tagdict, made.weights, made.vocab = (
        Trie(folder / f"{name}.marisa") for name in ("tags", "weights", "vocabulary")
    )
    return made
