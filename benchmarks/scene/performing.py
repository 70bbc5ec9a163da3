"""The scene as a listener of the SDK gets it, who takes all sound as fast as it is made."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final

import numpy as np

from benchmarks.scene.player import Player
from benchmarks.scene.rows import Line, Memory, Performed
from benchmarks.scene.script import Said, script
from benchmarks.server import Server
from engine.types import Int16
from voice_server.client import Notice, Performing, Take, connect
from voice_server.wire.messages import TakeDone

LEAD_MS: Final = 10_000
"""The longest there is: a program that takes all sound at once is not to be paced."""
WINDOW_S: Final = 60.0
"""Of the first and the last lines, whose sound is kept."""
LOOK_S: Final = 1.0
"""Between two looks at the server's memory."""
TOLD_S: Final = 300.0
"""Sound between two words to whoever waits."""


class Keeping:
    """The sound of the first and of the last lines, and how often a line sounded as before."""

    def __init__(self) -> None:
        self.first: list[Line] = []
        self.last: deque[Line] = deque()
        self.again = self.same = 0
        self._digests: dict[Said, str] = {}

    def keep(self, line: Line) -> None:
        if line.start_s < WINDOW_S:
            self.first.append(line)
        self.last.append(line)
        while self.last[0].start_s < line.end_s - WINDOW_S and len(self.last) > 1:
            self.last.popleft()
        if line.said in self._digests:
            self.again += 1
            self.same += self._digests[line.said] == line.digest
        self._digests.setdefault(line.said, line.digest)


class _Listening:
    """One performance, as it comes in."""

    def __init__(self, said: Sequence[Said], rate: int, told: Callable[[str], None]) -> None:
        self._said = said
        self._told = told
        self._begun = time.perf_counter()
        self._sound = 0
        self.player = Player(rate)
        self.keeping = Keeping()
        self.rate = rate
        self.first_at: float | None = None
        self.last_at = 0.0
        self.told_s = self.took_s = 0.0
        self.ids: list[str] = []
        self.texts: list[str] = []

    @property
    def now(self) -> float:
        return time.perf_counter() - self._begun

    @property
    def sound_s(self) -> float:
        return self._sound / self.rate

    async def take(self, take: Take) -> None:
        """Hears a line out. Raises what the SDK raises."""
        self.player.line(take.started.pause_ms / 1000)
        number, start_s, blocks = len(self.ids), self.player.heard_s, list[Int16]()
        async for block in take:
            self.last_at = self.now
            self.first_at = self.last_at if self.first_at is None else self.first_at
            self.player.hear(len(block), self.last_at)
            blocks.append(block)
        self._end(take, await take.result())
        sound = np.concatenate(blocks)
        self._sound += len(sound)
        self.ids.append(take.line_id)
        self.texts.append(take.text)
        digest = hashlib.sha256(sound.tobytes()).hexdigest()
        said, end_s = self._said[number], self.player.heard_s
        self.keeping.keep(Line(number, said, take.voice, start_s, end_s, digest, sound))
        if start_s // TOLD_S != end_s // TOLD_S:
            self._told(f"{end_s / 60:.0f} minutes heard after {self.now:.0f} s")

    def _end(self, take: Take, done: TakeDone) -> None:
        if take.first_audio_ms is not None and take.last_audio_ms is not None:
            self.took_s += (take.last_audio_ms - take.first_audio_ms) / 1000
        self.told_s += done.underruns.total_ms / 1000

    def in_order(self, scene: Performing) -> bool:
        told = [line.line_id for line in scene.lines]
        return self.ids == told and self.texts == [line.text for line in self._said]


async def perform(server: Server, said: Sequence[Said], told: Callable[[str], None]) -> Performed:
    """Has the lines performed, and listens to the end. Raises what the SDK raises."""
    notices: list[Notice] = []
    async with connect(server.address, lead_ms=LEAD_MS, on_notice=notices.append) as session:
        listening = _Listening(said, session.audio.sample_rate, told)
        async with _watching(server, listening) as memory:
            scene = await session.perform(script(said))
            async for take in scene:
                await listening.take(take)
            await scene.done()
    return _performed(listening, scene, notices, memory)


@asynccontextmanager
async def _watching(server: Server, listening: _Listening) -> AsyncIterator[list[Memory]]:
    """Looks at the server's memory for the time of the block."""
    seen: list[Memory] = []

    async def look() -> None:
        while True:
            seen.append(Memory(listening.now, listening.player.heard_s, server.rss_mib()))
            await asyncio.sleep(LOOK_S)

    task = asyncio.create_task(look())
    try:
        yield seen
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def _performed(
    listening: _Listening, scene: Performing, notices: list[Notice], memory: list[Memory]
) -> Performed:
    player, keeping = listening.player, listening.keeping
    return Performed(
        first_s=listening.first_at or 0.0,
        wall_s=listening.last_at,
        sound_s=listening.sound_s,
        heard_s=player.heard_s,
        sample_rate=listening.rate,
        lines=len(listening.ids),
        in_order=listening.in_order(scene),
        again=keeping.again,
        same=keeping.same,
        cast=dict(scene.cast),
        warnings=[str(notice) for notice in notices],
        gaps=player.gaps,
        told_s=listening.told_s,
        took_s=listening.took_s,
        least_lead_s=player.least_lead_s,
        memory=memory,
        first=keeping.first,
        last=list(keeping.last),
    )
