"""Cuts a stream of samples into blocks of one length, however it comes."""

from __future__ import annotations

import numpy as np

from engine.types import Int16

EMPTY: Int16 = np.zeros(0, dtype=np.int16)


class Blocks:
    """Holds what does not fill a block yet: fewer than `size` samples."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._rest = EMPTY
        self.samples = 0

    def push(self, samples: Int16) -> list[Int16]:
        """The blocks that `samples` (int16, mono) complete."""
        self.samples += len(samples)
        joined = np.concatenate((self._rest, samples)) if len(self._rest) else samples
        whole = len(joined) - len(joined) % self._size
        # A copy: the caller's window may be a view that it writes to again.
        self._rest = joined[whole:].copy()
        return [joined[at : at + self._size] for at in range(0, whole, self._size)]

    def rest(self) -> Int16:
        """What is left over; nothing is left after it."""
        rest, self._rest = self._rest, EMPTY
        return rest
