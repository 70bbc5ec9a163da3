"""The client's session without a socket: what it writes, and what becomes of what it reads."""

from __future__ import annotations

import json

import numpy as np
import pytest

from engine.types import Int16, Performance
from sessions.events import Refused, TakeStarted, Warned
from voice_server.client.errors import (
    ConnectionLost,
    RequestRefused,
    ServerFault,
    TakeHasFailed,
    TakeWasCancelled,
)
from voice_server.client.session_core import Reports, SessionCore, append, cancel
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


def speak(core: SessionCore, take_id: str = "t1", stream: int = 1) -> TakeCore:
    _, ask = core.speak(wire.Speak("hi"), 1.0)
    started = TakeStarted(
        take_id, "l1", stream, "spoken", "low", "hi", Performance(), reply_to=ask.id
    )
    core.receive(wire.encode(started), 1.5)
    assert ask.take is not None
    return ask.take


def done(samples: int, take_id: str = "t1") -> str:
    event = wire.TakeDone(take_id, samples, samples / 24, 1.0, 0.1, QUIET, Performance())
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


@pytest.mark.parametrize("format", ["opus", "pcm16"])
@pytest.mark.parametrize("count", [0, 1, 479, 480, 481, 4800, 5000])
def test_what_is_read_has_just_the_samples_of_take_done(format: wire.Encoding, count: int) -> None:
    core = opened(format)
    take = speak(core)
    for frame in frames(ramp(count), format):
        core.receive(frame, 2.0)
    core.receive(done(count), 2.0)
    heard = drain(take)
    assert len(heard) == count
    if format == "pcm16":
        assert np.array_equal(heard, ramp(count))
    assert take.result().samples == count


@pytest.mark.parametrize("format", ["opus", "pcm16"])
def test_samples_that_do_not_add_up_are_a_fault(format: wire.Encoding) -> None:
    core = opened(format)
    take = speak(core)
    for frame in frames(ramp(4800), format):
        core.receive(frame, 2.0)
    with pytest.raises(ServerFault, match="9600 samples"):
        core.receive(done(9600), 2.0)
    with pytest.raises(ServerFault):
        take.result()


def test_two_takes_do_not_mix() -> None:
    core = opened()
    one, two = speak(core), speak(core, "t2", 2)
    first, second = frames(ramp(960), "pcm16", 1), frames(ramp(960)[::-1], "pcm16", 2)
    for pair in zip(first, second, strict=True):
        for frame in pair:
            core.receive(frame, 2.0)
    core.receive(done(960, "t1"), 2.0)
    core.receive(done(960, "t2"), 2.0)
    assert np.array_equal(drain(one), ramp(960))
    assert np.array_equal(drain(two), ramp(960)[::-1])


def test_sound_of_a_take_that_is_over_is_a_fault() -> None:
    """Nothing may come after `take.cancelled`; a client that looks away would hide it."""
    core = opened()
    take = speak(core)
    sound = frames(ramp(960), "pcm16")
    core.receive(sound[0], 2.0)
    core.receive(wire.encode(wire.TakeCancelled("t1", 20.0)), 2.0)
    assert take.read(2.0) is None
    with pytest.raises(ServerFault, match="stream 1"):
        core.receive(sound[1], 2.0)


def test_a_take_says_how_it_ended() -> None:
    core = opened()
    stopped, failed = speak(core), speak(core, "t2", 2)
    core.receive(wire.encode(wire.TakeCancelled("t1", 20.0, "h", "i")), 2.0)
    core.receive(wire.encode(wire.TakeFailed("t2", wire.Failure("stage_failed", "no"))), 2.0)
    with pytest.raises(TakeWasCancelled) as cancelled:
        stopped.result()
    assert (cancelled.value.heard, cancelled.value.rest) == ("h", "i")
    with pytest.raises(TakeHasFailed, match="no"):
        failed.read(2.0)


def test_sound_that_came_before_a_failure_is_still_read() -> None:
    core = opened()
    take = speak(core)
    core.receive(frames(ramp(960), "pcm16")[0], 2.0)
    core.receive(wire.encode(wire.TakeFailed("t1", wire.Failure("stage_failed", "no"))), 2.0)
    block = take.read(2.0)
    assert block is not None
    assert len(block) == 480
    with pytest.raises(TakeHasFailed):
        take.read(2.0)


def test_a_refusal_goes_to_whoever_asked() -> None:
    core = opened()
    take = speak(core)
    _, ask = core.speak(wire.Speak("hi", voice="nobody"), 1.0)
    told = core.receive(wire.encode(Refused("unknown_voice", "no", "voice", ask.id)), 2.0)
    assert told == []
    assert ask.refusal is not None
    assert ask.refusal.field == "voice"

    asked = json.loads(core.send(append(take, "x")))
    core.receive(wire.encode(Refused("too_long", "too much", "text", asked["id"])), 2.0)
    with pytest.raises(RequestRefused, match="too much"):
        take.read(2.0)
    assert take.read(2.0) is None


def test_what_no_call_waits_for_is_told() -> None:
    core = opened()
    take = speak(core)
    warning = Warned("unreadable", "can't read", "t1")
    assert core.receive(wire.encode(warning), 2.0) == [warning]
    assert take.warnings == [warning]
    stray = Refused("bad_json", "what")
    assert core.receive(wire.encode(stray), 2.0) == [stray]
    assert core.receive(json.dumps({"type": "of a newer server"}), 2.0) == []


def test_a_lost_connection_ends_every_take() -> None:
    core = opened()
    take = speak(core)
    core.end(ConnectionLost(1011, "oops"), 2.0)
    with pytest.raises(ConnectionLost, match="1011: oops"):
        take.read(2.0)
    with pytest.raises(ConnectionLost):
        core.speak(wire.Speak("more"), 2.0)
    assert core.reports() == []
    assert core.takes == ()


def test_what_is_taken_is_reported_as_played() -> None:
    core = opened()
    take = speak(core)
    for frame in frames(ramp(RATE), "pcm16"):
        core.receive(frame, 2.0)
    first = [json.loads(text) for text in core.reports()]
    assert [(one["take_id"], one["played_ms"]) for one in first] == [("t1", 0.0)]
    while take.readable:
        take.read(2.0)
    (last,) = [json.loads(text) for text in core.reports()]
    assert last["played_ms"] == 1000.0
    assert json.loads(core.send(cancel(take, None)))["played_ms"] == 1000.0


def test_an_app_with_a_player_of_its_own_is_not_spoken_for() -> None:
    core = opened(reports="player")
    take = speak(core)
    for frame in frames(ramp(RATE), "pcm16"):
        core.receive(frame, 2.0)
    assert core.reports() == core.last_report(take) == []


def test_whoever_only_waits_counts_as_listening_and_can_read_later() -> None:
    core = opened()
    take = speak(core)
    take.waiters += 1
    for frame in frames(ramp(RATE), "pcm16"):
        core.receive(frame, 2.0)
    assert take.listener.played == RATE
    core.receive(done(RATE), 2.0)
    assert np.array_equal(drain(take), ramp(RATE))
    assert take.listener.played == RATE


def test_first_audio_is_counted_from_speak() -> None:
    core = opened()
    take = speak(core)
    core.receive(frames(ramp(960), "pcm16")[0], 3.25)
    assert take.first_at is not None
    assert take.first_at - take.asked_at == 2.25


def test_a_server_that_will_not_open_says_why() -> None:
    core = SessionCore(wire.SessionOpen(), "taken")
    core.receive(wire.encode(Refused("sessions_full", "all taken")), 0.0)
    with pytest.raises(RequestRefused, match="all taken"):
        core.opened_session()
