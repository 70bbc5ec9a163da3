"""A family whose sound can be worked out by hand: a character becomes a frame of FRAME samples.

The samples depend on all characters before, so any loss, doubling or change of order shows.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from engine.costs import WindowCosts
from engine.family import LoadedFamily
from engine.graph import Edge, Graph, StageSpec, Streaming, Vocoder, Worker
from engine.runners import Ready, StreamRunner, VocoderRunner
from engine.types import (
    Epoch,
    FamilyInfo,
    Int16,
    Notice,
    Pcm,
    RequestId,
    Utterance,
    Voice,
)

FRAME = 8
FIRST, LATER = 4, 10
RATE = 1000
VOICE = "plain"

INFO = FamilyInfo(
    family="arithmetic",
    model="sums",
    sample_rate=RATE,
    frame_samples=FRAME,
    voices=(Voice(VOICE, "Plain", "en", "female"),),
    can=("speak",),
)


class Watch:
    """Counts what runners hold, and raises where a test wants it: `fail` by (stage, method)."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.opened: Counter[str] = Counter()
        self.closed: Counter[str] = Counter()
        self.windows: list[tuple[RequestId, int]] = []
        self.fail: dict[tuple[str, str], BaseException] = {}
        self.only: RequestId | None = None
        self.before: Callable[[str, str, Utterance], None] | None = None

    def __reduce__(self) -> tuple[object, ...]:
        """In another process it counts for itself; what is to raise goes along."""
        return _watch, (self.fail, self.only)

    def call(self, stage: str, method: str, utterance: Utterance) -> None:
        if self.before is not None:
            self.before(stage, method, utterance)
        if self.only is not None and utterance.request != self.only:
            return
        if (stage, method) in self.fail:
            # Without the last traceback, or it would gather all of them.
            raise self.fail[stage, method].with_traceback(None)

    def open(self, stage: str, utterance: Utterance) -> None:
        self.call(stage, "open", utterance)
        with self.lock:
            self.opened[stage] += 1

    def close(self, stage: str, utterance: Utterance) -> None:
        with self.lock:
            self.closed[stage] += 1
        self.call(stage, "close", utterance)


def _watch(fail: dict[tuple[str, str], BaseException], only: RequestId | None) -> Watch:
    watch = Watch()
    watch.fail, watch.only = fail, only
    return watch


@dataclass(slots=True)
class State:
    utterance: Utterance
    pending: list[int] = field(default_factory=list)
    text: str = ""
    ended: bool = False
    made: int = 0
    total: int = 0


class Thinker:
    """Text to one plan a sentence: the character codes. A "!" sentence brings a notice first."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    def open(self, utterance: Utterance) -> State:
        self.watch.open("thinker", utterance)
        return State(utterance)

    def push(self, state: State, item: str) -> None:
        self.watch.call("thinker", "push", state.utterance)
        state.text += item

    def end(self, state: State) -> None:
        self.watch.call("thinker", "end", state.utterance)
        state.ended = True

    def step(self, state: State) -> tuple[int, ...] | Notice | None:
        self.watch.call("thinker", "step", state.utterance)
        if state.text.startswith("!"):
            state.text = state.text[1:]
            return Notice(state.utterance.request, state.utterance.epoch, "loud", "heard a !")
        sentence, stop, rest = state.text.partition(".")
        if not stop and not (state.ended and sentence):
            return None
        state.text = rest
        return tuple(ord(c) for c in sentence + stop)

    def close(self, state: State) -> None:
        self.watch.close("thinker", state.utterance)


class Talker:
    """A plan to frames: one item for every character."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    def open(self, utterance: Utterance) -> State:
        self.watch.open("talker", utterance)
        return State(utterance)

    def push(self, state: State, item: tuple[int, ...]) -> None:
        self.watch.call("talker", "push", state.utterance)
        state.pending.extend(item)

    def end(self, state: State) -> None:
        self.watch.call("talker", "end", state.utterance)

    def step(self, state: State) -> int | None:
        self.watch.call("talker", "step", state.utterance)
        return state.pending.pop(0) if state.pending else None

    def close(self, state: State) -> None:
        self.watch.close("talker", state.utterance)


