"""Whether a character's last lines are said by the voice that said the first ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from statistics import fmean

import librosa
import numpy as np
from numpy.typing import NDArray

from benchmarks.directing.speaker import Encoder
from benchmarks.quality.recognisers import RATE
from benchmarks.scene.rows import Likeness, Line

Embedding = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Heard:
    line: Line
    embedding: Embedding


def likeness(
    encoder: Encoder, first: Iterable[Line], last: Iterable[Line], sample_rate: int
) -> list[Likeness]:
    """A row a character who has lines in both, of lines without a direction, which may alter the
    voice on purpose."""

    def heard(lines: Iterable[Line]) -> list[_Heard]:
        plain = [line for line in lines if not line.said.direction]
        return [_Heard(line, encoder.embedding(_wave(line, sample_rate))) for line in plain]

    begun, ended = heard(first), heard(last)
    speakers = [one.line.said.speaker for one in begun]
    also = {one.line.said.speaker for one in ended}
    return [_row(who, begun, ended) for who in dict.fromkeys(speakers) if who in also]


def _wave(line: Line, sample_rate: int) -> NDArray[np.float32]:
    wave = line.sound.astype(np.float32) / 32768
    made: NDArray[np.float32] = librosa.resample(wave, orig_sr=sample_rate, target_sr=RATE)
    return made


def _row(speaker: str, begun: Sequence[_Heard], ended: Sequence[_Heard]) -> Likeness:
    own = [one for one in begun if one.line.said.speaker == speaker]
    others = [one for one in begun if one.line.said.speaker != speaker]
    late = [one for one in ended if one.line.said.speaker == speaker]
    return Likeness(
        speaker,
        own[0].line.voice,
        len(own),
        len(late),
        _mean(combinations(own, 2)),
        _mean(product(own, late)),
        _mean(product(others, late)),
        sum(_nearest(one, begun) == speaker for one in late),
    )


def _mean(pairs: Iterable[tuple[_Heard, _Heard]]) -> float | None:
    alike = [
        float(one.embedding @ other.embedding)
        for one, other in pairs
        if one.line.said.text != other.line.said.text
    ]
    return fmean(alike) if alike else None


def _nearest(one: _Heard, begun: Sequence[_Heard]) -> str:
    """Whose first lines, on the whole, are nearest."""
    speakers = {other.line.said.speaker for other in begun}

    def near(speaker: str) -> float:
        theirs = [h.embedding for h in begun if h.line.said.speaker == speaker]
        return float(one.embedding @ np.mean(theirs, axis=0))

    return max(sorted(speakers), key=near)
