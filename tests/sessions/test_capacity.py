"""The capacity follows from what windows cost where they are most of the work, else from what the
clocks say; with some to spare, and never less than one."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from engine.errors import StageFailed
from engine.types import Utterance
from sessions.capacity import ByClocks, ByCosts, Capacity, Clocks, Vocoder, carried, measure
from tests.sessions.scripted import ScriptedEngine, ScriptedRequest

RATE = 24_000
SOUND_S = 5.0


@dataclass
class Machine:
    """Time passes only by the work that is submitted. wall_s, cpu_s: for each utterance. before_s:
    likewise, of the stages before the vocoder; the first utterance takes them `cold_s` longer."""

    wall_s: float = 1.0
    cpu_s: float = 1.0
    busiest: float = 0.9
    cores: int = 2
    vocoder: Vocoder | None = None
    before_s: float = 0.0
    cold_s: float = 0.0
    wall: float = 0.0
    cpu: float = 0.0
    before: float = 0.0
    untold: float = 0.0
    said: list[str] = field(default_factory=list)

    def make(self, text: str) -> None:
        self.wall += self.wall_s
        self.cpu += self.cpu_s
        self.untold += self.before_s + (0 if self.said else self.cold_s)
        self.said.append(text)

    async def settled(self) -> None:
        """The figures of other processes come later than the sound."""
        self.before += self.untold
        self.untold = 0.0

    def clocks(self) -> Clocks:
        return Clocks(
            lambda: self.wall,
            lambda: self.cpu,
            lambda: self.busiest,
            self.cores,
            lambda: self.vocoder,
            lambda: self.before,
            self.settled,
        )


class Working(ScriptedEngine):
    """Makes five seconds of sound of everything, at once, at the machine's expense."""

    def __init__(self, machine: Machine) -> None:
        super().__init__()
        self._machine = machine

    def submit(self, utterance: Utterance) -> ScriptedRequest:
        request = super().submit(utterance)
        self._machine.make(utterance.text)
        request.sound(int(SOUND_S * RATE))
        request.complete()
        return request


async def measured(machine: Machine) -> Capacity:
    return await measure(Working(machine), "af_heart", machine.clocks())


@pytest.mark.parametrize(
    ("windows", "copies", "before_s", "streams"),
    [
        (0.2, 1, 0.0, 4),  # nine tenths of the time, in fifths
        (0.2, 1, 0.4, 3),  # 80 ms before them, for each second of sound
        (0.2, 2, 0.4, 6),  # two copies of three takes
        (0.2, 4, 0.8, 5),  # four would carry eight, but what comes before them carries only five
        (0.95, 1, 0.25, 1),  # slower than listening, but never none
        (0.95, 2, 0.25, 2),  # one each
        (1e-4, 1, 0.0, 256),
    ],
)
async def test_the_capacity_follows_from_what_windows_cost(
    windows: float, copies: int, before_s: float, streams: int
) -> None:
    machine = Machine(vocoder=Vocoder(windows, copies), before_s=before_s)
    found = await measured(machine)
    assert found == Capacity(streams, ByCosts(windows, before_s / SOUND_S, copies))


async def test_where_costs_are_known_one_sentence_is_made_once_all_is_warm() -> None:
    machine = Machine(vocoder=Vocoder(0.2, 1), before_s=0.4, cold_s=20.0)
    assert (await measured(machine)).streams == 3
    assert len(machine.said) == 2


@pytest.mark.parametrize(
    ("wall_s", "cpu_s", "busiest", "cores", "streams"),
    [
        (1.0, 1.0, 0.9, 2, 2),  # 5 s of sound a second: 2.0
        (5.0, 1.5, 0.9, 2, 1),  # a noisy machine: 0.3 of a thread each, nine tenths in one stage
        (5.0, 1.5, 0.5, 2, 2),  # the work is spread, so both cores can be used
        (5.0, 1.5, 0.5, 1, 1),  # one core
        (50.0, 50.0, 1.0, 1, 1),  # slower than listening, but never none
        (1e-6, 1e-6, 1.0, 1, 256),
    ],
)
@pytest.mark.parametrize(
    ("vocoder", "before_s"),
    [(None, 0.5), (Vocoder(0.05, 1), 0.5), (Vocoder(0.0, 1), 0.0)],
    ids=["no windows", "a slow talker", "windows that cost nothing"],
)
async def test_it_follows_the_clocks_where_windows_are_not_most_of_the_work(
    vocoder: Vocoder | None,
    before_s: float,
    wall_s: float,
    cpu_s: float,
    busiest: float,
    cores: int,
    streams: int,
) -> None:
    machine = Machine(wall_s, cpu_s, busiest, cores, vocoder, before_s)
    found = await measured(machine)
    assert found.streams == streams
    assert isinstance(found.found, ByClocks)


def test_what_is_known_before_anything_was_made_is_an_upper_bound() -> None:
    assert carried(Vocoder(0.2, 1)) == 4
    assert carried(Vocoder(0.2, 2)) == 8


async def test_an_engine_that_fails_says_so() -> None:
    class Broken(ScriptedEngine):
        def submit(self, utterance: Utterance) -> ScriptedRequest:
            request = super().submit(utterance)
            request.fail(StageFailed("no"))
            return request

    with pytest.raises(StageFailed):
        await measure(Broken(), "af_heart", Machine().clocks())
