"""A scene as it is heard, line by line, and written to its files."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from engine.types import Int16, Performance, Word
from sessions import captions
from voice_server.client.errors import ClientError, TakeHasFailed
from voice_server.client.stems import Stems
from voice_server.client.sync_take import Take
from voice_server.delivery.playout import SimulatedPlayer
from voice_server.wire.messages import TakeDone, milliseconds


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """A line as it was spoken, in milliseconds of the scene."""

    speaker: str
    voice: str
    text: str
    line_id: str
    take_id: str
    start_ms: float
    end_ms: float
    performance: Performance
    warnings: tuple[str, ...]


class Hearing:
    """What was heard so far, by whom and when."""

    def __init__(self, sample_rate: int) -> None:
        self.sample_rate = sample_rate
        self.asked_at = time.monotonic()
        self.first_at: float | None = None
        self.last_at: float | None = None
        self.player = SimulatedPlayer(sample_rate)
        self.spoken: list[captions.Spoken] = []
        self.lines: list[SpokenLine] = []

    def arrived(self, samples: int) -> None:
        """Sound is here, up to sample `samples` of the scene."""
        now = time.monotonic()
        self.first_at = now if self.first_at is None else self.first_at
        self.last_at = now
        self.player.wrote(samples, now)


def hear(hearing: Hearing, files: Stems, take: Take, speaker: str) -> None:
    """Writes the line where it belongs. Raises ClientError, which names the line."""
    _pause(hearing, files, take)
    start = files.samples
    with _naming(take, speaker):
        for block in take:
            files.write(speaker, block)
            hearing.arrived(files.samples)
        done = take.result()
    _note(hearing, take, speaker, done, start)


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """A line that was heard to its end before any of it is written."""

    take: Take
    speaker: str
    samples: Int16
    done: TakeDone


def whole(take: Take, speaker: str) -> Whole:
    """Raises ClientError, which names the line."""
    with _naming(take, speaker):
        return Whole(take, speaker, take.pcm(), take.result())


def hear_together(hearing: Hearing, files: Stems, lines: Sequence[Whole]) -> None:
    """Writes lines that are said at the same time, in their place."""
    _pause(hearing, files, lines[0].take)
    start = files.samples
    files.write_together([(line.speaker, line.samples) for line in lines])
    hearing.arrived(files.samples)
    for line in lines:
        _note(hearing, line.take, line.speaker, line.done, start)


def _pause(hearing: Hearing, files: Stems, take: Take) -> None:
    """The silence before a line that is not the first."""
    if files.samples:
        files.pause(round(take.started.pause_ms * hearing.sample_rate / 1000))


@contextmanager
def _naming(take: Take, speaker: str) -> Iterator[None]:
    """Raises ClientError, which names the line, where it failed."""
    try:
        yield
    except TakeHasFailed as error:
        told = f"the line {_short(take.text)!r} of {speaker} failed: {error}"
        raise ClientError(told) from error


def _note(hearing: Hearing, take: Take, speaker: str, done: TakeDone, start: int) -> None:
    """Remembers a line that was written from sample `start` of the scene on."""
    rate = hearing.sample_rate
    hearing.spoken.append(captions.Spoken(take.text, _words(take, rate), rate, speaker, start))
    hearing.lines.append(
        SpokenLine(
            speaker,
            take.voice,
            take.text,
            take.line_id,
            take.id,
            milliseconds(start, rate),
            milliseconds(start + done.samples, rate),
            done.performance,
            tuple(warning.message for warning in take.warnings),
        )
    )


def _words(take: Take, rate: int) -> tuple[Word, ...]:
    """The words with their times in samples again."""
    return tuple(
        Word(
            word.index,
            word.text,
            round(word.start_ms * rate / 1000),
            round(word.end_ms * rate / 1000),
            word.span,
        )
        for word in take.words
    )


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40].rstrip()}…"
