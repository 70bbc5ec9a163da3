"""All messages of the wire, both ways, in one import: types, readers and writers."""

from sessions.commands import (
    Append,
    Cancel,
    Command,
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
from sessions.events import Moved, SceneDone, SceneLine, SceneStarted, TakeKept, TakeStarted
from voice_server.wire.client_encoding import encode_command
from voice_server.wire.client_messages import (
    ENCODINGS,
    FRAME_MS,
    AudioFormat,
    ClientMessage,
    Encoding,
    FrameMs,
    Ping,
    Resume,
    SessionClose,
    SessionOpen,
)
from voice_server.wire.client_parsing import Parsed, parse_client
from voice_server.wire.errors import WireError
from voice_server.wire.limits import Limits
from voice_server.wire.server_messages import (
    AudioInfo,
    EngineInfo,
    ErrorMessage,
    Failure,
    Made,
    Pong,
    ServerMessage,
    SessionClosed,
    SessionDraining,
    SessionOpened,
    Span,
    TakeCancelled,
    TakeDone,
    TakeFailed,
    TakeWords,
    Underruns,
    WarningMessage,
    WordTime,
    milliseconds,
    word_times,
)
from voice_server.wire.server_text import Unknown, encode, parse_server

__all__ = [
    "ENCODINGS", "FRAME_MS",
    "Append", "AudioFormat", "AudioInfo", "Cancel", "ClientMessage", "Command", "Direct", "Edit",
    "Encoding", "EngineInfo", "ErrorMessage", "Failure", "Finish", "FrameMs", "Keep", "Limits",
    "Made", "Moved", "Parsed", "Perform", "Ping", "Playback", "Pong", "Resume", "SceneDone",
    "SceneLine", "SceneStarted", "ServerMessage", "SessionClose", "SessionClosed",
    "SessionDraining", "SessionOpen", "SessionOpened", "Span", "Speak", "TakeCancelled", "TakeDone",
    "TakeFailed", "TakeKept", "TakeStarted", "TakeWords", "Underrun", "Underruns", "Unknown",
    "WarningMessage", "WireError", "WordChange", "WordTime", "encode", "encode_command",
    "milliseconds", "parse_client", "parse_server", "word_times",
]  # fmt: skip
