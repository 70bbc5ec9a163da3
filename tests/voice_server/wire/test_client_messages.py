"""What clients say: read back as it was written, and refused by name where it is wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.commands import Cancel, Playback, Speak, Underrun
from tests.voice_server.wire.strategies import (
    LIMITS,
    almost_messages,
    client_messages,
    json_values,
    outcome,
)
from voice_server.wire import messages as wire


@given(client_messages)
def test_round_trip(message: wire.ClientMessage) -> None:
    parsed = wire.parse_client(wire.encode_command(message), LIMITS)
    assert parsed == wire.Parsed(message)


@given(client_messages)
def test_bytes_read_as_text_does(message: wire.ClientMessage) -> None:
    text = wire.encode_command(message)
    assert wire.parse_client(text.encode(), LIMITS) == wire.parse_client(text, LIMITS)


@given(st.binary() | st.text(st.characters()) | st.text(st.sampled_from('{}[]",:\\ut1e-.')))
def test_any_bytes_raise_nothing_but_wire_error(data: bytes | str) -> None:
    with pytest.raises(wire.WireError) as caught:
        wire.parse_client(data, LIMITS)
    assert wire.encode(caught.value.answer()).encode()


@given(almost_messages | json_values)
def test_any_json_gives_a_message_or_a_wire_error_that_can_be_sent(value: Any) -> None:
    got = outcome(lambda: wire.parse_client(json.dumps(value), LIMITS))
    if isinstance(got, wire.WireError):
        assert wire.encode(got.answer()).encode()
    else:
        again = wire.parse_client(wire.encode_command(got.message), LIMITS)
        assert again == wire.Parsed(got.message)


def refused(text: str | bytes) -> wire.WireError:
    with pytest.raises(wire.WireError) as caught:
        wire.parse_client(text, LIMITS)
    return caught.value


OPEN = '{"type":"session.open",'
EDIT = '{"type":"edit","take_id":"t1","changes":'
PLAY = '{"type":"playback","take_id":"t1","played_ms":5,"underruns":'


@pytest.mark.parametrize(
    ("text", "code", "field", "said"),
    [
        (OPEN + '"audio":{"frame_ms":30}}', "bad_field", "audio.frame_ms", "20, 40, 60, got 30"),
        (OPEN + '"audio":{"frame_ms":true}}', "bad_field", "audio.frame_ms", "got true"),
        (OPEN + '"audio":{"format":"mp3"}}', "bad_field", "audio.format", "opus, pcm16"),
        (OPEN + '"audio":5}', "bad_field", "audio", "an object"),
        (OPEN + '"lead_ms":99}', "bad_field", "lead_ms", "from 100 to 10000, got 99"),
        (OPEN + '"resume":{"token":"x"}}', "missing_field", "resume.session_id", "missing"),
        (
            OPEN + '"resume":{"session_id":"s","token":"x","received":{"01":1}}}',
            "bad_field",
            "resume.received.01",
            "number of a stream",
        ),
        ('{"type":"speak"}', "missing_field", "text", "a string"),
        ('{"type":"speak","text":null}', "bad_field", "text", "got null"),
        ('{"type":"speak","text":["hi"]}', "bad_field", "text", "got a list"),
        ('{"type":"speak","text":"\\ud800"}', "bad_field", "text", "surrogates"),
        ('{"type":"speak","text":"hi","voice":""}', "bad_field", "voice", "not empty"),
        ('{"type":"speak","text":"hi","seed":-1}', "bad_field", "seed", "from 0"),
        ('{"type":"speak","text":"hi","seed":1.5}', "bad_field", "seed", "whole number"),
        ('{"type":"speak","text":"hi","more":1}', "bad_field", "more", "true or false"),
        (f'{{"type":"speak","text":"{"a" * 100_001}"}}', "too_long", "text", "at most 100000"),
        (f'{{"type":"ping","id":"{"a" * 65}"}}', "too_long", "id", "at most 64"),
        ('{"type":"ping","id":7}', "bad_field", "id", "a string, got 7"),
        ('{"type":"append","text":"x"}', "missing_field", "take_id", "missing"),
        (PLAY + "3}", "bad_field", "underruns", "a list, got 3"),
        (PLAY + "[{}]}", "missing_field", "underruns[0].at_ms", "a number"),
        (
            PLAY + '[{"at_ms":0,"ms":1},{"at_ms":0,"ms":1},{"at_ms":0,"ms":-1}]}',
            "bad_field",
            "underruns[2].ms",
            "from 0",
        ),
        (PLAY + "[3]}", "bad_field", "underruns[0]", "an object"),
        (PLAY + f"[{'{},' * 256}{{}}]}}", "too_long", "underruns", "at most 256"),
        ('{"type":"spaek"}', "unknown_type", "type", "speak, append"),
        ('{"type":5}', "bad_field", "type", "a string"),
        ("{}", "missing_field", "type", "a string"),
        ('{"type":"direct","take_id":"t1"}', "missing_field", "direction", "a string"),
        ('{"type":"direct","take_id":"t1","direction":""}', "bad_field", "direction", "not empty"),
        ('{"type":"edit","take_id":"t1"}', "missing_field", "text", "a string"),
        (EDIT + '[{"words":[0,1],"text":""}],"text":"a"}', "bad_field", "changes", "got both"),
        (EDIT + "[]}", "bad_field", "changes", "at least one"),
        (EDIT + '[{"words":[0],"text":""}]}', "bad_field", "changes[0].words", "two whole numbers"),
        (EDIT + '[{"words":[0,-1],"text":""}]}', "bad_field", "changes[0].words", "got -1"),
        (EDIT + '[{"words":[0,1]}]}', "missing_field", "changes[0].text", "a string"),
        ('{"type":"perform","script":"A: b","format":"pdf"}', "bad_field", "format", "fountain"),
        ('{"type":"perform","script":"A: b","cast":{"A":1}}', "bad_field", "cast.A", "a string"),
        ('{"type":"perform","script":"A: b","cast":{"":"x"}}', "bad_field", "cast", "names of"),
    ],
)
def test_a_wrong_field_is_named_with_what_was_expected(
    text: str, code: str, field: str, said: str
) -> None:
    error = refused(text)
    assert (error.code, error.field) == (code, field)
    assert said in error.message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "character 0"),
        ("[1]", "expected a JSON object, got a list"),
        ('"hi"', "expected a JSON object"),
        ('{"type":"ping","type":"ping"}', "comes twice"),
        ('{"type":"cancel","played_ms":NaN}', "NaN is not JSON"),
        ('{"type":"cancel","played_ms":-Infinity}', "-Infinity is not JSON"),
        ('{"type":"cancel","played_ms":1e999}', "does not fit"),
        ('{"type":"cancel","played_ms":' + "9" * 5000 + "}", "5000 digits"),
        ('{"type":"ping"} x', "Extra data"),
        (b'{"type":"\xff"}', "not UTF-8 at byte 9"),
        ("[" * 200_000, "nested too deeply"),
        ('{"type":"ping","x":' + "[" * 200_000 + "]" * 200_000 + "}", "nested too deeply"),
    ],
)
def test_bad_json_says_what_and_where(text: str | bytes, said: str) -> None:
    error = refused(text)
    assert error.code == "bad_json"
    assert said in error.message


@pytest.mark.parametrize("kind", ["direct", "edit", "perform", "keep", "nonsense", "speak"])
def test_an_error_carries_the_id_of_its_message(kind: str) -> None:
    assert refused(json.dumps({"type": kind, "id": "m7"})).reply_to == "m7"


def test_unknown_fields_are_listed_by_path() -> None:
    underruns = '[{"at_ms":1,"ms":1,"b":2}]'
    text = f'{{"type":"playback","take_id":"t","played_ms":1,"a":1,"underruns":{underruns}}}'
    parsed = wire.parse_client(text, LIMITS)
    assert parsed.message == Playback("t", 1.0, (Underrun(1.0, 1.0),))
    assert parsed.unknown == ("playback: a", "playback: underruns[0].b")


def test_null_counts_as_absent_and_whole_doubles_as_integers() -> None:
    text = '{"type":"speak","text":"hi","voice":null,"seed":3.0,"more":null,"id":null}'
    assert wire.parse_client(text, LIMITS) == wire.Parsed(Speak("hi", seed=3))
    opened = wire.parse_client('{"type":"session.open"}', LIMITS).message
    assert opened == wire.SessionOpen(wire.AudioFormat("opus", 20))


def test_cancel_without_a_take_means_all() -> None:
    assert wire.parse_client('{"type":"cancel"}', LIMITS).message == Cancel()
