"""What the server says: as the protocol names it, and back again for the SDK."""

from __future__ import annotations

import dataclasses
import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.types import Performance, Voice, Word
from tests.voice_server.wire.strategies import json_values, outcome, server_messages
from voice_server.wire import messages as wire


@given(server_messages)
def test_round_trip(message: wire.ServerMessage) -> None:
    assert wire.parse_server(wire.encode(message)) == message


@given(st.binary() | st.text())
def test_any_bytes_raise_nothing_but_wire_error(data: bytes | str) -> None:
    with pytest.raises(wire.WireError):
        wire.parse_server(data)


@given(server_messages, st.text(max_size=8), json_values)
def test_unknown_fields_are_ignored_and_wrong_ones_are_wire_errors(
    message: wire.ServerMessage, name: str, value: object
) -> None:
    values = json.loads(wire.encode(message))
    extended = wire.parse_server(json.dumps({**values, "x-new": 1}))
    assert extended == message
    changed = outcome(lambda: wire.parse_server(json.dumps({**values, name: value})))
    assert not isinstance(changed, wire.WireError) or changed.message


def test_an_unknown_type_is_handed_on_whole() -> None:
    got = wire.parse_server('{"type":"take.sung","take_id":"t1"}')
    assert got == wire.Unknown("take.sung", {"type": "take.sung", "take_id": "t1"})


def test_a_wrong_field_is_named() -> None:
    with pytest.raises(wire.WireError) as caught:
        wire.parse_server('{"type":"take.failed","take_id":"t1","error":{"code":"x"}}')
    assert caught.value.field == "error.message"


def test_session_opened_has_the_names_of_the_protocol() -> None:
    opened = wire.SessionOpened(
        "s1",
        "tok",
        False,
        wire.Limits(),
        (Voice("af_heart", "Heart", "en-US", "female", ("warm",)),),
        wire.EngineInfo("embedded", "kokoro", 75.0, ("speak",)),
        wire.AudioInfo("opus", 24_000, 1, 60, 20),
        "m1",
    )
    values = json.loads(wire.encode(opened))
    assert values.pop("limits") == dataclasses.asdict(wire.Limits())
    assert values == {
        "type": "session.opened",
        "session_id": "s1",
        "token": "tok",
        "resumed": False,
        "voices": [
            {
                "id": "af_heart",
                "name": "Heart",
                "language": "en-US",
                "gender": "female",
                "tags": ["warm"],
            }
        ],
        "engine": {"family": "embedded", "model": "kokoro", "frame_ms": 75.0, "can": ["speak"]},
        "audio": {
            "format": "opus",
            "sample_rate": 24_000,
            "channels": 1,
            "pre_skip": 60,
            "frame_ms": 20,
        },
        "reply_to": "m1",
    }


def test_a_directed_take_says_which_words_moved_what() -> None:
    started = wire.TakeStarted(
        "t2",
        "l1",
        2,
        "directed",
        "af_heart",
        "Hello there.",
        Performance(rate=0.9),
        parent="t1",
        direction="a bit slower",
        moved=(wire.Moved("a bit slower", {"rate": (1.0, 0.9)}),),
    )
    told = json.loads(wire.encode(started))
    assert (told["kind"], told["parent"], told["direction"]) == ("directed", "t1", "a bit slower")
    assert told["moved"] == [
        {"words": "a bit slower", "levers": {"rate": [1.0, 0.9]}, "scope": None}
    ]


def test_scenes_and_kept_takes_have_the_names_of_the_protocol() -> None:
    line = wire.SceneLine("l1", "ANNA", "af_heart", "Hello.")
    assert json.loads(wire.encode(wire.SceneStarted("s1", (line,), reply_to="m"))) == {
        "type": "scene.started",
        "scene_id": "s1",
        "lines": [
            {
                "line_id": "l1",
                "speaker": "ANNA",
                "voice": "af_heart",
                "text": "Hello.",
                "dual": False,
            }
        ],
        "first": 0,
        "reply_to": "m",
    }
    assert json.loads(wire.encode(wire.SceneDone("s1", 1))) == {
        "type": "scene.done",
        "scene_id": "s1",
        "lines": 1,
        "cancelled": False,
    }
    assert json.loads(wire.encode(wire.TakeKept("t1", "l1"))) == {
        "type": "take.kept",
        "take_id": "t1",
        "line_id": "l1",
    }


def test_take_done_has_the_names_of_the_protocol() -> None:
    nothing = wire.Underruns(0, 0.0, 0.0, "server")
    done = wire.TakeDone("t1", 0, 0.0, None, None, nothing, Performance(rate=0.9, whisper=True))
    told = json.loads(wire.encode(done))
    performance = told.pop("performance")
    assert set(performance) == {field.name for field in dataclasses.fields(Performance)}
    assert (performance["rate"], performance["whisper"], performance["parts"]) == (0.9, True, [])
    assert told == {
        "type": "take.done",
        "take_id": "t1",
        "samples": 0,
        "duration_ms": 0.0,
        "first_audio_ms": None,
        "rtf": None,
        "underruns": {"count": 0, "total_ms": 0.0, "longest_ms": 0.0, "source": "server"},
        "queued_ms": 0.0,
    }
    made = dataclasses.replace(done, made=wire.Made(120.0, (4, 6), None))
    told = json.loads(wire.encode(made))
    assert told["made"] == {"frames_ms": 120.0, "windows": [4, 6], "held_ms": None}


@given(st.lists(st.integers(0, 10**9), min_size=2, max_size=10).map(sorted))
def test_word_times_never_go_back_and_keep_their_samples(marks: list[int]) -> None:
    words = tuple(
        Word(i, "w", start, end, (i, i + 1))
        for i, (start, end) in enumerate(itertools.pairwise(marks))
    )
    times = wire.word_times(words, 24_000)
    flat = [ms for word in times for ms in (word.start_ms, word.end_ms)]
    assert flat == sorted(flat)
    assert [round(word.start_ms * 24) for word in times] == [word.start for word in words]
