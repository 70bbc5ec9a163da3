"""One edit as a listener of the SDK gets it: its parent, itself, and the new line made whole."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from benchmarks.editing.cases import Chain
from benchmarks.server import Server
from engine.types import Int16
from sessions.events import Recognised
from voice_server.client import Session, Take
from voice_server.wire.messages import Span as Spanned
from voice_server.wire.messages import WordTime


@dataclass(frozen=True, slots=True, eq=False)
class Heard:
    """A take. changed: samples [from, to) that are not its parent's; None for a first one.
    computed_s: seconds that the server's process computed for it, on all threads together. told:
    what the server's own recogniser made of it."""

    samples: Int16
    words: tuple[WordTime, ...]
    changed: tuple[tuple[int, int], ...] | None
    first_audio_ms: float | None
    computed_s: float
    told: Recognised | None


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """An edit. whole: the new line made from nothing, directed as the parent was."""

    chain: Chain
    voice: str
    step: int
    sample_rate: int
    parent: Heard
    child: Heard
    whole: Heard

    @property
    def old(self) -> str:
        return self.chain.texts[self.step]

    @property
    def new(self) -> str:
        return self.chain.texts[self.step + 1]


async def made(session: Session, server: Server, chain: Chain, voice: str) -> AsyncIterator[Made]:
    """Every edit of a chain, each of the take that the last one gave."""
    rate = session.audio.sample_rate
    take, parent = await _spoken(session, server, chain.texts[0], voice, chain.direction)
    for step, text in enumerate(chain.texts[1:]):
        _, whole = await _spoken(session, server, text, voice, chain.direction)
        before = server.cpu_s()
        take = await take.edit(text)
        child = await _heard(take, server, before, rate)
        yield Made(chain, voice, step, rate, parent, child, whole)
        parent = child


async def _spoken(
    session: Session, server: Server, text: str, voice: str, direction: str | None
) -> tuple[Take, Heard]:
    rate, before = session.audio.sample_rate, server.cpu_s()
    take = await session.speak(text, voice=voice)
    heard = await _heard(take, server, before, rate)
    if direction is None:
        return take, heard
    before = server.cpu_s()
    take = await take.direct(direction)
    return take, await _heard(take, server, before, rate)


async def _heard(take: Take, server: Server, before: float, rate: int) -> Heard:
    samples = await take.pcm()
    done = await take.result()
    spans = None if done.changed is None else tuple(_samples(span, rate) for span in done.changed)
    computed = server.cpu_s() - before
    words, first = tuple(take.words), take.first_audio_ms
    return Heard(samples, words, spans, first, computed, done.heard)


def _samples(span: Spanned, rate: int) -> tuple[int, int]:
    return round(span.start_ms * rate / 1000), round(span.end_ms * rate / 1000)
