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
    code2wav, as they are and after Opus."""

    asked: Asked
    sample_rate: int
    pcm16: Int16
    opus: Int16


async def streamed(url: str, asked: Sequence[Asked]) -> list[Streamed]:
    """Each take by itself, one after another, in one session a format."""
    plain, _ = await _takes(url, asked, "pcm16")
    coded, rate = await _takes(url, asked, "opus")
    return [Streamed(*each) for each in zip(asked, [rate] * len(asked), plain, coded, strict=True)]


async def _takes(
    url: str, asked: Sequence[Asked], format: Literal["pcm16", "opus"]
) -> tuple[list[Int16], int]:
    made = []
    async with connect(url, format=format) as session:
        for one in asked:
            take = await session.speak(one.text, voice=one.voice)
            made.append(await take.pcm())
            await take.result()
        return made, session.audio.sample_rate
