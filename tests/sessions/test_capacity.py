"""The capacity is what the clocks say, with some to spare, and never less than one."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from engine.errors import StageFailed
from engine.types import Utterance
from sessions.capacity import Capacity, Clocks, measure
from tests.sessions.scripted import ScriptedEngine, ScriptedRequest

RATE = 24_000


@dataclass
class Machine:
    """Time passes only by the work that is submitted."""

    wall_s: float
    cpu_s: float
    wall: float = 0.0
    cpu: float = 0.0


class Working(ScriptedEngine):
    """Makes five seconds of sound of everything, at once, at the machine's expense."""

    def __init__(self, machine: Machine) -> None:
        super().__init__()
        self._machine = machine

    def submit(self, utterance: Utterance) -> ScriptedRequest:
        request = super().submit(utterance)
        self._machine.wall += self._machine.wall_s
        self._machine.cpu += self._machine.cpu_s
        request.sound(5 * RATE)
        request.complete()
        return request


async def measured(machine: Machine, busiest: float, cores: int) -> Capacity:
    clocks = Clocks(lambda: machine.wall, lambda: machine.cpu, lambda: busiest, cores)
    return await measure(Working(machine), "af_heart", clocks)


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
async def test_the_capacity_follows_the_clocks(
    wall_s: float, cpu_s: float, busiest: float, cores: int, streams: int
) -> None:
    assert (await measured(Machine(wall_s, cpu_s), busiest, cores)).streams == streams


async def test_an_engine_that_fails_says_so() -> None:
    class Broken(ScriptedEngine):
        def submit(self, utterance: Utterance) -> ScriptedRequest:
            request = super().submit(utterance)
            request.fail(StageFailed("no"))
            return request

    clocks = Clocks(lambda: 0.0, lambda: 0.0, lambda: 1.0, 1)
    with pytest.raises(StageFailed):
        await measure(Broken(), "af_heart", clocks)
