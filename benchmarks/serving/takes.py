"""Takes through thinker and talker alone, without the server around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from benchmarks import texts
from engine.families.qwen3_omni import stages
from engine.families.qwen3_omni.config import Qwen3OmniConfig
from engine.families.qwen3_omni.frames import CODEBOOKS, CodeFrames, Codes
from engine.families.qwen3_omni.prompt import TalkerInput
from engine.families.qwen3_omni.talker import Item, Talker
from engine.families.qwen3_omni.talker_state import TalkerState
from engine.graph import Worker
from engine.types import Epoch, Notice, RequestId, Utterance

VOICE = "ethan"


class Talking:
    """A checkpoint's thinker, on the CPU, and its talker on a device."""

    def __init__(self, config: Qwen3OmniConfig, device: str) -> None:
        """Raises as the stages do."""
        self._thinker = stages.thinker(config, Worker())
        self._talker = stages.talker(config, Worker(device=device))

    def takes(self, seeds: Iterable[int]) -> list[Codes]:
        """Codes [frames, codebooks] of a take for each seed, all of them in the same steps as far
        as there are rows."""
        states = [self._opened(seed) for seed in seeds]
        made: dict[int, list[Item]] = {id(state): [] for state in states}
        waiting, seated = list(states), list[TalkerState]()
        while waiting or seated:
            room = self._talker.free()
            joining, waiting = waiting[:room], waiting[room:]
            self._talker.admit(joining)
            seated += joining
            going = [state for state in seated if self._talker.ready(state)]
            items = self._talker.collect(self._talker.launch(going))
            for state, own in zip(going, items, strict=True):
                made[id(state)] += own
            seated = list(_left(self._talker, seated))
        return [codes_of(made[id(state)]) for state in states]

    def _opened(self, seed: int) -> TalkerState:
        text = texts.SENTENCES[seed % len(texts.SENTENCES)]
        asked = Utterance(RequestId(str(seed)), Epoch(0), text, VOICE, seed=seed)
        state = self._talker.open(asked)
        for item in self._read(asked):
            self._talker.push(state, item)
        self._talker.end(state)
        return state

    def _read(self, asked: Utterance) -> Iterator[TalkerInput]:
        reading = self._thinker.open(asked)
        self._thinker.push(reading, asked.text)
        self._thinker.end(reading)
        while (item := self._thinker.step(reading)) is not None:
            assert not isinstance(item, Notice)
            yield item
        self._thinker.close(reading)


def _left(talker: Talker, seated: Sequence[TalkerState]) -> Iterator[TalkerState]:
    """Those that are not over; the others' rows are free after this."""
    for state in seated:
        if talker.done(state):
            talker.close(state)
        else:
            yield state


def codes_of(items: Iterable[Item]) -> Codes:
    """All codes of what a talker made."""
    parts = [item.codes for item in items if isinstance(item, CodeFrames)]
    return np.concatenate([np.empty((0, CODEBOOKS), np.int64), *parts])
