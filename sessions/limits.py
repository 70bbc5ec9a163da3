"""Bounds that the sessions keep to; the program fills them from its config."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """text_chars: of one message. take_chars: of one take, appended text and all.
    script_chars: of one `perform`. take_s: seconds of sound in one take.
    concurrent_takes: under way at once in a session. queued_takes: waiting for capacity, of all
    sessions. remembered_takes, remembered_chars: of ended takes, in a session. outbox: events that
    wait for whoever is attached.
    """

    text_chars: int = 100_000
    take_chars: int = 200_000
    script_chars: int = 1_000_000
    take_s: float = 21_600.0
    concurrent_takes: int = 8
    queued_takes: int = 16
    sessions: int = 64
    remembered_takes: int = 256
    remembered_chars: int = 1_000_000
    outbox: int = 256
