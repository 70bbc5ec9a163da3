from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine.messages import Error, Result, StreamItem
from engine.schedulers.simple import Limit, SimpleScheduler
from engine.types import Utterance
from tests.engine.schedulers.driving import Driven, job


class Doubler:
    """Doubles; refuses what is negative, and with it the whole batch."""

    def __init__(self, batch: int = 4) -> None:
        self.batch = batch
        self.calls: list[list[object]] = []

    def run(self, utterances: Sequence[Utterance], payloads: Sequence[int]) -> list[int]:
        self.calls.append(list(payloads))
        if min(payloads) < 0:
            raise ValueError("negative")
        return [2 * payload for payload in payloads]

    def max_batch(self) -> int:
        return self.batch


def simple(runner: Doubler, wait: float = 1.0) -> Driven:
    return Driven(SimpleScheduler("double", runner, whole=True, wait=wait))


def give(driven: Driven, name: str, payload: object) -> None:
    driven.push(name, [payload])
    driven.end(name)


def test_a_lone_request_never_waits() -> None:
    runner = Doubler()
    driven = simple(runner)
    driven.open("a", "b")
    give(driven, "a", 1)
    driven.run()
    assert driven.items("a") == [2]
    assert driven.finished("a")


def test_the_second_request_opens_the_window_and_its_end_runs_the_batch() -> None:
    runner = Doubler()
    driven = simple(runner)
    driven.open("a", "b", "c", "d")
    give(driven, "a", 1)
    driven.now = 5.0
    give(driven, "b", 2)
    driven.run()
    assert runner.calls == []
    assert driven.scheduler.ready_at() == 6.0
    driven.now = 5.5
    give(driven, "c", 3)
    driven.run()
    assert driven.scheduler.ready_at() == 6.0, "a third does not put it off"
    driven.now = 6.0
    driven.run()
    assert runner.calls == [[1, 2, 3]]


@pytest.mark.parametrize(("batch", "others"), [(2, ("c",)), (4, ())])
def test_no_waiting_when_full_or_when_nobody_could_join(
    batch: int, others: tuple[str, ...]
) -> None:
    runner = Doubler(batch)
    driven = simple(runner)
    driven.open("a", "b", *others)
    give(driven, "a", 1)
    give(driven, "b", 2)
    driven.run()
    assert runner.calls == [[1, 2]]


def test_one_bad_payload_fails_alone() -> None:
    driven = simple(Doubler())
    driven.open("a", "b")
    give(driven, "a", -1)
    give(driven, "b", 2)
    driven.run()
    assert [type(m) for m in driven.out if m.job == job("a")][-1] is Error
    assert driven.items("b") == [4]
    assert driven.scheduler.open_states() == 0


def test_an_abort_leaves_the_batch_and_shuts_its_window() -> None:
    runner = Doubler()
    driven = simple(runner)
    driven.open("a", "b", "c")
    give(driven, "a", 1)
    give(driven, "b", 2)
    driven.abort("a")
    driven.run()
    assert runner.calls == [[2]]


def test_a_stream_becomes_one_payload_of_all_its_items() -> None:
    class Joiner(Doubler):
        def run(self, utterances: Sequence[Utterance], payloads: Sequence[object]) -> list[int]:
            self.calls.append(list(payloads))
            return [0]

    runner = Joiner()
    driven = Driven(SimpleScheduler("join", runner, whole=False, wait=0))
    driven.open("a")
    driven.push("a", ["x", "y"])
    driven.end("a")
    driven.run()
    assert runner.calls == [[("x", "y")]]
    assert driven.taken("a") == 2
    assert driven.out[-2:] == [StreamItem(job("a"), 0), Result(job("a"))]


def limited(runner: Doubler, most: float) -> Driven:
    def cost(payload: int) -> float:
        if payload == 13:
            raise ValueError("can't be told")
        return payload

    limit = Limit(cost, most)
    return Driven(SimpleScheduler("double", runner, whole=True, wait=1.0, limit=limit))


def test_a_batch_costs_no_more_than_it_may() -> None:
    """A full batch runs at once; a payload that costs more than all runs alone."""
    runner = Doubler()
    driven = limited(runner, 10)
    driven.open("a", "b", "c", "d", "e")
    for name, payload in (("a", 4), ("b", 5), ("c", 3)):
        give(driven, name, payload)
    driven.run()
    assert runner.calls == [[4, 5], [3]]
    give(driven, "d", 50)
    give(driven, "e", 1)
    driven.run()
    assert runner.calls[2:] == [[50], [1]]


def test_a_payload_whose_cost_can_not_be_told_fails_alone() -> None:
    driven = limited(Doubler(), 10)
    driven.open("a", "b")
    give(driven, "a", 13)
    give(driven, "b", 2)
    driven.run()
    assert [type(m) for m in driven.out if m.job == job("a")][-1] is Error
    assert driven.items("b") == [4]
