"""What a take is worth: the words heard in it, the opinion predicted of it, whose voice it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import jiwer
import numpy as np
from numpy.typing import NDArray

from benchmarks.directing.acoustics import acoustics
from benchmarks.directing.rows import Judgement, Row
from benchmarks.directing.speaker import Encoder
from benchmarks.directing.taking import Taken
from benchmarks.quality.opinion import opinion
from benchmarks.quality.recognisers import RATE, Recogniser, at_16k, normalised, recognisers

WINDOW: Final = int(9.01 * RATE)
"""Samples that DNSMOS looks at."""


class Judge:
    """Judges the takes of one sentence in one voice, the undirected one first."""

    def __init__(self, base: Recogniser, tiny: Recogniser, encoder: Encoder, rate: int) -> None:
        self._base, self._tiny, self._encoder, self._rate = base, tiny, encoder, rate
        self._plain: NDArray[np.float32] | None = None

    def judge(self, taken: Taken, whole: bool) -> Row:
        """whole: words, opinion and voice too, not the sound alone."""
        wave = at_16k(taken.sound, self._rate)
        if not taken.told.direction:
            self._plain = self._encoder.embedding(wave)
        judged = self._judged(taken.told.text, wave) if whole else None
        return Row(taken.told, taken.performance, acoustics(wave), judged)

    def _judged(self, text: str, wave: NDArray[np.float32]) -> Judgement:
        assert self._plain is not None, "the undirected take comes first"
        similarity = float(self._encoder.embedding(wave) @ self._plain)
        heard, again = self._tiny.hear(wave), None
        wrong = misheard(text, heard)
        if wrong:
            again = self._base.hear(wave)
            wrong = min(wrong, misheard(text, again))
        words = len(normalised(text).split())
        return Judgement(opinion(_window(wave)), similarity, words, heard, again, wrong)


def _window(wave: NDArray[np.float32]) -> NDArray[np.float32]:
    """Said over and over for as long as DNSMOS looks at once, so that every take is looked at once,
    not the longer ones more often: that would be most of the time of a run."""
    return np.resize(wave, WINDOW)


def misheard(said: str, heard: str) -> int:
    """Words substituted, left out and put in."""
    found = jiwer.process_words(normalised(said), normalised(heard))
    return int(found.substitutions + found.deletions + found.insertions)


@contextmanager
def judges(threads: int, rate: int) -> Iterator[Judge]:
    """Loads all models, for sound at `rate`."""
    with recognisers(threads) as (base, tiny):
        yield Judge(base, tiny, Encoder(threads), rate)
