"""Sound as a listener of the SDK gets it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from engine.types import Int16
from voice_server.client import connect


@dataclass(frozen=True, slots=True)
class Asked:
    """A text in a voice."""

    text: str
    voice: str


@dataclass(frozen=True, slots=True)
class Streamed:
    """A take as int16 at `sample_rate`, by the format it travelled in: the same samples of
    code2wav, as they are and after Opus. windows: codec frames of those that `pcm16` was made in,
    as far as the server told of them."""

    asked: Asked
    sample_rate: int
    pcm16: Int16
    opus: Int16
    windows: tuple[int, ...]


async def streamed(url: str, asked: Sequence[Asked]) -> list[Streamed]:
    """Each take by itself, one after another, in one session a format."""
    plain, _ = await _takes(url, asked, "pcm16")
    coded, rate = await _takes(url, asked, "opus")
    return [
        Streamed(one, rate, pcm16, opus, windows)
        for one, (pcm16, windows), (opus, _) in zip(asked, plain, coded, strict=True)
    ]


async def _takes(
    url: str, asked: Sequence[Asked], format: Literal["pcm16", "opus"]
) -> tuple[list[tuple[Int16, tuple[int, ...]]], int]:
    """Each take's sound and its windows, and the sample rate of all."""
    made = []
    async with connect(url, format=format) as session:
        for one in asked:
            take = await session.speak(one.text, voice=one.voice)
            sound = await take.pcm()
            told = (await take.result()).made
            made.append((sound, () if told is None else told.windows))
        return made, session.audio.sample_rate
