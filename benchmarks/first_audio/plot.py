"""The picture of a run: first audio of a sentence, and the longest underrun of a paragraph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.first_audio.summary import Row, Spread

matplotlib.use("Agg")
COLOURS = ("#0b6e4f", "#6bbf9c", "#c8553d", "#e0a458")


def draw(rows: Sequence[Row], file: Path) -> None:
    """Writes a PNG."""
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    first, gap = figure.subplots(1, 2)
    _bars(first, [r for r in rows if r.text == "sentence"], lambda row: row.first_audio_s)
    first.set(title="First audio, a sentence of 15 words", ylabel="seconds, median and range")
    _bars(gap, [r for r in rows if r.text == "paragraph"], _gap)
    gap.set(title="Longest underrun, a paragraph", ylabel="seconds")
    first.legend(frameon=False, fontsize=8)
    figure.savefig(file, dpi=160)


def _gap(row: Row) -> Spread | None:
    at = row.underrun_s
    return None if at is None else Spread(at, at, at, at)


def _bars(axes: Axes, rows: Sequence[Row], figure: Callable[[Row], Spread | None]) -> None:
    systems = list(dict.fromkeys(row.system for row in rows))
    widths = sorted({row.concurrent for row in rows})
    each = 0.8 / max(1, len(systems))
    for i, system in enumerate(systems):
        own = [(row.concurrent, figure(row)) for row in rows if row.system == system]
        told = [(widths.index(width), spread) for width, spread in own if spread is not None]
        at = np.array([place for place, _ in told]) + (i - (len(systems) - 1) / 2) * each
        heights = [spread.p50 for _, spread in told]
        range_ = np.array([[s.p50 - s.least, s.most - s.p50] for _, s in told]).reshape(-1, 2).T
        bars = axes.bar(
            at,
            heights,
            0.92 * each,
            yerr=range_,
            color=COLOURS[i % len(COLOURS)],
            label=system,
            capsize=2 if range_.any() else 0,
            error_kw={"elinewidth": 0.8},
        )
        axes.bar_label(bars, [f"{height:.2f}" for height in heights], padding=2, fontsize=7)
    axes.set_xticks(range(len(widths)), [f"× {width}" for width in widths])
    axes.set_xlabel("takes at once")
    axes.spines[["top", "right"]].set_visible(False)
