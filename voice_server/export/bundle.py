"""A scene as one archive: a stem a character, the mix's captions, the script and what was done."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import TypeAdapter

from sessions import captions
from sessions.store import SceneRecord, SceneSheet, TakeRecord
from voice_server.export import captions as spoken
from voice_server.export.timeline import Timeline
from voice_server.export.track import SoundFile, stem_track
from voice_server.export.wav import wav_bytes, wav_pieces
from voice_server.export.zip import Entry

NARRATOR: Final = "narrator"
"""Names the stem of lines that have no speaker."""
_SCRIPT_ENDINGS: Final = {"fountain": "fountain"}
_UNFIT: Final = re.compile(r"[^\w .()'-]+")


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """A line and the take of it that is heard, at samples [start, end) of the scene."""

    line_id: str
    speaker: str | None
    text: str
    direction: str | None
    start: int
    end: int
    take: TakeRecord


@dataclass(frozen=True, slots=True)
class SceneFile:
    """`scene.json`: the script as written, the cast, and every line with its take."""

    format: Literal["voice-scene"]
    version: Literal[1]
    scene: SceneRecord
    sample_rate: int
    samples: int
    lines: tuple[PlacedLine, ...]


_FILE: Final = TypeAdapter(SceneFile)


def entries(sheet: SceneSheet, timeline: Timeline, sound_file: SoundFile) -> list[Entry]:
    """The archive's files. Raises ExportError for a scene too long for its stems to be WAV."""
    heard = spoken.of_scene(timeline)
    texts = {
        "scene.json": scene_json(sheet, timeline),
        "captions/scene.vtt": captions.webvtt(heard).encode(),
        "captions/scene.srt": captions.srt(heard).encode(),
    }
    if sheet.scene.script:
        ending = _SCRIPT_ENDINGS.get(sheet.scene.format, "txt")
        texts[f"script.{ending}"] = sheet.scene.script.encode()
    files = [Entry(name, len(text), [text]) for name, text in texts.items()]
    return [*files, *_stems(timeline, sound_file)]


def scene_json(sheet: SceneSheet, timeline: Timeline) -> bytes:
    """A SceneFile."""
    lines = tuple(
        PlacedLine(
            clip.line.id,
            clip.line.speaker,
            clip.line.text,
            clip.line.direction,
            clip.start,
            clip.end,
            clip.take,
        )
        for clip in timeline.clips
    )
    scene = SceneFile("voice-scene", 1, sheet.scene, timeline.sample_rate, timeline.samples, lines)
    return _FILE.dump_json(scene, indent=2)


def _stems(timeline: Timeline, sound_file: SoundFile) -> Iterator[Entry]:
    """One a character, numbered in the order they first speak: so no two names are alike."""
    for number, speaker in enumerate(timeline.speakers, 1):
        track = stem_track(timeline, speaker, sound_file)
        name = f"stems/{number:02} {safe_name(speaker or NARRATOR)}.wav"
        yield Entry(name, wav_bytes(track), wav_pieces(track))


def safe_name(text: str, otherwise: str = "unnamed") -> str:
    """The text as a file's name on any system: letters, digits, blanks and a few marks."""
    kept = " ".join(_UNFIT.sub(" ", text).split())[:60].strip(" .")
    return kept or otherwise
