"""A scene with sound in files, as the store would give it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from engine.types import Int16, Performance, Word
from sessions.sound import whole_file, write_flac
from sessions.states import TakeState
from sessions.store import Aside, LineRecord, SceneRecord, SceneSheet, TakeRecord
from voice_server.export.track import Track

RATE = 24_000


def noise(samples: int, seed: int = 0) -> Int16:
    return np.random.default_rng(seed).integers(-32768, 32768, samples).astype(np.int16)


def tone(samples: int, hertz: float = 440, rate: int = RATE) -> Int16:
    return (9000 * np.sin(2 * np.pi * hertz * np.arange(samples) / rate)).astype(np.int16)


def track(sound: Int16, rate: int = RATE, block: int = 5_000) -> Track:
    def blocks() -> Iterator[Int16]:
        return (sound[start : start + block] for start in range(0, len(sound), block))

    return Track(rate, len(sound), blocks)


def take(
    take_id: str, line_id: str, samples: int, rate: int = RATE, state: TakeState = TakeState.DONE
) -> TakeRecord:
    words = (
        Word(0, "Good", 0, samples // 2, (0, 4)),
        Word(1, "day", samples // 2, samples, (5, 9)),
    )
    return TakeRecord(
        id=take_id,
        line_id=line_id,
        kind="spoken",
        voice="am_michael",
        text="Good day.",
        seed=0,
        performance=Performance(),
        state=state,
        samples=samples,
        sample_rate=rate,
        created_at=0.0,
        words=words,
    )


class Files:
    """Sound files of takes: noise whose seed is the number in the take's name."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, session_id: str, take_id: str) -> Path:
        return self._folder / f"{session_id}-{take_id}.flac"

    def add(self, session_id: str, made: TakeRecord) -> Int16:
        sound = noise(made.samples, int(made.id.split("_")[1]))
        with whole_file(self.path(session_id, made.id)) as file:
            write_flac(file, [sound], made.sample_rate)
        return sound


def line(
    number: int,
    speaker: str | None,
    *takes: TakeRecord,
    kept: str | None = None,
    dual: bool = False,
) -> LineRecord:
    return LineRecord(f"line_{number}", "Good day.", "scene_1", speaker, None, kept, takes, dual)


def sheet(*lines: LineRecord, asides: tuple[Aside, ...] = ()) -> SceneSheet:
    scene = SceneRecord("scene_1", "Été", "ANNA: Good day.", "plain", (("ANNA", "v"),), asides)
    return SceneSheet("session_1", scene, lines)


def at_once(first: int = 70_001, second: int = 3_002) -> SceneSheet:
    """Anna and Ben at the same time, then Anna alone; of `first` and `second` samples, and 1."""
    return sheet(
        line(1, "ANNA", take("take_2", "line_1", first)),
        line(2, "BEN", take("take_5", "line_2", second), dual=True),
        line(3, "ANNA", take("take_6", "line_3", 1)),
    )


def three_lines() -> SceneSheet:
    """Anna, then Ben twice; the second take of Anna's line is kept, the third was cancelled."""
    anna = line(
        1,
        "ANNA",
        take("take_1", "line_1", 4_000),
        take("take_2", "line_1", 70_001),
        take("take_3", "line_1", 5_000, state=TakeState.CANCELLED),
        kept="take_2",
    )
    ben = (
        line(2, "BEN", take("take_4", "line_2", 3_001), take("take_5", "line_2", 3_002)),
        line(3, "BEN", take("take_6", "line_3", 1)),
    )
    return sheet(anna, *ben)
