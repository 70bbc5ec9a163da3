"""How long to wait before what died is started again."""

from __future__ import annotations

from typing import Final

FIRST_WAIT_S: Final = 0.1
LONGEST_WAIT_S: Final = 10.0
LASTED_S: Final = 30.0
"""What worked for so long is started again as soon as what never died."""


class Backoff:
    """Twice as long each time that it did not last."""

    def __init__(self) -> None:
        self._wait_s = 0.0

    def next(self, lived_s: float) -> float:
        """Seconds to wait after a life of `lived_s` seconds."""
        short = lived_s <= LASTED_S and self._wait_s > 0
        self._wait_s = min(LONGEST_WAIT_S, 2 * self._wait_s) if short else FIRST_WAIT_S
        return self._wait_s
