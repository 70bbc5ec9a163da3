"""Values for tests of the store, and sound that is easy to tell apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.types import Int16, Levers, Part, Pause, Performance, Word
from sessions.scene import Take
from sessions.sound import SoundBuffer
from sessions.states import TakeState
from sessions.store import Change, LineAdded, SessionOpened, TakeBegun, TakeEnded

RATE = 24_000
PERFORMANCE = Performance(
    rate=0.9,
    whisper=True,
    parts=(Part((0, 5), Levers(pitch=-1.5, emphasis=1.0)),),
    pauses=(Pause(6, 0.5),),
)
WORDS = (Word(0, "Hello", 0, 400, (0, 5)), Word(1, "you", 400, 900, (6, 9)))


def noise(samples: int, seed: int = 0) -> Int16:
    """Full-scale, both ends of int16 included."""
    whole = np.random.default_rng(seed).integers(-32768, 32768, samples)
    return whole.astype(np.int16)


def buffer(samples: Int16, folder: Path, rate: int = RATE) -> SoundBuffer:
    held = SoundBuffer(rate, max(1, len(samples)), folder)
    held.append(samples)
    return held


def take(
    take_id: str = "take_1",
    line_id: str = "line_1",
    state: TakeState = TakeState.SPEAKING,
    parent: str | None = None,
    seed: int = 7,
) -> Take:
    kind = "spoken" if parent is None else "directed"
    return Take(
        take_id, line_id, kind, "am_michael", "Hello you", seed, PERFORMANCE, state, 0, parent
    )


def beginning(session: str = "session_1") -> list[Change]:
    """A session, a line, and a take of it that is under way."""
    return [
        SessionOpened(session, b"digest"),
        LineAdded(session, "line_1", "Hello you", "HERO", "warmly"),
        TakeBegun(session, take(), RATE, "a little slower"),
    ]


def story(folder: Path, samples: Int16, session: str = "session_1") -> list[Change]:
    """A session, a line and one take of it that is done."""
    return [
        *beginning(session),
        TakeEnded(take(state=TakeState.DONE), WORDS, buffer(samples, folder), b"\x00score\xff"),
    ]
