"""The client's session without a socket: what it writes, and what becomes of what it reads."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from sessions.commands import Cancel
from sessions.events import Recognised, Refused, TakeKept, Warned
from tests.voice_server.client.driving import (
    RATE,
    done,
    drain,
    frames,
    opened,
    ramp,
    speak,
    started,
)
from voice_server.client.asks import append, cancel, edit
from voice_server.client.errors import (
    ClientError,
    ConnectionLost,
    RequestRefused,
    ServerFault,
    TakeHasFailed,
    TakeWasCancelled,
)
from voice_server.client.session_core import SessionCore
from voice_server.client.views import TakeView
from voice_server.wire import messages as wire


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


def test_a_take_tells_what_was_heard_of_it() -> None:
    core = opened()
    take = speak(core)
    view = TakeView(take)
    assert view.heard is None
    core.receive(done(0, heard=Recognised(False, "thirsty", 3)), 2.0)
    assert view.heard == Recognised(False, "thirsty", 3)


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
    _, ask = core.ask(wire.Speak("hi", voice="nobody"), 1.0)
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
        core.ask(wire.Speak("more"), 2.0)
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


def test_a_directed_take_says_whose_child_it_is() -> None:
    core = opened()
    _, ask = core.ask(wire.Direct("t0", "softer"), 1.0)
    core.receive(started("t1", 1, reply_to=ask.id, parent="t0", direction="softer"), 2.0)
    assert ask.take is not None
    assert (ask.take.started.parent, ask.take.started.direction) == ("t0", "softer")
    assert ask.take.asked_at == 1.0


def test_a_kept_take_answers_whoever_kept_it() -> None:
    core = opened()
    _, ask = core.ask(wire.Keep("t0"), 1.0)
    assert not ask.answered
    core.receive(wire.encode(TakeKept("t0", "l1", ask.id)), 2.0)
    assert ask.kept is not None
    assert ask.kept.line_id == "l1"


@pytest.mark.parametrize("given", [{}, {"text": "a", "changes": [((0, 1), "b")]}])
def test_an_edit_is_either_a_text_or_changes(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="either text"):
        edit("t0", given.get("text"), given.get("changes", ()))


def test_an_edit_goes_out_as_the_wire_has_it() -> None:
    core = opened()
    frame, _ = core.ask(edit("t0", None, [((1, 2), "b"), ((4, 4), "c")]), 1.0)
    sent = json.loads(frame)
    assert sent["changes"] == [{"words": [1, 2], "text": "b"}, {"words": [4, 4], "text": "c"}]
    frame, _ = core.ask(edit("t0", "", ()), 1.0)
    assert json.loads(frame)["text"] == ""


def test_a_take_that_nobody_asked_for_is_a_fault() -> None:
    with pytest.raises(ServerFault, match="nobody asked"):
        opened().receive(started("t1", 1), 1.0)


def test_a_take_whose_asker_has_given_up_is_cancelled() -> None:
    """Somebody who stops waiting for `speak` must not lose the connection over it."""
    core = opened()
    _, ask = core.ask(wire.Speak("hi"), 1.0)
    core.forget(ask)
    core.receive(started("t1", 1, reply_to=ask.id), 2.0)
    (cancelling,) = [json.loads(text) for text in core.reports()]
    assert (cancelling["type"], cancelling["take_id"]) == ("cancel", "t1")
    for frame in frames(ramp(960), "pcm16"):
        core.receive(frame, 2.0)
    core.receive(wire.encode(wire.TakeCancelled("t1", 20.0)), 2.0)
    assert core.takes == ()


def test_a_refusal_that_nobody_waits_for_any_more_is_no_news() -> None:
    core = opened()
    _, ask = core.ask(wire.Speak("hi"), 1.0)
    core.forget(ask)
    assert core.receive(wire.encode(Refused("busy", "no", reply_to=ask.id)), 2.0) == []


def test_once_the_server_has_closed_the_session_nothing_more_is_written() -> None:
    """It says so before its connection ends, and a take may be heard in between."""
    core = opened()
    take = speak(core)
    for frame in frames(ramp(4800), "pcm16"):
        core.receive(frame, 2.0)
    core.receive(wire.encode(wire.SessionClosed()), 2.0)
    assert take.read(2.5) is not None
    assert core.last_report(take) == []
    assert core.reports() == []
    with pytest.raises(ClientError, match="the session is closed"):
        core.send(Cancel())
