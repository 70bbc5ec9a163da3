"""How each take was made, as our server told it, beside what its listener measured."""

from __future__ import annotations

from itertools import groupby
from typing import Final

from benchmarks.report import figure
from benchmarks.scoring import Heard, Told

HEARD_S: Final = 0.001
"""Shorter gaps are no more than how packets happened to come."""


def line(take: Heard) -> str:
    """One take on one line, in seconds; of a system that tells nothing only what was measured.

    F: from the command read until code2wav began. plan: codec frames of each window. held: how long
    its first packet was kept back.
    """
    gaps = ", ".join(f"{1000 * gap:.0f} ms" for gap in take.underruns_s if gap >= HEARD_S)
    ends = f"underruns {gaps or 'none'}"
    return ", ".join([f"first audio {take.first_audio_s:.3f}", *_told(take), ends])


def _told(take: Heard) -> list[str]:
    told = take.told
    if told is None:
        return []
    return [
        f"told {told.first_audio_s:.3f} ({told.first_audio_s - take.first_audio_s:+.3f})",
        *([f"queued {told.queued_s:.3f}"] if told.queued_s else []),
        f"F {figure(told.frames_s, '{:.3f}')}",
        f"plan {plan(told)}",
        f"held {figure(told.held_s, '{:.3f}')}",
    ]


def plan(told: Told) -> str:
    """Windows that are alike and follow each other are counted: 4 6 10×12."""
    runs = ((frames, len(list(alike))) for frames, alike in groupby(told.windows))
    return " ".join(f"{frames}×{count}" if count > 1 else str(frames) for frames, count in runs)
