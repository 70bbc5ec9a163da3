"""hibari's dictionaries on disk read as its own do."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from engine.families.embedded import dictionaries
from engine.families.embedded.phonemes import Phonemiser

HARD = (
    "Mr. O'Neill read the record that he'd record: the 3rd, live, at St. Mary's.",
    "'Merica's naïve façade; Ndrangheta, aardvarks and zyzzyvas. USED to used to.",
    "I use the use of a close close-up, minute by minute — e.g. Polish polish.",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("dictionaries")
    dictionaries.write(made)
    return made


@pytest.mark.parametrize("british", [False, True], ids=["american", "british"])
def test_every_sentence_is_read_as_by_hibaris_own(folder: Path, british: bool) -> None:
    data = resources.files("engine.families.embedded") / "data" / "calibration.txt"
    ours, theirs = Phonemiser(british, folder), Phonemiser(british)
    for text in (*HARD, *data.read_text("utf-8").splitlines()):
        assert ours.read_all(text) == theirs.read_all(text), text


def test_a_word_that_is_not_there_is_none(folder: Path) -> None:
    trie = dictionaries.Trie(folder / "lexicon_us_gold.marisa")
    assert "bread" in trie
    assert isinstance(trie.get("bread"), str)
    assert "bre" not in trie
    assert trie.get("qqxz") is None
