"""An engine that makes what the test says, when it says so: for tests of the sessions alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import numpy as np

from engine.errors import EngineError, UnknownVoice
from engine.types import (
    ClauseScore,
    Credit,
    Failed,
    FamilyInfo,
    Finished,
    Notice,
    Output,
    Part,
    Pause,
    Pcm,
    RequestId,
    Utterance,
    Voice,
    Word,
)

VOICES = (
    Voice("af_heart", "Heart", "en-US", "female"),
    Voice("am_adam", "Adam", "en-US", "male"),
    Voice("bf_emma", "Emma", "en-GB", "female"),
)
INFO = FamilyInfo("scripted", "none", 24_000, 1800, VOICES, ("speak",))
EVERYTHING = ("speak", "direct", "edit")


class ScriptedRequest:
    """What a test does with `sound`, `complete`, `fail` comes out of it."""

    def __init__(self, utterance: Utterance) -> None:
        self.utterance = utterance
        self.appended: list[str] = []
        self.finished = not utterance.more
        self.aborted = False
        self.credits: list[Credit] = []
        self._made = 0
        self._outputs: asyncio.Queue[Output] = asyncio.Queue()

    @property
    def id(self) -> RequestId:
        return self.utterance.request

    def append(
        self, text: str, parts: tuple[Part, ...] = (), pauses: tuple[Pause, ...] = ()
    ) -> None:
        assert not self.finished, "append after finish"
        assert not self.aborted, "append after abort"
        self.appended.append(text)

    def finish(self) -> None:
        assert not self.finished, "finish twice"
        self.finished = True

    def credit(self, credit: Credit) -> None:
        self.credits.append(credit)

    def abort(self) -> None:
        self.aborted = True

    async def __aiter__(self) -> AsyncIterator[Output]:
        while not self.aborted:
            output = await self._outputs.get()
            yield output
            if isinstance(output, Finished | Failed):
                return

    def sound(
        self,
        samples: int = 100,
        word: str | None = None,
        frames: int = 1,
        began: float | None = None,
    ) -> None:
        one = self.utterance
        words = (Word(0, word, self._made, self._made + samples, (0, len(word))),) if word else ()
        zeros = np.zeros(samples, np.int16)
        score = ClauseScore((0, len(one.text)), self._made, samples, words, b"notes")
        pcm = Pcm(one.request, one.epoch, self._made, zeros, words, frames, (score,), began=began)
        self._outputs.put_nowait(pcm)
        self._made += samples

    def notice(self, code: str, message: str) -> None:
        self._outputs.put_nowait(Notice(self.id, self.utterance.epoch, code, message))

    def complete(self) -> None:
        self._outputs.put_nowait(Finished(self.id, self.utterance.epoch, self._made, 1))

    def fail(self, error: EngineError) -> None:
        self._outputs.put_nowait(Failed(self.id, self.utterance.epoch, error))


class ScriptedEngine:
    """Keeps every request that it was given; `refuse` is raised by the next `submit`."""

    def __init__(
        self, can: tuple[str, ...] = INFO.can, listens: bool = False, reads: bool = False
    ) -> None:
        self.info = replace(INFO, can=can, listens=listens, reads=reads)
        self.requests: list[ScriptedRequest] = []
        self.refuse: EngineError | None = None

    def submit(self, utterance: Utterance) -> ScriptedRequest:
        if self.refuse is not None:
            refused, self.refuse = self.refuse, None
            raise refused
        if utterance.voice not in {voice.id for voice in VOICES}:
            raise UnknownVoice(utterance.voice)
        request = ScriptedRequest(utterance)
        self.requests.append(request)
        return request

    def by_id(self, take_id: str) -> ScriptedRequest:
        return next(request for request in self.requests if request.id == take_id)

    def check_integrity(self) -> None:
        assert all(request.aborted for request in self.requests)

    async def close(self) -> None:
        return None
