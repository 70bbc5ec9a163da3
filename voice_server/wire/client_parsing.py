"""Reads what a client says: JSON text in, one message of the closed union out, or a WireError."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from sessions.commands import Append, Cancel, Finish, Playback, Speak, Underrun
from voice_server.wire.client_messages import (
    ENCODINGS,
    FRAME_MS,
    AudioFormat,
    ClientMessage,
    Ping,
    Resume,
    SessionClose,
    SessionOpen,
)
from voice_server.wire.errors import WireError, shown
from voice_server.wire.fields import Fields
from voice_server.wire.limits import Limits
from voice_server.wire.strict_json import read_object

MAX_SEED: Final = 2**53 - 1
"""The largest whole number that JavaScript holds exactly."""
MAX_MS: Final = 1e9
"""Eleven days: past any take, and every sum over it stays exact."""
_U32: Final = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Parsed:
    """A message, and the dotted paths of fields that it had and we don't know."""

    message: ClientMessage
    unknown: tuple[str, ...] = ()


def parse_client(data: str | bytes, limits: Limits) -> Parsed:
    """Reads one text frame. Raises WireError and nothing else, whatever the bytes."""
    fields = Fields(read_object(data))
    if fields.has("id"):
        fields.reply_to = fields.text("id", limits.id_chars)
    kind = fields.text("type", most=limits.message_bytes)
    message = _reader(kind, fields.reply_to)(fields, limits)
    return Parsed(message, tuple(f"{kind}: {path}" for path in fields.unknown()))


def _reader(kind: str, reply_to: str | None) -> Callable[[Fields, Limits], ClientMessage]:
    if kind in UNSUPPORTED:
        message = f"{kind} is part of the protocol, but this server does not do it yet"
        raise WireError("unsupported", message, "type", reply_to)
    if kind not in _READERS:
        known = ", ".join(_READERS)
        message = f"type: expected one of {known}, got {shown(kind)}"
        raise WireError("unknown_type", message, "type", reply_to)
    return _READERS[kind]


def _session_open(fields: Fields, limits: Limits) -> SessionOpen:
    return SessionOpen(
        audio=_audio(fields.child("audio")) if fields.has("audio") else AudioFormat(),
        lead_ms=_lead(fields, limits),
        resume=_resume(fields.child("resume"), limits) if fields.has("resume") else None,
        id=fields.reply_to,
    )


def _audio(fields: Fields) -> AudioFormat:
    default = AudioFormat()
    return AudioFormat(
        fields.choice("format", ENCODINGS) if fields.has("format") else default.format,
        fields.choice("frame_ms", FRAME_MS) if fields.has("frame_ms") else default.frame_ms,
    )


def _lead(fields: Fields, limits: Limits) -> int | None:
    if not fields.has("lead_ms"):
        return None
    return fields.integer("lead_ms", limits.lead_ms_min, limits.lead_ms_max)


def _resume(fields: Fields, limits: Limits) -> Resume:
    received = fields.child("received") if fields.has("received") else Fields({})
    streams = received.keys()
    if len(streams) > limits.streams_per_resume:
        most = limits.streams_per_resume
        raise fields.error("too_long", "received", f"at most {most} streams, got {len(streams)}")
    return Resume(
        session_id=_name(fields, "session_id", limits),
        token=fields.text("token", most=1_024, least=1),
        received={_stream(received, key): received.integer(key, 0, _U32) for key in streams},
    )


def _stream(received: Fields, key: str) -> int:
    """A stream's number from its JSON key; one spelling only, so that no stream comes twice."""
    if key.isascii() and key.isdigit() and len(key) <= 10 and str(int(key)) == key:
        return int(key)
    raise received.error("bad_field", key, "the number of a stream as the key")


def _speak(fields: Fields, limits: Limits) -> Speak:
    return Speak(
        text=fields.text("text", limits.text_chars),
        voice=_optional_name(fields, "voice", limits),
        direction=(
            fields.text("direction", limits.direction_chars) if fields.has("direction") else None
        ),
        speaker=_optional_name(fields, "speaker", limits),
        line_id=_optional_name(fields, "line_id", limits),
        seed=fields.integer("seed", 0, MAX_SEED) if fields.has("seed") else None,
        more=fields.flag("more") if fields.has("more") else False,
        id=fields.reply_to,
    )


def _append(fields: Fields, limits: Limits) -> Append:
    take_id = _name(fields, "take_id", limits)
    return Append(take_id, fields.text("text", limits.text_chars), fields.reply_to)


def _finish(fields: Fields, limits: Limits) -> Finish:
    return Finish(_name(fields, "take_id", limits), fields.reply_to)


def _cancel(fields: Fields, limits: Limits) -> Cancel:
    played = fields.number("played_ms", 0, MAX_MS) if fields.has("played_ms") else None
    return Cancel(_optional_name(fields, "take_id", limits), played, fields.reply_to)


def _playback(fields: Fields, limits: Limits) -> Playback:
    most = limits.underruns_per_report
    found = fields.children("underruns", most) if fields.has("underruns") else []
    return Playback(
        take_id=_name(fields, "take_id", limits),
        played_ms=fields.number("played_ms", 0, MAX_MS),
        underruns=tuple(
            Underrun(one.number("at_ms", 0, MAX_MS), one.number("ms", 0, MAX_MS)) for one in found
        ),
        id=fields.reply_to,
    )


def _name(fields: Fields, name: str, limits: Limits) -> str:
    return fields.text(name, limits.name_chars, least=1)


def _optional_name(fields: Fields, name: str, limits: Limits) -> str | None:
    return _name(fields, name, limits) if fields.has(name) else None


_READERS: Final[Mapping[str, Callable[[Fields, Limits], ClientMessage]]] = {
    "session.open": _session_open,
    "speak": _speak,
    "append": _append,
    "finish": _finish,
    "cancel": _cancel,
    "playback": _playback,
    "ping": lambda fields, limits: Ping(fields.reply_to),
    "session.close": lambda fields, limits: SessionClose(fields.reply_to),
}

UNSUPPORTED: Final = frozenset({"direct", "edit", "perform", "keep"})
"""Types of the protocol that this build answers with `unsupported`; a reader replaces one here."""
