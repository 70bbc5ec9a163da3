"""Every limit that the wire holds; the client reads them in `session.opened`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """All limits in force for one session.

    message_bytes: largest text frame, as UTF-8; beyond it the socket closes with 1009.
    text_chars: of one `speak` or `append`, or of an edit. script_chars: of one `perform`.
    take_chars: of a take, appended text and all. take_s: seconds of its sound.
    cast_names: speakers in one `perform`. changes_per_edit: word changes in one `edit`.
    session_bytes: of a session's file that is opened over HTTP.
    name_chars: of voice, speaker and the ids that the server gave.
    lead_ms: the lead of a client that names none; lead_ms_min, lead_ms_max bound what it may name.
    messages_per_s, messages_burst: a client that sends faster is read more slowly; nothing is lost.
    concurrent_takes: under way at once in one session. queued_takes: of all sessions, waiting for
    capacity. idle_s: how long a session may be silent. resume_s: how long it outlives its
    connection. keep_s: how long what was said in it is kept after that.
    """

    message_bytes: int = 2_097_152
    text_chars: int = 100_000
    take_chars: int = 200_000
    take_s: float = 21_600.0
    direction_chars: int = 2_000
    script_chars: int = 1_000_000
    cast_names: int = 256
    changes_per_edit: int = 256
    session_bytes: int = 268_435_456
    name_chars: int = 128
    id_chars: int = 64
    lead_ms: int = 2_000
    lead_ms_min: int = 100
    lead_ms_max: int = 10_000
    underruns_per_report: int = 256
    streams_per_resume: int = 1_024
    open_s: float = 10.0
    messages_per_s: float = 2_000.0
    messages_burst: int = 10_000
    concurrent_takes: int = 8
    queued_takes: int = 16
    idle_s: float = 900.0
    resume_s: float = 0.0
    keep_s: float = 2_592_000.0
