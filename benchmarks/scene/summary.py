"""What has to be reached, and what a run came to."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median
from typing import Final

from benchmarks import report
from benchmarks.scene.rows import Likeness, Memory, Performed

SETTLE_S: Final = 300.0
"""Sound after which memory is to be flat: until then buffers of all sizes are had once."""
BESIDE_S: Final = 60.0
"""Sound over which memory is looked at together: its median there is one figure."""
GROWTH_MIB: Final = 16.0
"""What the allocator keeps of the largest moment so far may come to a little more in time."""
STARVED_S: Final = 0.05
"""An underrun up to this counts as none, as in c50."""
LOST: Final = 0.05
"""Of likeness, against two lines of the first minute."""


def growth(memory: Sequence[Memory]) -> float | None:
    """MiB from the minute after settling to the last one; None for a run too short to say."""
    begins = [one.rss_mib for one in memory if SETTLE_S <= one.heard_s < SETTLE_S + BESIDE_S]
    until = memory[-1].heard_s
    ends = [one.rss_mib for one in memory if one.heard_s >= until - BESIDE_S]
    if not begins or until < SETTLE_S + 2 * BESIDE_S:
        return None
    return median(ends) - median(begins)


def lost(rows: Sequence[Likeness]) -> float | None:
    """Of likeness from the first minute to the last, a mean over characters."""
    pairs = [
        row.within - row.to_first
        for row in rows
        if row.within is not None and row.to_first is not None
    ]
    return fmean(pairs) if pairs else None


def goals(done: Performed, rows: Sequence[Likeness], expected: int) -> list[report.Goal]:
    """Of the hour, and of shorter runs as far as they can tell."""
    grown, gone = growth(done.memory), lost(rows)
    lines = f"{done.lines} of {expected}{'' if done.in_order else ', not in order'}"
    starved = ", ".join(f"{1000 * gap.seconds:.0f} ms, line {gap.line + 1}" for gap in done.gaps)
    heard = all(gap.seconds <= STARVED_S for gap in done.gaps)
    own, late = sum(row.nearest for row in rows), sum(row.last for row in rows)
    rtf = done.wall_s / done.sound_s
    return [
        report.Goal("lines", "all, in order", lines, done.in_order and done.lines == expected),
        report.Goal("underruns once started", "none over 50 ms", starved or "none", heard),
        report.Goal("real-time factor", "under 1", f"{rtf:.2f}", rtf < 1),
        report.Goal(
            "memory after the first 5 minutes",
            f"+{GROWTH_MIB:g} MiB at most",
            report.figure(grown, "{:+.1f} MiB"),
            None if grown is None else grown <= GROWTH_MIB,
        ),
        report.Goal(
            "likeness lost, first to last minute",
            f"{LOST:g} at most",
            report.figure(gone, "{:+.3f}"),
            None if gone is None else gone <= LOST,
        ),
        report.Goal(
            "last lines nearest to their own first",
            "all",
            f"{own} of {late}",
            own == late if late else None,
        ),
        report.Goal(
            "lines said again",
            "the same samples",
            f"{done.same} of {done.again}",
            done.same == done.again if done.again else None,
        ),
    ]