class Code2Wav:
    """Frames to windows that cost nothing; a sample is the sum of all codes up to it.

    exact: whether the scheduler may choose windows; else they are FIRST, then LATER.
    """

    def __init__(self, watch: Watch, batch: int = 4, *, exact: bool = False) -> None:
        self.watch = watch
        self.batch = batch
        self.exact = exact

    def sizes(self) -> tuple[int, ...]:
        return FIRST, LATER

    def costs(self) -> WindowCosts:
        return WindowCosts(((FIRST, 0.0), (LATER, 0.0)))

    def open(self, utterance: Utterance) -> State:
        self.watch.open("code2wav", utterance)
        return State(utterance)

    def push(self, state: State, item: int) -> None:
        self.watch.call("code2wav", "push", state.utterance)
        state.pending.append(item)

    def end(self, state: State) -> None:
        self.watch.call("code2wav", "end", state.utterance)
        state.ended = True

    def ready(self, state: State) -> Ready | None:
        self.watch.call("code2wav", "ready", state.utterance)
        count = len(state.pending)
        return Ready(state.made * FRAME, count, not state.ended, ()) if count else None

    def decode(self, states: Sequence[State], frames: int) -> list[Pcm]:
        for state in states:
            self.watch.call("code2wav", "decode", state.utterance)
        return [self._window(state, frames) for state in states]

    def _window(self, state: State, frames: int) -> Pcm:
        frames = min(frames, len(state.pending))
        start = state.made * FRAME
        codes, state.pending = state.pending[:frames], state.pending[frames:]
        sums = np.cumsum(np.repeat(codes, FRAME), dtype=np.int64) + state.total
        state.total, state.made = int(sums[-1]), state.made + frames
        self.watch.windows.append((state.utterance.request, start))
        return Pcm(
            state.utterance.request,
            state.utterance.epoch,
            start,
            (sums % 30000).astype(np.int16),
            frames=frames,
        )

    def max_batch(self) -> int:
        return self.batch

    def close(self, state: State) -> None:
        self.watch.close("code2wav", state.utterance)


def make_thinker(watch: Watch, worker: Worker) -> StreamRunner[State, str, tuple[int, ...]]:
    return Thinker(watch)


def make_talker(watch: Watch, worker: Worker) -> StreamRunner[State, tuple[int, ...], int]:
    return Talker(watch)


def make_code2wav(watch: Watch, worker: Worker) -> VocoderRunner[State, int]:
    return Code2Wav(watch)


def graph(watch: Watch) -> Graph:
    return Graph(
        stages=(
            StageSpec("thinker", Streaming(partial(make_thinker, watch)), to=(Edge("talker"),)),
            StageSpec("talker", Streaming(partial(make_talker, watch)), to=(Edge("code2wav"),)),
            StageSpec("code2wav", Vocoder(partial(make_code2wav, watch), RATE), end=True),
        ),
        entry="thinker",
    )


def family(watch: Watch) -> LoadedFamily:
    return LoadedFamily(INFO, graph(watch))


def say(text: str, name: str = "r", epoch: int = 0, *, more: bool = False) -> Utterance:
    return Utterance(RequestId(name), Epoch(epoch), text, VOICE, more=more)


def sound_of(text: str) -> Int16:
    """What the family makes of a text, worked out without it."""
    codes = [ord(c) for c in re.sub(r"(^|\.)!+", r"\1", text)]
    return (np.cumsum(np.repeat(codes, FRAME), dtype=np.int64) % 30000).astype(np.int16)


def joined(windows: Iterable[Pcm]) -> Int16:
    """The windows in a row, which must follow each other without a gap."""
    found = list(windows)
    at = 0
    for pcm in found:
        assert pcm.start == at
        at += len(pcm.samples)
    return np.concatenate([pcm.samples for pcm in found] or [np.zeros(0, np.int16)])
