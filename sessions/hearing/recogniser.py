"""Moonshine as a judge, in a thread of its own. A line takes it a third of the time that Whisper
needs, which listens to half a minute whatever there is.

Needs the extra `recogniser`, which is imported here alone and only when it is loaded.
"""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.types import Int16
from sessions.hearing.comparing import Normalise
from sessions.hearing.judging import JudgeFailed

log = logging.getLogger(__name__)

RATE: Final = 16_000
Wave: TypeAlias = NDArray[np.float32]


def installed() -> bool:
    """Whether the extra is there."""
    needed = ("moonshine_voice", "whisper_normalizer")
    return all(find_spec(name) is not None for name in needed)


def at_16k(sound: Int16, sample_rate: int) -> Wave:
    """float32 within ±1: what is over 8 kHz is cut off its spectrum."""
    count = len(sound) * RATE // sample_rate
    if not count:
        return np.zeros(0, np.float32)
    spectrum = np.fft.rfft(sound.astype(np.float64) / 32768)[: count // 2 + 1]
    wave = np.fft.irfft(spectrum, count) * (count / len(sound))
    return np.clip(wave, -1, 1).astype(np.float32)


class _Model:
    """Moonshine tiny and the normaliser, loaded."""

    def __init__(self) -> None:
        from moonshine_voice import ModelArch, MoonshineError, Transcriber
        from moonshine_voice.utils import get_assets_path
        from whisper_normalizer.english import EnglishTextNormalizer

        # Its voice activity detection remembers the sound before, and adds words of it to this.
        heeding = {"vad_threshold": 0.0}
        path = str(get_assets_path() / "tiny-en")
        self._transcriber = Transcriber(path, ModelArch.TINY, options=heeding)
        self._error = MoonshineError
        self.normalise: Normalise = EnglishTextNormalizer()

    def hear(self, wave: Wave) -> str:
        try:
            lines = self._transcriber.transcribe_without_streaming(wave.tolist(), RATE).lines
        except self._error as error:
            raise JudgeFailed(str(error)) from error
        return " ".join(line.text for line in lines)

    def close(self) -> None:
        self._transcriber.close()


class Moonshine:
    """A Judge; `async with` ends its thread. Until what `begin` began is done it is not ready, and
    nobody waits for it.
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="hearing")
        self._model: _Model | None = None

    async def __aenter__(self) -> Moonshine:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self._pool.shutdown, wait=True, cancel_futures=True)
        if self._model is not None:
            self._model.close()

    @property
    def ready(self) -> bool:
        return self._model is not None

    def begin(self) -> None:
        """Loads in the thread, which takes some seconds."""
        self._pool.submit(self._load)

    async def hear(self, sound: Int16, sample_rate: int) -> str:
        if self._model is None:
            raise JudgeFailed("the recogniser is not loaded")
        wave = at_16k(sound, sample_rate)
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._pool, self._model.hear, wave)
        except RuntimeError as error:  # The thread has ended.
            raise JudgeFailed(str(error)) from error

    def normalise(self, text: str) -> str:
        assert self._model is not None, "only what is ready hears"
        return self._model.normalise(text)

    def _load(self) -> None:
        try:
            self._model = _Model()
        except Exception:  # The end of a thread's work: edits go unheard then.
            log.exception("the recogniser could not be loaded")
