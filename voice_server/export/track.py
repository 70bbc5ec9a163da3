"""A sound as blocks: one take, a whole scene, or what one character says in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from engine.types import Int16
from sessions.sound import BLOCK, read_blocks
from sessions.store import TakeRecord
from voice_server.export.timeline import Clip, Timeline

SoundFile: TypeAlias = Callable[[str, str], Path]
"""Where the sound file is, by session and take: `Store.sound_file`."""


@dataclass(frozen=True, slots=True)
class Track:
    """`samples` of int16 mono sound in all; each call of `blocks` reads them from the start.

    `blocks` raises OSError or soundfile.LibsndfileError where a file is gone.
    """

    sample_rate: int
    samples: int
    blocks: Callable[[], Iterator[Int16]]


def take_track(session_id: str, take: TakeRecord, sound_file: SoundFile) -> Track:
    """All of one take."""

    def blocks() -> Iterator[Int16]:
        return read_blocks(sound_file(session_id, take.id)) if take.samples else iter(())

    return Track(take.sample_rate, take.samples, blocks)


def scene_track(timeline: Timeline, sound_file: SoundFile) -> Track:
    """All lines, one after the other: the sum of the stems, sample for sample."""
    return _track(timeline, timeline.clips, sound_file)


def stem_track(timeline: Timeline, speaker: str | None, sound_file: SoundFile) -> Track:
    """What one speaker says, where it is in the scene; silence elsewhere, as long as the scene."""
    clips = tuple(clip for clip in timeline.clips if clip.line.speaker == speaker)
    return _track(timeline, clips, sound_file)


def _track(timeline: Timeline, clips: tuple[Clip, ...], sound_file: SoundFile) -> Track:
    def blocks() -> Iterator[Int16]:
        at = 0
        for clip in clips:
            yield from _silence(clip.start - at)
            yield from read_blocks(sound_file(timeline.session_id, clip.take.id), 0, clip.samples)
            at = clip.end
        yield from _silence(timeline.samples - at)

    return Track(timeline.sample_rate, timeline.samples, blocks)


def _silence(samples: int) -> Iterator[Int16]:
    for start in range(0, samples, BLOCK):
        yield np.zeros(min(BLOCK, samples - start), dtype=np.int16)
