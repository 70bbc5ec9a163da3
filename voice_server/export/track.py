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
    """All lines in their places: the sum of the stems, sample for sample, held within int16."""
    return _track(timeline, timeline.clips, sound_file)


def stem_track(timeline: Timeline, speaker: str | None, sound_file: SoundFile) -> Track:
    """What one speaker says, where it is in the scene; silence elsewhere, as long as the scene."""
    clips = tuple(clip for clip in timeline.clips if clip.line.speaker == speaker)
    return _track(timeline, clips, sound_file)


def _track(timeline: Timeline, clips: tuple[Clip, ...], sound_file: SoundFile) -> Track:
    def blocks() -> Iterator[Int16]:
        at = 0
        for together in _overlapping(clips):
            yield from _silence(together[0].start - at)
            at = max(clip.end for clip in together)
            if len(together) == 1:
                yield from read(together[0], 0, together[0].samples)
            else:
                yield from _mixed(together, read)
        yield from _silence(timeline.samples - at)

    def read(clip: Clip, start: int, end: int) -> Iterator[Int16]:
        return read_blocks(sound_file(timeline.session_id, clip.take.id), start, end)

    return Track(timeline.sample_rate, timeline.samples, blocks)


def _overlapping(clips: tuple[Clip, ...]) -> Iterator[list[Clip]]:
    """The clips in order, those that are heard at the same time together."""
    together: list[Clip] = []
    for clip in clips:
        if together and clip.start >= max(one.end for one in together):
            yield together
            together = []
        together.append(clip)
    if together:
        yield together


def _mixed(clips: list[Clip], read: Callable[[Clip, int, int], Iterator[Int16]]) -> Iterator[Int16]:
    """Clips over each other, from the first sample of any to the last."""
    last = max(clip.end for clip in clips)
    for start in range(clips[0].start, last, BLOCK):
        end = min(start + BLOCK, last)
        total = np.zeros(end - start, np.int32)
        for clip in clips:
            at, stop = max(start, clip.start), min(end, clip.end)
            for block in read(clip, at - clip.start, stop - clip.start) if at < stop else ():
                total[at - start : at - start + len(block)] += block
                at += len(block)
        yield np.clip(total, -32768, 32767).astype(np.int16)


def _silence(samples: int) -> Iterator[Int16]:
    for start in range(0, samples, BLOCK):
        yield np.zeros(min(BLOCK, samples - start), dtype=np.int16)
