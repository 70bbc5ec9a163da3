"""The figures of a process of stages, in memory that its supervisor reads at any time: no message
has to be waited for, and those of a process that is stuck are there as well."""

from __future__ import annotations

import mmap
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.messages import StageAddress
from engine.stats import StageStats, WindowStats
from engine.transport.arena import nameless

_FIELDS = 10
"""Numbers of a stage's row, in the order of StageStats; of what windows cost, the factor alone."""


class Page:
    """A row for every stage, and last the seconds that the process computed.

    What never changes of the costs of windows has no fixed length, so it is not on the page: a
    reader is told it once (`know`), when the runners are made.
    """

    def __init__(self, descriptor: int, stages: Sequence[StageAddress]) -> None:
        memory = mmap.mmap(descriptor, os.fstat(descriptor).st_size)
        whole: NDArray[np.float64] = np.frombuffer(memory, np.float64)
        self._whole = whole
        self._stages = tuple(stages)
        self._rows = whole[: _FIELDS * len(stages)].reshape(len(stages), _FIELDS)
        self._cpu = whole[_FIELDS * len(stages) :]
        self._windows: Mapping[StageAddress, WindowStats] = {}

    @staticmethod
    def make(stages: int) -> int:
        """A descriptor of an empty page."""
        return nameless(8 * (_FIELDS * stages + 1))

    def publish(self, stats: StageStats) -> None:
        self._rows[self._stages.index(stats.address)] = (
            stats.depth,
            stats.bound,
            stats.owed,
            stats.running,
            stats.busy,
            stats.admitted,
            stats.items,
            stats.states,
            stats.records,
            1.0 if stats.windows is None else stats.windows.factor,
        )
        self._cpu[0] = time.process_time()

    def cpu(self) -> float:
        """Seconds of computing of the process, on all cores."""
        return float(self._cpu[0])

    def read(self) -> bytes:
        """All of it, for a supervisor that can't share it."""
        return self._whole.tobytes()

    def write(self, data: bytes) -> None:
        """What `read` gave elsewhere."""
        self._whole[:] = np.frombuffer(data, np.float64)

    def know(self, windows: Mapping[StageAddress, WindowStats]) -> None:
        """What windows cost the stages that make them, as of the start."""
        self._windows = windows

    def stats(self) -> tuple[StageStats, ...]:
        known = map(self._windows.get, self._stages)
        return tuple(map(_stats, self._stages, self._rows.tolist(), known))


def _stats(address: StageAddress, row: Sequence[float], windows: WindowStats | None) -> StageStats:
    depth, bound, owed, running, busy, admitted, items, states, records, factor = row
    return StageStats(
        address=address,
        depth=int(depth),
        bound=int(bound),
        owed=int(owed),
        running=bool(running),
        busy=busy,
        admitted=int(admitted),
        items=int(items),
        states=int(states),
        records=int(records),
        windows=None if windows is None else replace(windows, factor=factor),
    )
