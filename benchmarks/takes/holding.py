"""What the server holds, as its figures and its process say."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final

from benchmarks.server import Server

HELD: Final = (
    "voice_takes_speaking",
    "voice_takes_queued",
    "voice_takes_under_way",
    "voice_session_events_queued",
    "voice_engine_active",
    "voice_engine_closing",
    "voice_queue_depth",
    "voice_stage_states",
    "voice_delivery_messages_waiting",
    "voice_delivery_samples_waiting",
)
"""Figures that are 0 where nothing is under way, each with all its labels."""
LOOKS, BETWEEN_S = 300, 0.1
"""How often, and how far apart, it is looked for the end of what is under way."""


@dataclass(frozen=True, slots=True)
class Moment:
    """takes: so far. held: those of HELD that are not 0. handles: open files and sockets."""

    takes: int
    rss_mib: float
    threads: int
    handles: int
    held: dict[str, float]


def moment(server: Server, takes: int) -> Moment:
    """Now."""
    told = server.metrics()
    missing = [name for name in HELD if not any(_is(key, name) for key in told)]
    assert not missing, f"/metrics has no {', '.join(missing)}"
    held = {key: v for key, v in told.items() if v and any(_is(key, name) for name in HELD)}
    process = server.process
    return Moment(takes, server.rss_mib(), process.num_threads(), process.num_fds(), held)


def _is(key: str, name: str) -> bool:
    return key.partition("{")[0] == name


async def idle(server: Server, takes: int) -> Moment:
    """The moment when nothing is held any more, or the last one before patience ended."""
    for _ in range(LOOKS):
        if not (now := moment(server, takes)).held:
            break
        await asyncio.sleep(BETWEEN_S)
    return now
