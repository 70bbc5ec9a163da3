"""The client's end: typed events out, packets in order, and what a resume has to tell."""

from __future__ import annotations

import pytest

from engine.types import Performance
from voice_server.wire import messages as wire
from voice_server.wire.audio_frame import AudioFrame
from voice_server.wire.client_protocol import ClientProtocol, Fault
from voice_server.wire.protocol import Accepted, ServerProtocol, State

OPENED = wire.SessionOpened(
    "s1",
    "tok",
    False,
    wire.Limits(),
    (),
    wire.EngineInfo("embedded", "m", 75.0, ("speak",)),
    wire.AudioInfo("opus", 24_000, 1, 60, 20),
)
STARTED = wire.TakeStarted("t1", "l1", 1, "spoken", "v", "hi", Performance())


def frame(seq: int) -> AudioFrame:
    return AudioFrame(stream=1, seq=seq, timestamp=480 * seq, payload=b"x")


def opened() -> ClientProtocol:
    protocol = ClientProtocol(wire.SessionOpen())
    assert protocol.receive_text(wire.encode(OPENED)) == [OPENED]
    return protocol


def test_both_ends_understand_each_other() -> None:
    client, server = ClientProtocol(wire.SessionOpen(id="a")), ServerProtocol(wire.Limits(), 0.0)
    assert server.receive_text(client.open(), 0.1) == [Accepted(wire.SessionOpen(id="a"))]
    client.receive_text(wire.encode(OPENED))
    speak = wire.Speak("hello", id="b")
    assert server.receive_text(client.send(speak), 0.2) == [Accepted(speak)]


def test_nothing_is_sent_before_the_server_opened() -> None:
    protocol = ClientProtocol(wire.SessionOpen())
    with pytest.raises(wire.WireError, match=r"awaiting session\.open"):
        protocol.send(wire.Ping())


def test_packets_come_typed_and_twice_sent_ones_once() -> None:
    protocol = opened()
    assert protocol.receive_binary(frame(0).pack()) == [frame(0)]
    assert protocol.receive_binary(frame(0).pack()) == []
    assert protocol.receive_binary(frame(1).pack()) == [frame(1)]
    assert protocol.received == {1: 1}


def test_a_missing_packet_is_a_fault() -> None:
    (fault,) = opened().receive_binary(frame(1).pack())
    assert isinstance(fault, Fault)
    assert fault.code == "packet_missing"


def test_a_resume_goes_on_where_it_was() -> None:
    resume = wire.Resume("s1", "tok", {1: 4})
    protocol = ClientProtocol(wire.SessionOpen(resume=resume))
    assert protocol.receive_binary(frame(4).pack()) == []
    assert protocol.receive_binary(frame(5).pack()) == [frame(5)]


def test_a_take_that_ended_needs_no_resume() -> None:
    protocol = opened()
    protocol.receive_text(wire.encode(STARTED))
    protocol.receive_binary(frame(0).pack())
    protocol.receive_text(wire.encode(wire.TakeCancelled("t1", 20.0)))
    assert protocol.received == {}


def test_nonsense_is_a_fault_and_news_of_a_newer_server_is_not() -> None:
    protocol = opened()
    (fault,) = protocol.receive_text("nonsense")
    assert isinstance(fault, Fault)
    (fault,) = protocol.receive_binary(b"nonsense")
    assert isinstance(fault, Fault)
    (news,) = protocol.receive_text('{"type":"scene.sung"}')
    assert isinstance(news, wire.Unknown)


def test_states_follow_what_the_server_says() -> None:
    protocol = opened()
    protocol.receive_text(wire.encode(wire.SessionDraining(100)))
    assert protocol.state is State.DRAINING
    protocol.receive_text(wire.encode(wire.SessionClosed()))
    assert protocol.state is State.CLOSED
