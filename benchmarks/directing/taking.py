"""Takes as a listener of the SDK gets them: an undirected one, and what directions make of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from benchmarks.directing.rows import Told
from engine.types import Int16, Performance
from sessions.directing import Context, direct
from voice_server.client import Session, Take


@dataclass(frozen=True, slots=True)
class Taken:
    """sound: int16. performance: what the direction came to, as the server said."""

    told: Told
    sound: Int16
    performance: Performance


def meant(told: Told) -> Performance:
    """What the direction comes to, without asking a server. Raises ValueError if any of it is not
    understood."""
    directed = direct(told.direction, Performance(), Context(told.text))
    if directed.ignored or directed.impossible:
        raise ValueError(f"not understood: {told.direction!r}")
    return directed.performance


async def taken(
    session: Session, voice: str, text: str, directions: Sequence[str]
) -> AsyncIterator[Taken]:
    """The undirected take, then each direction said of it. Raises what the SDK raises."""
    plain = await session.speak(text, voice=voice)
    yield await _heard(Told(voice, text, ""), plain)
    for direction in directions:
        take = await plain.direct(direction)
        yield await _heard(Told(voice, text, direction), take)


async def _heard(told: Told, take: Take) -> Taken:
    sound = await take.pcm()
    await take.result()
    return Taken(told, sound, take.performance)
