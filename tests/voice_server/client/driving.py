"""A client's session without a socket, and what a server would say to it."""

from __future__ import annotations

import numpy as np

from engine.types import Int16, Performance
from sessions.events import Recognised, TakeStarted
from voice_server.client.session_core import Reports, SessionCore
from voice_server.client.take_core import TakeCore
from voice_server.delivery.encoding import EncoderSettings
from voice_server.wire import messages as wire
from voice_server.wire.audio_frame import AudioFrame

RATE = 24_000
QUIET = wire.Underruns(0, 0.0, 0.0, "player")


def settings(format: wire.Encoding) -> EncoderSettings:
    return EncoderSettings(format, RATE, 20)


def opened(format: wire.Encoding = "pcm16", reports: Reports = "taken") -> SessionCore:
    core = SessionCore(wire.SessionOpen(), reports)
    audio = wire.AudioInfo(format, RATE, 1, settings(format).pre_skip(), 20)
    info = wire.EngineInfo("arithmetic", "counting", 10.0, ("speak",))
    core.receive(
        wire.encode(wire.SessionOpened("s", "t", False, wire.Limits(), (), info, audio)), 0
    )
    return core


def started(take_id: str, stream: int, **told: str) -> str:
    take = TakeStarted(take_id, "l1", stream, "spoken", "low", "hi", Performance(), **told)  # type: ignore[arg-type]
    return wire.encode(take)


def speak(core: SessionCore, take_id: str = "t1", stream: int = 1) -> TakeCore:
    _, ask = core.ask(wire.Speak("hi"), 1.0)
    core.receive(started(take_id, stream, reply_to=ask.id), 1.5)
    assert ask.take is not None
    return ask.take


def done(samples: int, take_id: str = "t1", heard: Recognised | None = None) -> str:
    event = wire.TakeDone(
        take_id, samples, samples / 24, 1.0, 0.1, QUIET, Performance(), heard=heard
    )
    return wire.encode(event)


def frames(samples: Int16, format: wire.Encoding, stream: int = 1) -> list[bytes]:
    encoder = settings(format).encoder()
    packets = [*encoder.push(samples), *encoder.finish()]
    return [
        AudioFrame(stream, seq, one.timestamp, one.payload, int(one.last)).pack()
        for seq, one in enumerate(packets)
    ]


def drain(take: TakeCore) -> Int16:
    blocks = []
    while (block := take.read(2.0)) is not None:
        blocks.append(block)
    return np.concatenate([np.zeros(0, np.int16), *blocks])


def ramp(count: int) -> Int16:
    return (np.arange(count) % 20_000).astype(np.int16)
