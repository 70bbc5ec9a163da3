"""What the caption writers are given of a take or of a scene."""

from __future__ import annotations

from sessions.captions import Spoken
from sessions.store import TakeSheet
from voice_server.export.timeline import Timeline


def of_take(sheet: TakeSheet) -> list[Spoken]:
    """The take, from its own start."""
    take = sheet.take
    return [Spoken(take.text, take.words, take.sample_rate, sheet.line.speaker)]


def of_scene(timeline: Timeline) -> list[Spoken]:
    """Every take at its place in the scene."""
    return [
        Spoken(clip.take.text, clip.take.words, timeline.sample_rate, clip.line.speaker, clip.start)
        for clip in timeline.clips
    ]
