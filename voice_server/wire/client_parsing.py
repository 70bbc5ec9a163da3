"""Reads what a client says: JSON text in, one message of the closed union out, or a WireError."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

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
    Underrun,
)
from sessions.editing import WordChange
from sessions.script import Wanted
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
from voice_server.wire.fields import Fields, carried
from voice_server.wire.limits import Limits
from voice_server.wire.strict_json import read_object

MAX_SEED: Final = 2**53 - 1
"""The largest whole number that JavaScript holds exactly."""
MAX_MS: Final = 1e9
"""Eleven days: past any take, and every sum over it stays exact."""
_U32: Final = 2**32 - 1
FORMATS: Final[tuple[Wanted, ...]] = ("auto", "plain", "fountain", "tags")


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
        seed=_seed(fields),
        more=fields.flag("more") if fields.has("more") else False,
        id=fields.reply_to,
    )


def _seed(fields: Fields) -> int | None:
    return fields.integer("seed", 0, MAX_SEED) if fields.has("seed") else None


def _direct(fields: Fields, limits: Limits) -> Direct:
    return Direct(
        take_id=_name(fields, "take_id", limits),
        direction=fields.text("direction", limits.direction_chars, least=1),
        seed=_seed(fields),
        id=fields.reply_to,
    )


def _edit(fields: Fields, limits: Limits) -> Edit:
    take_id = _name(fields, "take_id", limits)
    if not fields.has("changes"):
        return Edit(take_id, fields.text("text", limits.text_chars), id=fields.reply_to)
    if fields.has("text"):
        raise fields.error("bad_field", "changes", "either text or changes, got both")
    found = fields.children("changes", limits.changes_per_edit)
    if not found:
        raise fields.error("bad_field", "changes", "at least one change")
    changes = tuple(
        WordChange(one.pair("words", _U32), one.text("text", limits.text_chars)) for one in found
    )
    return Edit(take_id, changes=changes, id=fields.reply_to)


def _keep(fields: Fields, limits: Limits) -> Keep:
    return Keep(_name(fields, "take_id", limits), fields.reply_to)


def _perform(fields: Fields, limits: Limits) -> Perform:
    return Perform(
        script=fields.text("script", limits.script_chars),
        format=fields.choice("format", FORMATS) if fields.has("format") else "auto",
        cast=_by_speaker(fields, "cast", limits.name_chars, limits),
        directions=_by_speaker(fields, "directions", limits.direction_chars, limits),
        scene_id=_optional_name(fields, "scene_id", limits),
        more=fields.flag("more") if fields.has("more") else False,
        id=fields.reply_to,
    )


def _by_speaker(fields: Fields, name: str, most: int, limits: Limits) -> dict[str, str]:
    """An object whose names are those of speakers."""
    if not fields.has(name):
        return {}
    given = fields.child(name)
    speakers = given.keys()
    if len(speakers) > limits.cast_names:
        told = f"at most {limits.cast_names} speakers, got {len(speakers)}"
        raise fields.error("too_long", name, told)
    for speaker in speakers:
        if not 0 < len(speaker) <= limits.name_chars or not carried(speaker):
            told = f"names of 1 to {limits.name_chars} characters that UTF-8 can carry"
            raise fields.error("bad_field", name, told)
    return {speaker: given.text(speaker, most, least=1) for speaker in speakers}


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
    "direct": _direct,
    "edit": _edit,
    "keep": _keep,
    "perform": _perform,
    "ping": lambda fields, limits: Ping(fields.reply_to),
    "session.close": lambda fields, limits: SessionClose(fields.reply_to),
}
