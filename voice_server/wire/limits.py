"""Every limit that the wire holds; the client reads them in `session.opened`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """All limits in force for one session.

    message_bytes: largest text frame, as UTF-8; beyond it the socket closes with 1009.
    text_chars: of one `speak` or `append`. name_chars: of voice, speaker and ids the server gave.
    lead_ms: the lead of a client that names none; lead_ms_min, lead_ms_max bound what it may name.
    messages_per_s, messages_burst: a client that sends faster is read more slowly; nothing is lost.
    takes: under way at once in one session. resume_s: how long a session outlives its connection.
    """

    message_bytes: int = 2_097_152
    text_chars: int = 100_000
    direction_chars: int = 2_000
    name_chars: int = 128
    id_chars: int = 64
    lead_ms: int = 500
    lead_ms_min: int = 100
    lead_ms_max: int = 10_000
    underruns_per_report: int = 256
    streams_per_resume: int = 1_024
    open_s: float = 10.0
    messages_per_s: float = 2_000.0
    messages_burst: int = 10_000
    takes: int = 16
    resume_s: float = 0.0
