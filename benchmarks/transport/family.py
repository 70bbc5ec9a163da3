"""Two stages that hand arrays on and measure when they come. Importable, as they are in processes
of their own."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.family import LoadedFamily
from engine.graph import Edge, Graph, StageSpec, Streaming, Worker
from engine.runners import StreamRunner
from engine.types import FamilyInfo, Pcm, Utterance, Voice

SOURCES = 64
"""Arrays that are sent in turn: with one alone, all would be in the cache."""
INFO = FamilyInfo("arrays", "none", 24_000, 1920, (Voice("v", "V", "en", "female"),), ("speak",))


@dataclass(frozen=True, slots=True)
class Parcel:
    """sent: monotonic seconds, which both processes share."""

    array: NDArray[np.uint8]
    sent: float


@dataclass(slots=True)
class Sending:
    left: int = 0


class Sender:
    """As many arrays as the text says."""

    def __init__(self, size: int) -> None:
        random = np.random.default_rng(1)
        self._arrays = [random.integers(0, 255, size, np.uint8) for _ in range(SOURCES)]

    def open(self, utterance: Utterance) -> Sending:
        return Sending()

    def push(self, state: Sending, item: str) -> None:
        state.left += int(item)

    def end(self, state: Sending) -> None:
        """The count says when it is over."""

    def step(self, state: Sending) -> Parcel | None:
        if not state.left:
            return None
        state.left -= 1
        return Parcel(self._arrays[state.left % SOURCES], time.monotonic())

    def close(self, state: Sending) -> None:
        """Nothing is held."""


@dataclass(slots=True)
class Receiving:
    utterance: Utterance
    ways: list[float] = field(default_factory=list)
    ended: bool = False


class Receiver:
    """Puts out at the end how long each array was on its way, in nanoseconds, as the samples of one
    window: nothing goes to the client meanwhile."""

    def open(self, utterance: Utterance) -> Receiving:
        return Receiving(utterance)

    def push(self, state: Receiving, item: Parcel) -> None:
        state.ways.append(time.monotonic() - item.sent)

    def end(self, state: Receiving) -> None:
        state.ended = True

    def step(self, state: Receiving) -> Pcm | None:
        if not state.ended or not state.ways:
            return None
        nanoseconds = np.array([1e9 * way for way in state.ways], np.int64)
        state.ways = []
        one = state.utterance
        return Pcm(one.request, one.epoch, 0, nanoseconds.view(np.int16), frames=1)

    def close(self, state: Receiving) -> None:
        state.ways.clear()


def make_sender(size: int, worker: Worker) -> StreamRunner[Sending, str, Parcel]:
    return Sender(size)


def make_receiver(worker: Worker) -> StreamRunner[Receiving, Parcel, Pcm]:
    return Receiver()


def family(size: int, outstanding: int) -> LoadedFamily:
    """outstanding: arrays that may be on their way at once."""
    stages = (
        StageSpec(
            "sender", Streaming(partial(make_sender, size), outstanding), (Edge("receiver"),)
        ),
        StageSpec("receiver", Streaming(make_receiver, outstanding), end=True),
    )
    return LoadedFamily(INFO, Graph(stages, "sender"))
