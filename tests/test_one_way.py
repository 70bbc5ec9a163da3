"""The one way: a request walks down the table of hops, in order, and comes out as sound."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.websockets import WebSocket

from engine.coordinator import Coordinator
from sessions.scheduler import SessionScheduler
from tests import arithmetic
from tests.voice_server.live import client, server
from voice_server.delivery.opus import OpusTakeEncoder
from voice_server.delivery.pacing import TakePacer
from voice_server.socket import Connection
from voice_server.wire.audio_frame import AudioFrame
from voice_server.wire.protocol import ServerProtocol


@dataclass(frozen=True)
class Hop:
    """A row of the table, and the method in which something of the request comes by: when it is
    called, or (gives) when it has made something."""

    name: str
    owner: type
    method: str
    gives: bool = False


WAY = (
    Hop("socket reader", Connection, "_take"),
    Hop("wire.protocol", ServerProtocol, "receive_text"),
    Hop("sessions.SessionScheduler", SessionScheduler, "control"),
    Hop("engine.Coordinator", Coordinator, "submit"),
    Hop("thinker", arithmetic.Thinker, "step", gives=True),
    Hop("talker", arithmetic.Talker, "step", gives=True),
    Hop("code2wav", arithmetic.Code2Wav, "decode"),
    Hop("delivery.opus", OpusTakeEncoder, "push"),
    Hop("delivery.pacing", TakePacer, "take"),
    Hop("wire.audio_frame", AudioFrame, "pack"),
    Hop("socket writer", WebSocket, "send_bytes"),
)


def watch(monkeypatch: pytest.MonkeyPatch, hop: Hop, passed: list[str]) -> None:
    real: Callable[..., Any] = getattr(hop.owner, hop.method)

    @functools.wraps(real)
    def noted(*args: Any, **named: Any) -> Any:
        if not hop.gives:
            passed.append(hop.name)
        given = real(*args, **named)
        if hop.gives and given is not None:
            passed.append(hop.name)
        return given

    monkeypatch.setattr(hop.owner, hop.method, noted)


async def test_a_request_walks_the_one_way(monkeypatch: pytest.MonkeyPatch) -> None:
    passed: list[str] = []
    async with server() as live, client(live, format="opus") as one:
        for hop in WAY:
            watch(monkeypatch, hop, passed)
        await one.speak("hello there")
        done = await one.until("take.done")
        assert done["samples"] == len(arithmetic.whole("hello there"))
        first_passed = list(dict.fromkeys(passed))
        assert first_passed == [hop.name for hop in WAY]
        await live.idle()


async def test_each_hop_gives_what_the_next_one_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the code2wav hop made is, sample for sample, what came out at the end of the way."""
    made: list[Any] = []
    real = arithmetic.Code2Wav.decode

    def decode(self: Any, states: Any, frames: int) -> Any:
        given = real(self, states, frames)
        made.extend(given)
        return given

    monkeypatch.setattr(arithmetic.Code2Wav, "decode", decode)
    async with server() as live, client(live) as one:
        await one.speak("the whole of it comes out")
        await one.until("take.done")
        assert np.array_equal(np.concatenate([pcm.samples for pcm in made]), one.sound(1))


def test_the_readme_shows_the_one_way() -> None:
    readme = (Path(__file__).resolve().parents[1] / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| \d+ \| `([^`]+)` \|", readme, re.M)
    assert rows == [hop.name for hop in WAY]
