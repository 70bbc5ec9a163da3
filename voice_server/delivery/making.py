"""How long a take took to make, and how it was made; all times are monotonic seconds."""

from __future__ import annotations

from sessions.events import Making
from voice_server.wire.server_messages import Made


class MakingClock:
    """First audio and real-time factor of one take, both from the command read.

    The real-time factor is the time until all sound is made, over its length. While as much is made
    as the credit allows, whoever makes it rests; that time is left out. Else a long take, made as
    it is listened to, would come to 1 on any machine. A wait in the queue is no rest.
    """

    def __init__(self) -> None:
        self._made = 0
        self._until: int | None = None
        self._resting_since: float | None = None
        self._rested = 0.0
        self._offered_at: float | None = None
        self._finished_at = 0.0

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

    def offered(self, now: float) -> None:
        """A packet is there to be sent."""
        if self._offered_at is None:
            self._offered_at = now

    def finished(self, now: float) -> None:
        """All is made."""
        self._finished_at = now

    def rtf(self, making: Making, sample_rate: int) -> float | None:
        """None for a take without sound."""
        took = self._finished_at - making.asked_at - self._rested
        return round(took * sample_rate / self._made, 4) if self._made else None

    def first_audio_ms(self, making: Making, written_at: float | None) -> float | None:
        """written_at: when the first packet was written; None counts to the first packet made. None
        for a take without sound."""
        return _elapsed_ms(making.asked_at, self._offered_at if written_at is None else written_at)

    def told(self, making: Making, written_at: float | None) -> Made | None:
        """How it was made; written_at as above. None for a take without sound."""
        if not self._made:
            return None
        frames_ms = _elapsed_ms(making.asked_at, making.began_at)
        return Made(frames_ms, making.windows, _elapsed_ms(self._offered_at, written_at))


def _elapsed_ms(since: float | None, at: float | None) -> float | None:
    return None if since is None or at is None else round(1000 * (at - since), 3)
