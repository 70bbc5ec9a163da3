"""How fast a connection is read: a token bucket that slows the reader and drops nothing."""

from __future__ import annotations


class Throttle:
    """`burst` messages at once, then `per_s` a second."""

    def __init__(self, per_s: float, burst: int, now: float) -> None:
        self._per_s = per_s
        self._burst = float(burst)
        self._tokens = float(burst)
        self._at = now

    def count(self, now: float) -> None:
        """One message came; the bucket may run below zero, and `pause` says for how long."""
        self._refill(now)
        self._tokens -= 1

    def pause(self, now: float) -> float:
        """Seconds until the next message may be read; 0 if at once."""
        self._refill(now)
        return max(0.0, -self._tokens / self._per_s)

    def _refill(self, now: float) -> None:
        gained = max(0.0, now - self._at) * self._per_s
        self._tokens = min(self._burst, self._tokens + gained)
        self._at = max(self._at, now)
