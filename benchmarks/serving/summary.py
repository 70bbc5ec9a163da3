"""Levels made into the rows of the table, beside the figures to beat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from benchmarks.report import Goal
from benchmarks.scoring import Heard, continuity, median, percentile
from benchmarks.serving.clients import Level


@dataclass(frozen=True, slots=True)
class Figures:
    """Of so many clients at once. frames_s: codec frames of all takes together, a second. rtf: of
    a take, median; from the request to the last packet, over the duration of the sound."""

    clients: int
    frames_s: float
    first_p50_ms: float
    first_p95_ms: float
    rtf: float


PEER: Final = "Drama 3 on SGLang-Omni, one H200, streaming"
TO_BEAT: Final = (
    Figures(1, 166.7, 88.9, 90.8, 0.131),
    Figures(2, 287.0, 96.2, 130.1, 0.152),
    Figures(4, 467.6, 108.2, 156.4, 0.186),
    Figures(8, 678.1, 153.2, 210.9, 0.256),
    Figures(16, 927.6, 210.1, 287.2, 0.373),
    Figures(32, 1244.7, 304.6, 396.1, 0.551),
    Figures(64, 1687.3, 450.9, 1020.1, 0.801),
)


@dataclass(frozen=True, slots=True)
class Row:
    """figures: None if nothing was heard. sound_s: seconds of sound made a second. c0: share of
    takes that never ran dry; longest_ms: the longest underrun of any. takes: heard out. refused:
    takes that were not, by reason. client_cpu, server_cpu: see Level."""

    clients: int
    figures: Figures | None
    sound_s: float
    c0: float | None
    longest_ms: float | None
    takes: int
    seconds: float
    refused: dict[str, int]
    client_cpu: float
    server_cpu: float


def row(level: Level) -> Row:
    takes = level.heard
    gaps = [take.underrun_s for take in takes if take.underrun_s is not None]
    reasons = [refused.reason for refused in level.refused]
    return Row(
        clients=level.clients,
        figures=_figures(level, takes) if takes else None,
        sound_s=sum(take.duration_s for take in takes) / level.wall_s,
        c0=continuity(takes, 0.0),
        longest_ms=1000 * max(gaps) if gaps else None,
        takes=len(takes),
        seconds=level.wall_s,
        refused={reason: reasons.count(reason) for reason in dict.fromkeys(reasons)},
        client_cpu=level.client_cpu,
        server_cpu=level.server_cpu,
    )


def _figures(level: Level, takes: list[Heard]) -> Figures:
    first = [1000 * take.first_audio_s for take in takes]
    return Figures(
        clients=level.clients,
        frames_s=level.frames / level.wall_s,
        first_p50_ms=median(first),
        first_p95_ms=percentile(first, 0.95),
        rtf=median([take.rtf for take in takes]),
    )


def goals(rows: Iterable[Row], judged: bool) -> list[Goal]:
    """A line for each row there is a figure to beat for. judged: it was measured on a machine and
    with weights that can be held against those."""
    by_clients = {row.clients: row for row in rows}
    return [
        _goal(wanted, by_clients[wanted.clients], judged)
        for wanted in TO_BEAT
        if wanted.clients in by_clients
    ]


def _goal(wanted: Figures, row: Row, judged: bool) -> Goal:
    made = row.figures
    told = "nothing heard" if made is None else _told(made)
    met = made is not None and not row.refused and all(_better(made, wanted))
    return Goal(f"× {wanted.clients}", _told(wanted), told, met if judged else None)


def _better(made: Figures, wanted: Figures) -> Iterator[bool]:
    yield made.frames_s > wanted.frames_s
    yield made.first_p50_ms < wanted.first_p50_ms
    yield made.first_p95_ms < wanted.first_p95_ms
    yield made.rtf < wanted.rtf


def _told(of: Figures) -> str:
    first = f"{of.first_p50_ms:,.1f} / {of.first_p95_ms:,.1f} ms"
    return f"{of.frames_s:,.1f} frames/s, {first}, RTF {of.rtf:.3f}"
