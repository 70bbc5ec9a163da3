"""A process that writes and is killed at any moment leaves a store that opens and is whole."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sessions.states import OVER
from sessions.store import Store
from tests.sessions.store_values import noise

KILLS = 10
SAMPLES = 6_000
WRITER = """
import asyncio, sys
from dataclasses import replace
from pathlib import Path
from sessions.states import TakeState
from sessions.store import LineAdded, SessionDeleted, SessionOpened, Store, TakeBegun, TakeEnded
from tests.sessions.store_values import RATE, WORDS, buffer, noise, take

async def main(folder, first):
    async with Store(folder) as store:
        for number in range(first, first + 100_000):
            session = f"session_{number}"
            begun = take(f"take_{number}", f"line_{number}")
            done = replace(begun, state=TakeState.DONE)
            sound = buffer(noise(6_000, number), store.scratch)
            store.write(SessionOpened(session))
            store.write(LineAdded(session, begun.line_id, "Hello you"))
            store.write(TakeBegun(session, begun, RATE))
            await store.write(TakeEnded(done, WORDS, sound, b"score"))
            print(number, flush=True)
            if number % 3 == 0:
                await store.write(SessionDeleted(session))

asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
"""


def killed_at(folder: Path, first: int, lines: int, delay_s: float) -> list[int]:
    """Runs a writer until it told of so many takes and a while longer, then kills it; returns the
    takes it had told of by then.
    """
    told: list[int] = []
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), str(first)], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        told += [int(writer.stdout.readline()) for _ in range(lines)]
        with pytest.raises(subprocess.TimeoutExpired):
            writer.wait(delay_s)
        writer.kill()
        told += [int(line) for line in writer.stdout.read().splitlines()]
    return told


async def test_whatever_was_told_of_is_there_and_nothing_is_half(tmp_path: Path) -> None:
    told: list[int] = []
    chance = random.Random(5)
    for _ in range(KILLS):
        first = 1 + max(told, default=-1) + 1
        told += killed_at(tmp_path, first, chance.randrange(1, 4), chance.uniform(0.001, 0.03))
        async with Store(tmp_path) as store:
            await store.check_integrity()
            there = {head.id for head in await store.sessions()}
            lasting = {f"session_{number}" for number in told if number % 3}
            assert lasting <= there
            for session_id in there:
                await check(store, session_id)


async def check(store: Store, session_id: str) -> None:
    """Takes are over, and those with sound have all of it."""
    for take in (await store.load_session(session_id)).takes:
        assert take.state in OVER
        number = int(take.id.removeprefix("take_"))
        expected = noise(SAMPLES, number)[: take.samples]
        assert take.samples in (0, SAMPLES)
        assert np.array_equal(await store.take_sound(take.id), expected)
