"""What happened, kept over restarts: SQLite for what was said and done, FLAC files for sound."""

from sessions.store.changes import (
    Change,
    LineAdded,
    SceneAdded,
    SessionDeleted,
    SessionOpened,
    TakeBegun,
    TakeEnded,
    TakeKept,
    Together,
    VoiceCast,
)
from sessions.store.errors import (
    BadArchive,
    NewerStore,
    SessionThere,
    StoreError,
    StoreInUse,
    UnknownScene,
    UnknownSession,
)
from sessions.store.records import (
    Aside,
    LineRecord,
    SceneRecord,
    SceneSheet,
    SessionHead,
    SessionRecord,
    TakeRecord,
    TakeSheet,
)
from sessions.store.store import Store, StoreStats

__all__ = [
    "Aside",
    "BadArchive",
    "Change",
    "LineAdded",
    "LineRecord",
    "NewerStore",
    "SceneAdded",
    "SceneRecord",
    "SceneSheet",
    "SessionDeleted",
    "SessionHead",
    "SessionOpened",
    "SessionRecord",
    "SessionThere",
    "Store",
    "StoreError",
    "StoreInUse",
    "StoreStats",
    "TakeBegun",
    "TakeEnded",
    "TakeKept",
    "TakeRecord",
    "TakeSheet",
    "Together",
    "UnknownScene",
    "UnknownSession",
    "VoiceCast",
]
