"""How long a take took to make, without the time in which nobody wanted more of it."""

from __future__ import annotations


class MakingClock:
    """Real-time factor of one take: from the request taken to all its sound made, over its length.

    While as much is made as the credit allows, whoever makes it rests; that time is left out.
    Else a long take, made as it is listened to, would come to 1 on any machine.
    """

    def __init__(self, accepted_at: float) -> None:
        self._accepted_at = accepted_at
        self._made = 0
        self._until: int | None = None
        self._resting_since: float | None = None
        self._rested = 0.0
        self._took = 0.0

    def made(self, samples: int, now: float) -> None:
        """`samples` are there in all."""
        self._made = samples
        if self._until is not None and samples >= self._until and self._resting_since is None:
            self._resting_since = now

    def credited(self, until: int, now: float) -> None:
        """Sound is wanted up to sample `until`."""
        self._until = until
        if self._resting_since is not None and until > self._made:
            self._rested += now - self._resting_since
            self._resting_since = None

    def finished(self, now: float) -> None:
        """All is made."""
        self._took = now - self._accepted_at - self._rested

    def rtf(self, sample_rate: int) -> float | None:
        """None for a take without sound."""
        return round(self._took * sample_rate / self._made, 4) if self._made else None
