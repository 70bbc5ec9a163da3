"""Rounds made into the rows of the table, and what they must reach."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.first_audio.rounds import Case, Round
from benchmarks.report import Goal
from benchmarks.scoring import Refused, continuity, median, percentile

OURS, LIVE = "voice-server", "voice-server, live"
WHOLE, STREAMING = "kokoro-onnx", "fastkokoro"
FIRST_AUDIO_SHARE: Final = 0.15
CPU_RTF: Final = 0.45


@dataclass(frozen=True, slots=True)
class Spread:
    """Of one figure over all takes of a row; seconds or ratios."""

    p50: float
    p95: float
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Row:
    """A system in a case. c50, c100, c200: None where no take has two packets. kbit_s: on the wire
    for a second of sound. refused, queued: takes. None: no take was heard. others: cores that were
    busy with something else, on average."""

    system: str
    text: str
    concurrent: int
    runs: int
    takes: int
    refused: int
    queued: int
    first_audio_s: Spread | None
    rtf: Spread | None
    underrun_s: float | None
    c50: float | None
    c100: float | None
    c200: float | None
    cpu_rtf: float | None
    kbit_s: float | None
    others: float


def rows(rounds: Sequence[Round]) -> list[Row]:
    """One for each system and case, in the order they first came."""
    keys = dict.fromkeys((one.case, one.system) for one in rounds)
    return [_row([r for r in rounds if (r.case, r.system) == key]) for key in keys]


def _row(rounds: Sequence[Round]) -> Row:
    heard = [take for one in rounds for take in one.heard]
    outcomes = [outcome for one in rounds for outcome in one.outcomes]
    gaps = [take.underrun_s for take in heard if take.underrun_s is not None]
    computed = [one.cpu_rtf for one in rounds if one.cpu_rtf is not None]
    return Row(
        system=rounds[0].system,
        text=rounds[0].case.text,
        concurrent=rounds[0].case.concurrent,
        runs=len(rounds),
        takes=len(outcomes),
        refused=sum(isinstance(outcome, Refused) for outcome in outcomes),
        queued=sum(take.queued for take in heard),
        first_audio_s=_spread([take.first_audio_s for take in heard]),
        rtf=_spread([take.rtf for take in heard]),
        underrun_s=max(gaps, default=None),
        c50=continuity(heard, 0.05),
        c100=continuity(heard, 0.1),
        c200=continuity(heard, 0.2),
        cpu_rtf=median(computed) if computed else None,
        kbit_s=median([take.size / take.duration_s / 125 for take in heard]) if heard else None,
        others=median([one.others for one in rounds]),
    )


def _spread(values: list[float]) -> Spread | None:
    if not values:
        return None
    return Spread(median(values), percentile(values, 0.95), min(values), max(values))


def goals(rounds: Sequence[Round]) -> list[Goal]:
    """What the server must reach, as far as the run can tell."""
    table = {(row.system, row.text, row.concurrent): row for row in rows(rounds)}
    widths = sorted({one.case.concurrent for one in rounds})
    met = [_share_of_whole(rounds)]
    met += [_under_streaming(table, width) for width in widths]
    met.append(_computing(table.get((OURS, "sentence", 1))))
    met += [_continuous(table, width) for width in widths]
    return [goal for goal in met if goal is not None]


def _share_of_whole(rounds: Iterable[Round]) -> Goal | None:
    case = Case("sentence", 1)
    first = {r.run: r.heard[0].first_audio_s for r in rounds if _is(r, OURS, case)}
    whole = {r.run: r.heard[0].first_audio_s for r in rounds if _is(r, WHOLE, case)}
    what, bound = f"first audio × 1, of {WHOLE}'s whole sentence", f"≤ {FIRST_AUDIO_SHARE}"
    shares = [first[run] / whole[run] for run in first.keys() & whole.keys()]
    if not shares:
        return Goal(what, bound, "no pair of runs", None)
    told = f"{median(shares):.3f} ({min(shares):.3f}–{max(shares):.3f})"
    return Goal(what, bound, told, median(shares) <= FIRST_AUDIO_SHARE)


def _is(one: Round, system: str, case: Case) -> bool:
    return one.system == system and one.case == case and bool(one.heard)


def _under_streaming(table: dict[tuple[str, str, int], Row], width: int) -> Goal | None:
    mine, theirs = (table.get((name, "sentence", width)) for name in (OURS, STREAMING))
    if mine is None or mine.first_audio_s is None:
        return None
    what = f"first audio × {width}, median and most, under {STREAMING}'s"
    if theirs is None or theirs.first_audio_s is None:
        return Goal(what, "smaller", f"{mine.first_audio_s.p50:.2f} s, peer not run", None)
    a, b = mine.first_audio_s, theirs.first_audio_s
    bound = f"< {b.p50:.2f}, < {b.most:.2f} s"
    return Goal(what, bound, f"{a.p50:.2f}, {a.most:.2f} s", a.p50 < b.p50 and a.most < b.most)


def _computing(row: Row | None) -> Goal | None:
    if row is None or row.cpu_rtf is None:
        return None
    what = "computing for a second of sound × 1, all threads"
    return Goal(what, f"≤ {CPU_RTF} s", f"{row.cpu_rtf:.3f} s", row.cpu_rtf <= CPU_RTF)


def _continuous(table: dict[tuple[str, str, int], Row], width: int) -> Goal | None:
    both = [table.get((LIVE, text, width)) for text in ("sentence", "paragraph")]
    shares = [row.c50 for row in both if row is not None and row.c50 is not None]
    if not shares:
        return None
    what = f"c50 × {width}, listened to live"
    return Goal(what, "100 %", f"{100 * min(shares):.0f} %", min(shares) == 1)
