"""The client's scene without a socket: its lines, its takes in order, and what counts as played."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sessions.events import Refused, SceneDone, SceneLine, SceneStarted
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
from voice_server.client.asks import add_script
from voice_server.client.errors import ClientError, ConnectionLost, RequestRefused, ServerFault
from voice_server.client.scene_core import SceneCore
from voice_server.client.session_core import SessionCore
from voice_server.wire import messages as wire

LINES = tuple(SceneLine(f"l{at}", "ANNA", "low", "hi") for at in range(3))


def perform(core: SessionCore) -> SceneCore:
    _, ask = core.ask(wire.Perform("ANNA: hi", "plain"), 1.0)
    core.receive(wire.encode(SceneStarted("s1", LINES, 0, ask.id)), 1.0)
    assert ask.scene is not None
    return ask.scene


def start(core: SessionCore, take_id: str, stream: int) -> None:
    core.receive(started(take_id, stream, scene_id="s1", reply_to="ask-1"), 2.0)


def hear(core: SessionCore, stream: int, samples: int = RATE) -> None:
    for frame in frames(ramp(samples), "pcm16", stream):
        core.receive(frame, 2.0)


def test_takes_are_given_once_in_the_order_they_start() -> None:
    core = opened()
    scene = perform(core)
    assert not scene.readable
    start(core, "t1", 1)
    start(core, "t2", 2)
    given = [scene.next(), scene.next()]
    assert [take.id for take in given if take] == ["t1", "t2"]
    assert not scene.readable
    core.receive(wire.encode(SceneDone("s1", 3)), 3.0)
    assert scene.readable
    assert scene.next() is None
    assert scene.result().lines == 3


def test_a_scene_is_over_when_its_takes_are() -> None:
    core = opened()
    scene = perform(core)
    start(core, "t1", 1)
    core.receive(wire.encode(SceneDone("s1", 1)), 3.0)
    assert not scene.over
    core.receive(done(0, "t1"), 3.0)
    assert scene.over
    assert core.scenes == ()


def test_a_take_of_a_scene_that_was_asked_for_itself_goes_to_whoever_asked() -> None:
    core = opened()
    scene = perform(core)
    _, ask = core.ask(wire.Direct("t0", "softer"), 1.0)
    core.receive(started("t1", 1, scene_id="s1", reply_to=ask.id), 2.0)
    assert ask.take is not None
    assert not scene.readable


def test_lines_that_are_added_follow_those_there_are() -> None:
    core = opened()
    scene = perform(core)
    more = (SceneLine("l3", "BEN", "high", "ho"),)
    core.receive(wire.encode(SceneStarted("s1", more, 3, "s1")), 2.0)
    assert [line.line_id for line in scene.lines] == ["l0", "l1", "l2", "l3"]
    with pytest.raises(ServerFault, match="only 4"):
        core.receive(wire.encode(SceneStarted("s1", more, 9, "s1")), 2.0)


def test_a_take_that_is_gone_past_counts_as_played_and_can_still_be_read() -> None:
    core = opened()
    scene = perform(core)
    start(core, "t1", 1)
    take = scene.next()
    assert take is not None
    sound = frames(ramp(RATE), "pcm16", 1)
    for frame in sound[:20]:
        core.receive(frame, 2.0)
    assert take.listener.played == 0
    scene.go_on(2.0)
    assert take.listener.played == take.listener.arrived > 0
    for frame in sound[20:]:
        core.receive(frame, 2.0)
    core.receive(done(RATE, "t1"), 2.0)
    assert take.listener.played == RATE
    assert np.array_equal(drain(take), ramp(RATE))


def test_a_take_that_waits_for_its_turn_does_not_count_as_played() -> None:
    core = opened()
    scene = perform(core)
    start(core, "t1", 1)
    start(core, "t2", 2)
    first, _ = scene.next(), scene.go_on(2.0)
    second = scene.next()
    assert first is not None
    assert second is not None
    hear(core, 2)
    assert second.listener.played == 0


def test_whoever_waits_for_the_end_lets_all_takes_pass() -> None:
    core = opened()
    scene = perform(core)
    start(core, "t1", 1)
    hear(core, 1)
    scene.pass_all(2.0)
    start(core, "t2", 2)
    hear(core, 2)
    assert [take.listener.played for take in scene.under_way] == [RATE, RATE]


def test_script_that_is_refused_is_raised_by_the_scene() -> None:
    core = opened()
    scene = perform(core)
    asked = json.loads(core.send(add_script(scene, "BEN (", more=True)))
    assert (asked["scene_id"], asked["more"], asked["format"]) == ("s1", True, "plain")
    refusal = Refused("bad_script", "line 2, column 5: no", "script", asked["id"])
    assert core.receive(wire.encode(refusal), 2.0) == []
    with pytest.raises(RequestRefused, match="line 2, column 5"):
        scene.next()
    assert not scene.readable


def test_no_script_can_be_added_after_the_end() -> None:
    core = opened()
    scene = perform(core)
    scene.check_open()
    core.receive(wire.encode(SceneDone("s1", 0, cancelled=True)), 3.0)
    with pytest.raises(ClientError, match="is over"):
        scene.check_open()


def test_a_lost_connection_ends_the_scene_after_the_takes_that_started() -> None:
    core = opened()
    scene = perform(core)
    start(core, "t1", 1)
    core.end(ConnectionLost(1011, "oops"), 2.0)
    assert scene.next() is not None
    with pytest.raises(ConnectionLost, match="oops"):
        scene.next()
    with pytest.raises(ConnectionLost):
        scene.result()


def test_a_scene_that_nobody_asked_for_is_a_fault() -> None:
    core = opened()
    speak(core)
    with pytest.raises(ServerFault, match="nobody asked"):
        core.receive(wire.encode(SceneStarted("s9", LINES, 0, "ask-1")), 2.0)


def test_a_scene_whose_asker_has_given_up_is_cancelled_take_by_take() -> None:
    core = opened()
    _, ask = core.ask(wire.Perform("ANNA: hi"), 1.0)
    core.forget(ask)
    core.receive(wire.encode(SceneStarted("s1", LINES, 0, ask.id)), 1.0)
    for number in (1, 2):
        core.receive(started(f"t{number}", number, scene_id="s1", reply_to=ask.id), 2.0)
    cancelled = [json.loads(text)["take_id"] for text in core.reports()]
    assert cancelled == ["t1", "t2"]
    core.receive(wire.encode(SceneDone("s1", 0, cancelled=True)), 3.0)
    assert core.scenes == ()


def test_news_of_a_take_may_come_after_those_of_the_scenes_end() -> None:
    """The server says what is of a session before what is of its takes."""
    core = opened()
    scene = perform(core)
    core.receive(wire.encode(SceneDone("s1", 0, cancelled=True)), 2.0)
    start(core, "t1", 1)
    assert not scene.over
    hear(core, 1)
    assert [take.listener.played for take in scene.under_way] == [RATE]
    core.receive(wire.encode(wire.TakeCancelled("t1", 20.0)), 3.0)
    assert scene.over


def test_scenes_that_ended_are_forgotten_but_for_a_few() -> None:
    core = opened()
    for number in range(50):
        _, ask = core.ask(wire.Perform("ANNA: hi"), 1.0)
        core.receive(wire.encode(SceneStarted(f"s{number}", LINES, 0, ask.id)), 1.0)
        core.receive(wire.encode(SceneDone(f"s{number}", 0)), 2.0)
    assert core.scenes == ()
    core.receive(started("t1", 1, scene_id="s49"), 3.0)
    with pytest.raises(ServerFault):
        core.receive(started("t2", 2, scene_id="s0"), 3.0)
