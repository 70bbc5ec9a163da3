"""How long each token lasts, in whole acoustic frames."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from engine.families.embedded.clause import Float

Lengths = NDArray[np.float64]


def paced(raw: Float, rate: float | Lengths) -> Float:
    """Durations [1, n] in whole frames for pace `rate` (one, or one a token): what rounding takes
    from one token is given to the next, so small changes of pace count. No token is shorter than a
    frame."""
    exact = np.cumsum(raw[0].astype(np.float64) / rate)
    edges = np.round(exact)
    return np.maximum(np.diff(edges, prepend=0.0), 1.0).astype(np.float32)[None]


def said_in(raw: Float, whole: Float, plain: Lengths, own: Lengths) -> Float:
    """Durations [1, n] in frames. raw: before rounding; whole: as the model rounds them. plain,
    own: factors of each token by the whole take's levers and by its own. Where these are the same,
    a token lasts as long as it would if no other were said otherwise."""
    made = whole if np.all(plain == 1) else paced(raw, 1 / plain)
    differs = np.flatnonzero(plain != own)
    if not len(differs):
        return made
    made = made.copy()
    for run in np.split(differs, np.flatnonzero(np.diff(differs) > 1) + 1):
        made[:, run] = paced(raw[:, run], 1 / own[run])
    return made


def shut(durations: Float, gaps: Iterable[tuple[int, int]]) -> Float:
    """Durations [1, n] with the tokens [from, to) of each gap at a frame each: marks and spaces are
    where a voice falls silent of its own accord."""
    made = durations.copy()
    for start, stop in gaps:
        made[:, start:stop] = np.minimum(made[:, start:stop], 1.0)
    return made
