"""A machine in virtual time that makes windows for listeners who play them: what is heard when."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.costs import WindowCosts
from engine.messages import (
    Binding,
    Chunk,
    CreditUpdate,
    Done,
    Job,
    NewRequest,
    Noticed,
    Result,
    StreamItem,
)
from engine.runners import Ready
from engine.schedulers.vocoder import VocoderScheduler
from engine.types import Credit, Epoch, Pcm, RequestId, Utterance

RATE, FRAME = 1000, 75
FRAME_S = FRAME / RATE
SIZES = (2, 4, 6, 10, 16, 20)
AHEAD_S = 5.0
"""How far ahead of the listener sound is made."""


@dataclass(slots=True)
class Held:
    utterance: Utterance
    clauses: list[int] = field(default_factory=list)
    made: int = 0


class Clauses:
    """VocoderRunner[Held, int]: an item is a clause of so many frames."""

    exact = True

    def __init__(self, costs: WindowCosts, sizes: tuple[int, ...] = SIZES) -> None:
        self._costs, self._sizes = costs, sizes
        self.windows: list[int] = []

    def sizes(self) -> tuple[int, ...]:
        return self._sizes

    def costs(self) -> WindowCosts:
        return self._costs

    def open(self, utterance: Utterance) -> Held:
        return Held(utterance)

    def push(self, state: Held, item: int) -> None:
        state.clauses.append(item)

    def end(self, state: Held) -> None:
        """All of a clause comes at once."""

    def ready(self, state: Held) -> Ready | None:
        return Ready(state.made * FRAME, state.clauses[0], False, ()) if state.clauses else None

    def decode(self, states: Sequence[Held], frames: int) -> list[Pcm]:
        (state,) = states
        frames = min(frames, state.clauses[0])
        one, start = state.utterance, state.made * FRAME
        state.made += frames
        state.clauses[0] -= frames
        if not state.clauses[0]:
            state.clauses.pop(0)
        self.windows.append(frames)
        samples = np.zeros(frames * FRAME, np.int16)
        return [Pcm(one.request, one.epoch, start, samples, frames=frames)]

    def max_batch(self) -> int:
        return 1

    def close(self, state: Held) -> None:
        state.clauses.clear()


@dataclass(frozen=True, slots=True)
class Asked:
    """A take: when it comes, and the frames of its clauses."""

    at: float
    clauses: tuple[int, ...]


@dataclass(slots=True)
class Heard:
    """What a listener got. first: seconds until sound was heard. gaps: seconds without sound, of
    each, paused_at: before which frames. sizes: frames of each window. held:
    seconds that the first window was held back. spare: by which the tightest window was in time."""

    asked: Asked
    first: float | None = None
    plays_at: float = 0.0
    made: int = 0
    gaps: list[float] = field(default_factory=list)
    paused_at: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    held: float = 0.0
    spare: float = float("inf")
    done: bool = False

    def window(self, pcm: Pcm, now: float) -> None:
        due = now + pcm.hold
        if self.first is None:
            self.first, self.plays_at, self.held = due - self.asked.at, due, pcm.hold
        else:
            dry = self.plays_at + pcm.start / RATE
            self.spare = min(self.spare, dry - due)
            if due > dry + 1e-9:
                self.gaps.append(due - dry)
                self.paused_at.append(self.made)
                self.plays_at += due - dry
        self.made += pcm.frames
        self.sizes.append(pcm.frames)


class Machine:
    """One queue, one window at a time. real: what windows truly cost, in seconds by frames."""

    def __init__(
        self,
        scheduler: VocoderScheduler,
        real: Callable[[int], float],
        jitter: float = 0.0,
        seed: int = 0,
    ) -> None:
        """jitter: windows take up to this part more or less."""
        self.scheduler, self._real, self._jitter = scheduler, real, jitter
        self._chance = random.Random(seed)
        self.now = 0.0
        self.notices = 0
        self.decisions = 0

    def run(self, takes: Sequence[Asked]) -> list[Heard]:
        """Until all have been made; takes are in the order in which they come."""
        heard = [Heard(asked) for asked in takes]
        coming = list(range(len(takes)))
        while not all(take.done for take in heard):
            while coming and takes[coming[0]].at <= self.now:
                self._ask(coming[0], takes[coming.pop(0)])
            due = self.scheduler.ready_at()
            if due is not None and due <= self.now:
                self._run(heard)
            else:
                self._sleep(heard, due, takes[coming[0]].at if coming else None)
        return heard

    def _sleep(self, heard: list[Heard], due: float | None, comes: float | None) -> None:
        """Until the next thing happens, or the next credit comes."""
        times = [time for time in (due, comes, self.now + 0.25) if time is not None]
        self.now = max(self.now, min(times))
        self._credit(heard)

    def _ask(self, number: int, asked: Asked) -> None:
        job = Job(RequestId(str(number)), Epoch(0))
        utterance = Utterance(job.request, job.epoch, "", "v")
        self.scheduler.feed(NewRequest(job, utterance, Binding(())), self.now)
        for clause in asked.clauses:
            self.scheduler.feed(Chunk(job, "up", clause), self.now)
        self.scheduler.feed(Done(job, "up"), self.now)

    def _run(self, heard: list[Heard]) -> None:
        self.decisions += 1
        out = self.scheduler.run_once(self.now)
        for message in out:
            if isinstance(message, StreamItem) and isinstance(message.item, Pcm):
                pcm = message.item
                spread = 1 + self._chance.uniform(-self._jitter, self._jitter)
                self.now += self._real(pcm.frames) * spread
                heard[int(message.job.request)].window(pcm, self.now)
                self._credit(heard)
            elif isinstance(message, Noticed):
                self.notices += 1
            elif isinstance(message, Result):
                heard[int(message.job.request)].done = True

    def _credit(self, heard: list[Heard]) -> None:
        for number, take in enumerate(heard):
            if take.first is None or take.done:
                continue
            played = max(0.0, min(self.now - take.plays_at, take.made * FRAME_S))
            credit = Credit(int((played + AHEAD_S) * RATE), take.plays_at)
            job = Job(RequestId(str(number)), Epoch(0))
            self.scheduler.feed(CreditUpdate(job, credit), self.now)


def costs(fixed: float, frame: float, sizes: tuple[int, ...] = SIZES) -> WindowCosts:
    return WindowCosts(tuple((size, fixed + frame * size) for size in sizes))


def machine(
    measured: WindowCosts,
    real: WindowCosts | None = None,
    jitter: float = 0.0,
    seed: int = 0,
    plan: tuple[int, ...] | None = None,
) -> Machine:
    """real: what windows truly cost; as they were measured if not given."""
    runner = Clauses(measured, tuple(size for size, _ in measured.table))
    scheduler = VocoderScheduler("code2wav", runner, RATE, FRAME, plan)
    true = real or measured
    sizes = runner.sizes()

    def cost(frames: int) -> float:
        return true.seconds(next(size for size in sizes if size >= frames))

    return Machine(scheduler, cost, jitter, seed)
