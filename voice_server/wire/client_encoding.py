"""Writes what a client says, for the SDK: the other half of `client_parsing`."""

from __future__ import annotations

import json
from typing import assert_never

from sessions.commands import (
    Append,
    Cancel,
    Direct,
    Edit,
    Finish,
    Keep,
    Perform,
    Playback,
    Speak,
)
from voice_server.wire.client_messages import ClientMessage, Ping, Resume, SessionClose, SessionOpen
from voice_server.wire.strict_json import Json


def encode_command(message: ClientMessage) -> str:
    """The JSON text of what a client says; `parse_client` gives the same message back."""
    values: dict[str, Json] = {"type": _type_of(message), **_values(message), "id": message.id}
    present = {name: value for name, value in values.items() if value is not None}
    return json.dumps(present, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _type_of(message: ClientMessage) -> str:
    match message:
        case SessionOpen():
            return "session.open"
        case SessionClose():
            return "session.close"
        case Ping():
            return "ping"
        case Speak():
            return "speak"
        case Append():
            return "append"
        case Finish():
            return "finish"
        case Cancel():
            return "cancel"
        case Playback():
            return "playback"
        case Direct():
            return "direct"
        case Edit():
            return "edit"
        case Keep():
            return "keep"
        case Perform():
            return "perform"
        case _:
            assert_never(message)


def _values(message: ClientMessage) -> dict[str, Json]:
    match message:
        case SessionOpen():
            return _open_values(message)
        case SessionClose() | Ping():
            return {}
        case Speak():
            return _speak_values(message)
        case Append():
            return {"take_id": message.take_id, "text": message.text}
        case Finish():
            return {"take_id": message.take_id}
        case Cancel():
            return {"take_id": message.take_id, "played_ms": message.played_ms}
        case Playback():
            return _playback_values(message)
        case Direct():
            return {
                "take_id": message.take_id,
                "direction": message.direction,
                "seed": message.seed,
            }
        case Edit():
            return _edit_values(message)
        case Keep():
            return {"take_id": message.take_id}
        case Perform():
            return _perform_values(message)
        case _:
            assert_never(message)


def _open_values(message: SessionOpen) -> dict[str, Json]:
    return {
        "audio": {"format": message.audio.format, "frame_ms": message.audio.frame_ms},
        "lead_ms": message.lead_ms,
        "resume": _resume_values(message.resume) if message.resume else None,
    }


def _resume_values(resume: Resume) -> dict[str, Json]:
    return {
        "session_id": resume.session_id,
        "token": resume.token,
        "received": {str(stream): seq for stream, seq in resume.received.items()},
    }


def _speak_values(message: Speak) -> dict[str, Json]:
    return {
        "text": message.text,
        "voice": message.voice,
        "direction": message.direction,
        "speaker": message.speaker,
        "line_id": message.line_id,
        "seed": message.seed,
        "more": message.more or None,
    }


def _playback_values(message: Playback) -> dict[str, Json]:
    return {
        "take_id": message.take_id,
        "played_ms": message.played_ms,
        "underruns": [{"at_ms": one.at_ms, "ms": one.ms} for one in message.underruns],
    }


def _edit_values(message: Edit) -> dict[str, Json]:
    changes: list[Json] = [
        {"words": list(change.words), "text": change.text} for change in message.changes
    ]
    return {"take_id": message.take_id, "text": message.text, "changes": changes or None}


def _perform_values(message: Perform) -> dict[str, Json]:
    return {
        "script": message.script,
        "format": message.format,
        "cast": dict(message.cast) or None,
        "directions": dict(message.directions) or None,
        "scene_id": message.scene_id,
        "more": message.more or None,
    }
