"""Payloads in several threads, in a real engine: one that takes long holds up no other."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest

from engine.errors import StageFailed
from engine.family import LoadedFamily
from engine.graph import Graph, StageSpec, Threaded, Worker
from engine.runners import BatchRunner
from engine.topology import parse_topology
from engine.types import Failed, Finished, Output, Pcm, Utterance
from tests.engine.arithmetic import INFO, say
from tests.engine.conftest import Starter
from tests.patience import PATIENCE_S


class Slow:
    """The text as samples; one that says "wait" waits for the others."""

    def __init__(self, go_on: threading.Event | None) -> None:
        self.go_on = go_on

    def run(self, utterances: Sequence[Utterance], payloads: Sequence[object]) -> list[Pcm]:
        assert len(payloads) == 1
        (utterance,), (texts,) = utterances, payloads
        assert isinstance(texts, tuple)
        text = "".join(texts)
        if text == "bad":
            raise ZeroDivisionError("a bug")
        if text == "wait" and self.go_on is not None:
            assert self.go_on.wait(PATIENCE_S)
        samples = np.array([ord(c) for c in text], np.int16)
        return [Pcm(utterance.request, utterance.epoch, 0, samples, frames=1)]

    def max_batch(self) -> int:
        return 1


def make(go_on: threading.Event | None, worker: Worker) -> BatchRunner[object, Pcm]:
    return Slow(go_on)


def family(go_on: threading.Event | None = None) -> LoadedFamily:
    work = Threaded(partial(make, go_on), threads=2)
    return LoadedFamily(INFO, Graph((StageSpec("slow", work, end=True),), "slow"))


async def test_one_that_takes_long_holds_up_no_other(start: Starter) -> None:
    go_on = threading.Event()
    engine = await start(family(go_on))
    waits = engine.submit(say("wait", "waits"))
    for number in range(5):
        outputs = [o async for o in engine.submit(say(f"quick {number}", f"r{number}"))]
        assert isinstance(outputs[-1], Finished)
    go_on.set()
    first = await anext(waits)
    assert isinstance(first, Pcm)
    assert first.samples.tolist() == [ord(c) for c in "wait"]
    waits.abort()


async def test_a_payload_that_raises_fails_alone(start: Starter) -> None:
    engine = await start(family())
    bad, good = engine.submit(say("bad", "bad")), engine.submit(say("good", "good"))
    (failed,) = [output async for output in bad]
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, StageFailed)
    assert str(failed.error) == "slow: ZeroDivisionError: a bug"
    assert isinstance([output async for output in good][-1], Finished)


async def test_what_is_made_for_an_aborted_request_is_let_fall(start: Starter) -> None:
    go_on = threading.Event()
    engine = await start(family(go_on))
    waits = engine.submit(say("wait", "waits"))
    await asyncio.sleep(0)
    waits.abort()
    await engine.idle()
    go_on.set()
    outputs = [output async for output in engine.submit(say("next", "next"))]
    assert isinstance(outputs[-1], Finished)


@pytest.mark.parametrize("launcher", ["threads", "processes"])
async def test_many_at_once_each_get_their_own(start: Starter, launcher: str) -> None:
    engine = await start(family(), parse_topology({"launcher": launcher}))

    async def hear(name: str) -> list[Output]:
        return [output async for output in engine.submit(say(name, name))]

    names = [f"r{number}" for number in range(50)]
    found = await asyncio.gather(*map(hear, names))
    for name, (pcm, end) in zip(names, found, strict=True):
        assert isinstance(pcm, Pcm)
        assert pcm.samples.tolist() == [ord(c) for c in name]
        assert isinstance(end, Finished)
    await engine.idle()
    engine.check_integrity()
