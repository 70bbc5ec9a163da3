"""What the engine counts, for metrics and for `check_integrity`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.costs import WindowCosts
from engine.messages import StageAddress


@dataclass(frozen=True, slots=True)
class WindowStats:
    """What windows of sound cost one replica of a vocoder.

    measured: before the first take. factor: what they cost now, over that. sizes: codec frames that
    a window may have, ascending. plan: of each window of a take, the last of which repeats; None
    where they follow costs and load. frame_s: seconds of sound in a codec frame.
    """

    measured: WindowCosts
    factor: float
    sizes: tuple[int, ...]
    plan: tuple[int, ...] | None
    frame_s: float

    @property
    def now(self) -> WindowCosts:
        """What they cost as of now."""
        return self.measured.scaled(self.factor)

    @property
    def load(self) -> float:
        """Seconds of computing for a second of sound, in the largest windows that are made."""
        largest = self.sizes[-1] if self.plan is None else max(self.plan)
        return self.now.seconds(largest) / (largest * self.frame_s)


@dataclass(frozen=True, slots=True)
class StageStats:
    """One replica of a stage as it is now. busy: seconds spent in its scheduler since the start.

    depth, bound: messages unread in the inbox, and how many there may be. owed: those of them that
    carry something to give back. states: open in the scheduler. records: requests not yet given
    back. admitted, items: requests opened and items put out since the start. windows: None of a
    stage that makes no sound.
    """

    address: StageAddress
    depth: int
    bound: int
    owed: int
    running: bool
    busy: float
    admitted: int
    items: int
    states: int
    records: int
    windows: WindowStats | None = None


ProcessState: TypeAlias = Literal["started", "ready", "draining", "dead"]
"""started: not able to work yet. draining: what is under way is ended, and nothing begun."""


@dataclass(frozen=True, slots=True)
class ProcessStats:
    """One replica of a group in a process of its own. pid: 0 while there is none. starts: how often
    it was started. cpu: seconds of computing of the process that runs now."""

    group: str
    replica: int
    state: ProcessState
    pid: int
    starts: int
    cpu: float


@dataclass(frozen=True, slots=True)
class EngineStats:
    """Counters since the start, and as of now: active (not answered yet) and closing (answered, but
    some stage has not given back yet). stale: outputs dropped because their request was over.

    mail: messages of stages not read yet. outputs: that owners of active requests have not taken.
    text: characters that wait until the entry stage has room. processes: none where all stages are
    threads of this one.
    """

    submitted: int
    finished: int
    failed: int
    aborted: int
    stale: int
    active: int
    closing: int
    mail: int
    outputs: int
    text: int
    stages: tuple[StageStats, ...]
    processes: tuple[ProcessStats, ...] = ()


@dataclass(slots=True)
class Counters:
    """The coordinator's own, counting up."""

    submitted: int = 0
    finished: int = 0
    failed: int = 0
    aborted: int = 0
    stale: int = 0
