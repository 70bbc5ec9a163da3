"""What hypothesis draws messages and JSON from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hypothesis import strategies as st

from engine.types import Performance, Voice
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
from sessions.events import Moved, Recognised, SceneDone, SceneLine, SceneStarted, TakeKept
from voice_server.wire import messages as wire

LIMITS = wire.Limits()
T = TypeVar("T")


def outcome(call: Callable[[], T]) -> T | wire.WireError:
    """What the call gives, or the WireError that it raises; any other error goes through."""
    try:
        return call()
    except wire.WireError as error:
        return error


names = st.text(min_size=1, max_size=20)
texts = st.text(max_size=60)
ids = st.none() | st.text(max_size=64)
ms = st.floats(0, 1e9)
u32 = st.integers(0, 2**32 - 1)

resumes = st.builds(
    wire.Resume, names, st.text(min_size=1, max_size=40), st.dictionaries(u32, u32, max_size=5)
)
opens = st.builds(
    wire.SessionOpen,
    audio=st.builds(
        wire.AudioFormat, st.sampled_from(wire.ENCODINGS), st.sampled_from(wire.FRAME_MS)
    ),
    lead_ms=st.none() | st.integers(LIMITS.lead_ms_min, LIMITS.lead_ms_max),
    resume=st.none() | resumes,
    id=ids,
)
speaks = st.builds(
    Speak,
    text=texts,
    voice=st.none() | names,
    direction=st.none() | texts,
    speaker=st.none() | names,
    line_id=st.none() | names,
    seed=st.none() | st.integers(0, 2**53 - 1),
    more=st.booleans(),
    id=ids,
)
playbacks = st.builds(
    Playback,
    names,
    ms,
    st.lists(st.builds(Underrun, ms, ms), max_size=4).map(tuple),
    ids,
)
word_changes = st.lists(
    st.builds(WordChange, st.tuples(u32, u32), texts), min_size=1, max_size=3
).map(tuple)
edits = st.builds(Edit, take_id=names, text=texts, id=ids) | st.builds(
    Edit, take_id=names, changes=word_changes, id=ids
)
performs = st.builds(
    Perform,
    script=texts,
    format=st.sampled_from(("auto", "plain", "fountain", "tags")),
    cast=st.dictionaries(names, names, max_size=3),
    directions=st.dictionaries(names, names, max_size=3),
    scene_id=st.none() | names,
    more=st.booleans(),
    id=ids,
)
client_messages = st.one_of(
    opens,
    speaks,
    playbacks,
    st.builds(Append, names, texts, ids),
    st.builds(Finish, names, ids),
    st.builds(Cancel, st.none() | names, st.none() | ms, ids),
    st.builds(Direct, names, names, st.none() | st.integers(0, 2**53 - 1), ids),
    edits,
    st.builds(Keep, names, ids),
    performs,
    st.builds(wire.Ping, ids),
    st.builds(wire.SessionClose, ids),
)

performances = st.builds(Performance, st.floats(0.5, 2.0))
words = st.builds(wire.WordTime, u32, texts, ms, ms, st.tuples(u32, u32))
underruns = st.builds(wire.Underruns, u32, ms, ms, st.sampled_from(("server", "player")))
opened = st.builds(
    wire.SessionOpened,
    session_id=names,
    token=names,
    resumed=st.booleans(),
    limits=st.builds(wire.Limits, concurrent_takes=u32, resume_s=ms),
    voices=st.lists(
        st.builds(Voice, names, names, names, names, st.lists(names, max_size=2).map(tuple)),
        max_size=3,
    ).map(tuple),
    engine=st.builds(wire.EngineInfo, names, names, ms, st.lists(names, max_size=3).map(tuple)),
    audio=st.builds(
        wire.AudioInfo,
        st.sampled_from(wire.ENCODINGS),
        u32,
        st.just(1),
        u32,
        st.sampled_from(wire.FRAME_MS),
    ),
    reply_to=ids,
)
spans = st.lists(st.builds(wire.Span, ms, ms), max_size=3).map(tuple)
dones = st.builds(
    wire.TakeDone,
    names,
    u32,
    ms,
    st.none() | ms,
    st.none() | ms,
    underruns,
    performances,
    st.none() | spans,
    ids,
    st.none() | st.builds(Recognised, st.booleans(), texts, st.integers(1, 4)),
)
optional_texts = st.none() | texts
moves = st.builds(
    Moved, texts, st.dictionaries(names, st.tuples(ms, ms), max_size=3), optional_texts
)
scene_lines = st.lists(st.builds(SceneLine, names, names, names, texts), max_size=3).map(tuple)
server_messages = st.one_of(
    opened,
    dones,
    st.builds(
        wire.TakeStarted,
        names,
        names,
        u32,
        names,
        names,
        texts,
        performances,
        optional_texts,
        optional_texts,
        optional_texts,
        ids,
        optional_texts,
        st.lists(moves, max_size=3).map(tuple),
        optional_texts,
        ms,
    ),
    st.builds(TakeKept, names, names, ids),
    st.builds(SceneStarted, names, scene_lines, u32, ids),
    st.builds(SceneDone, names, u32, st.booleans(), ids),
    st.builds(wire.TakeWords, names, st.lists(words, max_size=4).map(tuple)),
    st.builds(wire.TakeCancelled, names, ms, optional_texts, optional_texts, ids),
    st.builds(wire.TakeFailed, names, st.builds(wire.Failure, names, texts), ids),
    st.builds(wire.WarningMessage, names, texts, optional_texts, ids),
    st.builds(wire.ErrorMessage, names, texts, optional_texts, ids),
    st.builds(wire.SessionDraining, ms),
    st.builds(wire.Pong, ids),
    st.builds(wire.SessionClosed, ids),
)

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=10)
    | st.sampled_from(["opus", "pcm16", "t1", "\ud800"])
)
json_values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
field_names = st.sampled_from(
    [
        "audio", "lead_ms", "resume", "text", "voice", "direction",
        "speaker", "line_id", "seed", "more", "take_id", "played_ms",
        "underruns", "id", "format", "frame_ms", "session_id", "token",
        "received", "at_ms", "ms", "nonsense", "\ud800", "changes", "words", "script",
        "cast", "directions", "scene_id",
    ]
)  # fmt: skip
type_names = st.sampled_from(
    [
        "session.open", "speak", "append", "finish", "cancel", "playback",
        "ping", "session.close", "direct", "edit", "perform", "keep",
        "nonsense",
    ]
)  # fmt: skip
almost_messages = st.builds(
    lambda kind, fields: {"type": kind, **fields},
    type_names,
    st.dictionaries(
        field_names,
        json_values | st.dictionaries(field_names, json_values, max_size=3),
        max_size=5,
    ),
)
