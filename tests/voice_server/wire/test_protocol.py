"""The server's state machine: what may come when, and what ends a connection."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.voice_server.wire.strategies import almost_messages, client_messages
from voice_server.wire import messages as wire
from voice_server.wire.protocol import Accepted, Answer, Close, CloseCode, ServerProtocol, State

OPEN = '{"type":"session.open","id":"o"}'
SPEAK = '{"type":"speak","text":"hi","id":"s"}'


def opened(limits: wire.Limits | None = None) -> ServerProtocol:
    protocol = ServerProtocol(limits or wire.Limits(), now=0.0)
    assert protocol.receive_text(OPEN, 1.0) == [Accepted(wire.SessionOpen(id="o"))]
    return protocol


def error_of(received: list[object]) -> wire.ErrorMessage:
    (answer,) = received
    assert isinstance(answer, Answer)
    assert isinstance(answer.message, wire.ErrorMessage)
    return answer.message


def test_messages_before_session_open_are_refused_and_the_connection_goes_on() -> None:
    protocol = ServerProtocol(wire.Limits(), now=0.0)
    refusal = error_of(list(protocol.receive_text(SPEAK, 0.1)))
    assert (refusal.code, refusal.reply_to) == ("not_open", "s")
    assert protocol.receive_text(OPEN, 0.2) == [Accepted(wire.SessionOpen(id="o"))]
    assert protocol.receive_text(SPEAK, 0.3) == [Accepted(wire.Speak("hi", id="s"))]


def test_a_second_session_open_is_refused() -> None:
    assert error_of(list(opened().receive_text(OPEN, 2.0))).code == "already_open"


def test_no_session_open_within_ten_seconds_closes_with_4400() -> None:
    protocol = ServerProtocol(wire.Limits(), now=5.0)
    assert protocol.deadline() == 15.0
    assert protocol.tick(14.999) == []
    (close,) = protocol.tick(15.0)
    assert isinstance(close, Close)
    assert close.code is CloseCode.NOT_OUR_PROTOCOL
    assert protocol.deadline() is None
    assert protocol.receive_text(OPEN, 16.0) == []


def test_an_open_session_has_no_deadline() -> None:
    protocol = opened()
    assert protocol.deadline() is None
    assert protocol.tick(1e6) == []


def test_ping_is_answered_in_every_state_that_reads() -> None:
    protocol = ServerProtocol(wire.Limits(), now=0.0)
    ping = '{"type":"ping","id":"p"}'
    assert protocol.receive_text(ping, 0.1) == [Answer(wire.Pong("p"))]
    protocol.receive_text(OPEN, 0.2)
    assert protocol.receive_text(ping, 0.3) == [Answer(wire.Pong("p"))]
    protocol.drain(1_000)
    assert protocol.receive_text(ping, 0.4) == [Answer(wire.Pong("p"))]


def test_session_close_is_answered_and_ends_it() -> None:
    protocol = opened()
    assert protocol.receive_text('{"type":"session.close","id":"c"}', 2.0) == [
        Accepted(wire.SessionClose("c")),
        Answer(wire.SessionClosed("c")),
        Close(CloseCode.DONE, "session closed"),
    ]
    assert protocol.state is State.CLOSED
    assert protocol.receive_text(SPEAK, 3.0) == []
    assert protocol.receive_binary(b"x", 3.0) == []
    assert protocol.close(CloseCode.OUR_FAULT, "x") == []


def test_binary_frames_are_not_expected() -> None:
    assert error_of(list(opened().receive_binary(b"\0", 2.0))).code == "unexpected_binary"


@pytest.mark.parametrize("text", ["a" * 101, "é" * 51, "🔥" * 26])
def test_a_text_frame_past_the_limit_closes_with_1009(text: str) -> None:
    protocol = opened(wire.Limits(message_bytes=100))
    answer, close = protocol.receive_text(text, 2.0)
    assert isinstance(answer, Answer)
    assert isinstance(close, Close)
    assert close.code is CloseCode.TOO_LARGE
    assert protocol.state is State.CLOSED


def test_a_text_frame_of_just_the_limit_is_read() -> None:
    protocol = opened(wire.Limits(message_bytes=100))
    assert error_of(list(protocol.receive_text("é" * 50, 2.0))).code == "bad_json"


def test_unknown_fields_are_warned_of_once_a_session() -> None:
    protocol = opened()
    text = '{"type":"speak","text":"hi","pich":2,"\\ud800":3}'
    warning, accepted = protocol.receive_text(text, 2.0)
    assert isinstance(warning, Answer)
    assert isinstance(warning.message, wire.WarningMessage)
    assert warning.message.code == "unknown_fields"
    assert "speak: pich" in warning.message.message
    assert wire.encode(warning.message).encode()
    assert accepted == Accepted(wire.Speak("hi"))
    assert protocol.receive_text(text, 3.0) == [accepted]


def test_many_unknown_fields_are_counted_rather_than_listed() -> None:
    text = json.dumps({"type": "ping", **{f"x{i}": i for i in range(500)}})
    warning = opened().receive_text(text, 2.0)[0]
    assert isinstance(warning, Answer)
    assert isinstance(warning.message, wire.WarningMessage)
    assert warning.message.message.endswith("ping: x15 and 484 more")


def test_draining_takes_what_is_under_way_to_its_end_and_nothing_new() -> None:
    protocol = opened()
    assert protocol.drain(5_000) == [Answer(wire.SessionDraining(5_000))]
    assert error_of(list(protocol.receive_text(SPEAK, 2.0))).code == "draining"
    finish = '{"type":"finish","take_id":"t"}'
    assert protocol.receive_text(finish, 2.1) == [Accepted(wire.Finish("t"))]
    assert protocol.drain(1_000) == []
    assert protocol.close(CloseCode.RESTARTING, "restarting") == [
        Close(CloseCode.RESTARTING, "restarting")
    ]


def test_draining_before_the_open_closes_at_once() -> None:
    protocol = ServerProtocol(wire.Limits(), now=0.0)
    assert protocol.drain(5_000) == [Close(CloseCode.RESTARTING, "restarting")]


def test_a_flood_is_slowed_and_nothing_of_it_lost() -> None:
    protocol = opened(wire.Limits(messages_per_s=10, messages_burst=3))
    for _ in range(4):
        assert protocol.pause(2.0) == 0.0
        assert protocol.receive_text(SPEAK, 2.0) == [Accepted(wire.Speak("hi", id="s"))]
    assert protocol.pause(2.0) == pytest.approx(0.1)
    assert protocol.pause(2.05) == pytest.approx(0.05)
    assert protocol.pause(2.2) == 0.0


frames = st.one_of(
    client_messages.map(wire.encode_command), almost_messages.map(json.dumps), st.binary()
)


@given(st.lists(frames, max_size=8))
def test_whatever_comes_the_machine_answers_and_stays_in_its_states(
    data: list[str | bytes],
) -> None:
    protocol = ServerProtocol(wire.Limits(), now=0.0)
    for at, frame in enumerate(data):
        before = protocol.state
        received = protocol.receive_text(frame, float(at))
        assert bool(received) == (before is not State.CLOSED)
        for one in received:
            if isinstance(one, Answer):
                assert wire.encode(one.message).encode()
        assert (protocol.state is State.CLOSED) == any(isinstance(r, Close) for r in received) or (
            before is State.CLOSED
        )
