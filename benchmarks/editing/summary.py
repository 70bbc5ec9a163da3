"""The figures of many edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.editing.judging import Listening, Trial
from benchmarks.report import Goal
from benchmarks.scoring import median, percentile

RIGHT: Final = 0.97
OPINION_GAP: Final = 0.05
OVER_NATURAL: Final = 0.08
CHANGED_S: Final = 1.0
FEWEST: Final = 60


@dataclass(frozen=True, slots=True)
class Right:
    """By one recogniser. asked: edits whose line made whole is heard right; wrong: those of them
    that are not, as (the new line, the voice, what was heard)."""

    recogniser: str
    asked: int
    right: int
    wrong: tuple[tuple[str, str, str], ...]

    @property
    def share(self) -> float:
        return self.right / self.asked if self.asked else 1.0


@dataclass(frozen=True, slots=True)
class Joined:
    """over: the share of joins sharper than the 95th percentile of natural word boundaries (chance
    gives 0.05)."""

    joins: int
    natural: int
    over: float
    median: float
    natural_median: float


@dataclass(frozen=True, slots=True)
class Declared:
    """Seconds of change in edits of one word."""

    edits: int
    mean: float
    most: float
    over: float


@dataclass(frozen=True, slots=True)
class Told:
    """What the server said that its own recogniser made of edits: right at once, right after more
    tries, never right."""

    at_once: int
    mended: int
    wrong: int


@dataclass(frozen=True, slots=True)
class Row:
    """Of one kind of edit, or of all. gap: DNSMOS of the parent less that of the edit. first: ms,
    median. cost: of making the line whole, all together."""

    kind: str
    edits: int
    exact: int
    right: tuple[Right, ...]
    gap: float
    whole_gap: float
    changed_s: float
    share: float
    first_ms: float | None
    cost: float


@dataclass(frozen=True, slots=True)
class Figures:
    """rows: by kind, then all. told: None where the server has no recogniser."""

    rows: tuple[Row, ...]
    joined: Joined | None
    declared: Declared | None
    told: Told | None

    def goals(self) -> list[Goal]:
        """What must be reached."""
        every = self.rows[-1]
        exact = f"{every.exact} of {every.edits}"
        right = every.right[0]
        heard = f"{100 * right.share:.1f} % ({right.right} of {right.asked})"
        name = f"heard right, {right.recogniser}"
        goals = [
            Goal("edits", f"≥ {FEWEST}", str(every.edits), every.edits >= FEWEST),
            Goal("exact outside the change", "all", exact, every.exact == every.edits),
            Goal(name, f"≥ {100 * RIGHT:g} %", heard, right.share >= RIGHT),
            Goal(
                "DNSMOS, parent − edit",
                f"≤ {OPINION_GAP}",
                f"{every.gap:+.3f}",
                every.gap <= OPINION_GAP,
            ),
        ]
        if self.joined is not None:
            over = self.joined.over
            told = f"{100 * over:.1f} % of {self.joined.joins}"
            bound = f"≤ {100 * OVER_NATURAL:g} % (chance 5)"
            what = "joins sharper than the 95th percentile of word boundaries"
            goals.append(Goal(what, bound, told, over <= OVER_NATURAL))
        if self.declared is not None:
            declared = self.declared
            told = f"mean {declared.mean:.2f} s, most {declared.most:.2f} s"
            what = "declared change of a one-word edit, mean"
            goals.append(Goal(what, f"< {CHANGED_S:g} s", told, declared.mean < CHANGED_S))
        return goals


def summed(trials: Sequence[Trial]) -> Figures:
    """Needs one trial."""
    kinds = dict.fromkeys(trial.kind for trial in trials)
    rows = [_row(kind, [trial for trial in trials if trial.kind == kind]) for kind in kinds]
    every = _row("all", trials)
    return Figures((*rows, every), _joined(trials), _declared(trials), _told(trials))


def _row(kind: str, trials: Sequence[Trial]) -> Row:
    count = len(trials)
    first = [trial.first_audio_ms for trial in trials if trial.first_audio_ms is not None]
    names = [one.recogniser for one in trials[0].heard]
    return Row(
        kind=kind,
        edits=count,
        exact=sum(trial.exact for trial in trials),
        right=tuple(_right(name, at, trials) for at, name in enumerate(names)),
        gap=sum(trial.parent_opinion - trial.opinion for trial in trials) / count,
        whole_gap=sum(trial.whole_opinion - trial.opinion for trial in trials) / count,
        changed_s=sum(trial.changed_s for trial in trials) / count,
        share=sum(t.changed_s for t in trials) / sum(t.duration_s for t in trials),
        first_ms=median(first) if first else None,
        cost=sum(t.computed_s for t in trials) / sum(t.whole_computed_s for t in trials),
    )


def _right(name: str, at: int, trials: Sequence[Trial]) -> Right:
    heard: list[tuple[Trial, Listening]] = [(trial, trial.heard[at]) for trial in trials]
    asked = [(trial, one) for trial, one in heard if one.whole_right]
    wrong = tuple((trial.new, trial.voice, one.words) for trial, one in asked if not one.right)
    return Right(name, len(asked), len(asked) - len(wrong), wrong)


def _joined(trials: Sequence[Trial]) -> Joined | None:
    joins = [value for trial in trials for value in trial.joins]
    natural = [value for trial in trials for value in trial.natural]
    if not joins or not natural:
        return None
    bound = percentile(natural, 0.95)
    over = sum(value > bound for value in joins) / len(joins)
    return Joined(len(joins), len(natural), over, median(joins), median(natural))


def _declared(trials: Sequence[Trial]) -> Declared | None:
    changed = [trial.changed_s for trial in trials if trial.one_word]
    if not changed:
        return None
    over = sum(value >= CHANGED_S for value in changed) / len(changed)
    return Declared(len(changed), sum(changed) / len(changed), max(changed), over)


def _told(trials: Sequence[Trial]) -> Told | None:
    told = [trial.told for trial in trials if trial.told is not None]
    if not told:
        return None
    right = [one.tries for one in told if one.right]
    at_once = sum(tries == 1 for tries in right)
    return Told(at_once, len(right) - at_once, len(told) - len(right))
