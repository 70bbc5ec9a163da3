"""A bare client of the socket. It reads what any client could, and times every packet."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from benchmarks.scoring import Arrival, Heard, Outcome, Refused, Told
from voice_server.wire.audio_frame import AudioFrame

Pace: TypeAlias = Literal["live", "reading"]
"""live: plays as it comes, and leaves pacing to the server's default. reading: takes all sound as
fast as it is made, and says so, as a program that writes a file does."""
FRAME_MS: Final = 20
REPORT_S: Final = 0.25
"""A reader says how far it is whenever so much more sound has come."""


@dataclass(slots=True)
class Receiving:
    """One take on its way."""

    asked_at: float
    take_id: str = ""
    stream: int = -1
    size: int = 0
    queued: bool = False
    arrivals: list[Arrival] = field(default_factory=list)


class Listener:
    """One connection with one session; one take at a time."""

    def __init__(self, socket: ClientConnection, pace: Pace) -> None:
        self._socket = socket
        self._pace = pace
        self._rate = self._skip = 0
        self._number = 0

    async def open(self) -> None:
        """Opens the session; the reader asks for the longest lead there is."""
        opening: dict[str, Any] = {"audio": {"format": "opus", "frame_ms": FRAME_MS}}
        await self._send("session.open", **opening, **self._lead())
        opened = json.loads(await self._socket.recv())
        if opened["type"] != "session.opened":
            raise ConnectionError(f"no session was opened: {opened}")
        self._rate = opened["audio"]["sample_rate"]
        self._skip = opened["audio"]["pre_skip"]

    async def speak(self, text: str, voice: str) -> Outcome:
        """Asks for a take and listens to its end."""
        self._number += 1
        asked = f"speak-{self._number}"
        await self._send("speak", id=asked, text=text, voice=voice)
        take = Receiving(time.perf_counter())
        while True:
            data = await self._socket.recv()
            if isinstance(data, bytes):
                await self._packet(take, data, time.perf_counter() - take.asked_at)
            elif (outcome := self._message(take, json.loads(data), asked)) is not None:
                return outcome

    def _lead(self) -> dict[str, int]:
        return {"lead_ms": 10_000} if self._pace == "reading" else {}

    async def _packet(self, take: Receiving, data: bytes, at: float) -> None:
        frame = AudioFrame.unpack(data)
        if frame.stream != take.stream:
            raise ConnectionError(f"a packet of stream {frame.stream}, expected {take.stream}")
        until = frame.timestamp + self._rate * FRAME_MS // 1000 - self._skip
        reported = take.arrivals[-1].until if take.arrivals else 0
        take.arrivals.append(Arrival(at, until))
        take.size += len(data)
        step = int(self._rate * REPORT_S)
        if self._pace == "reading" and until // step > reported // step:
            played = 1000 * until / self._rate
            await self._send("playback", take_id=take.take_id, played_ms=played, underruns=[])

    def _message(self, take: Receiving, message: dict[str, Any], asked: str) -> Outcome | None:
        match message["type"]:
            case "take.started" if message["reply_to"] == asked:
                take.take_id, take.stream = message["take_id"], message["stream"]
            case "warning" if message["code"] == "queued":
                take.queued = True
            case "take.done" if message["take_id"] == take.take_id:
                return self._heard(take, message)
            case "error":
                return Refused(f"{message['code']}: {message['message']}")
            case "take.failed":
                return Refused(f"failed: {message['error']['message']}")
        return None

    def _heard(self, take: Receiving, done: dict[str, Any]) -> Outcome:
        if not take.arrivals:
            return Refused("no sound came")
        last = take.arrivals[-1]
        take.arrivals[-1] = Arrival(last.at, done["samples"])
        return Heard(tuple(take.arrivals), self._rate, take.size, take.queued, _told(done))

    async def _send(self, kind: str, **fields: object) -> None:
        await self._socket.send(json.dumps({"type": kind, **fields}))


def _told(done: dict[str, Any]) -> Told:
    """Of a take with sound, of which all of it is told."""
    made = done["made"]
    return Told(
        first_audio_s=done["first_audio_ms"] / 1000,
        queued_s=done["queued_ms"] / 1000,
        frames_s=_seconds(made["frames_ms"]),
        windows=tuple(made["windows"]),
        held_s=_seconds(made["held_ms"]),
    )


def _seconds(ms: float | None) -> float | None:
    return None if ms is None else ms / 1000


@asynccontextmanager
async def listening(url: str, pace: Pace) -> AsyncIterator[Listener]:
    """A listener with an open session."""
    protocols = [Subprotocol("voice.v1")]
    async with connect(url, subprotocols=protocols, compression=None, max_size=None) as socket:
        listener = Listener(socket, pace)
        await listener.open()
        yield listener
