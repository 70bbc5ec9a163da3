from __future__ import annotations

import pytest

from engine.errors import ModelDamaged, StageFailed
from engine.messages import Admitted, Error, Noticed, Result
from engine.schedulers.streaming import StreamingScheduler
from tests.engine.arithmetic import Talker, Thinker, Watch
from tests.engine.schedulers.driving import Driven, job


def talker(watch: Watch, outstanding: int = 2, targets: tuple[str, ...] = ("down",)) -> Driven:
    return Driven(StreamingScheduler("talker", Talker(watch), targets, outstanding))


def free(watch: Watch) -> Driven:
    """A talker whose target takes everything at once."""
    return talker(watch, targets=())


def test_items_come_in_order_and_the_end_after_them(watch: Watch) -> None:
    driven = free(watch)
    driven.open("a")
    driven.push("a", [(1, 2), (3,), (), (4, 5)])
    driven.end("a")
    driven.run()
    assert driven.items("a") == [1, 2, 3, 4, 5]
    assert driven.out[0] == Admitted(job("a"))
    assert driven.out[-1] == Result(job("a"))
    assert watch.opened == watch.closed == {"talker": 1}


def test_an_end_without_items_is_an_end(watch: Watch) -> None:
    driven = free(watch)
    driven.open("a")
    driven.end("a")
    assert driven.run() == [Admitted(job("a")), Result(job("a"))]


def test_no_more_than_the_bound_is_out_and_an_ack_makes_room_for_one(watch: Watch) -> None:
    driven = talker(watch)
    driven.open("a")
    driven.push("a", [tuple(range(5))])
    driven.run()
    assert driven.items("a") == [0, 1]
    driven.ack("a", "down")
    driven.run()
    assert driven.items("a") == [0, 1, 2]


def test_the_slowest_of_several_targets_counts(watch: Watch) -> None:
    driven = talker(watch, targets=("x", "y"))
    driven.open("a")
    driven.push("a", [tuple(range(5))])
    driven.run()
    for _ in range(2):
        driven.ack("a", "x")
    driven.run()
    assert driven.items("a") == [0, 1]
    driven.ack("a", "y")
    driven.run()
    assert driven.items("a") == [0, 1, 2]


def test_an_item_counts_as_taken_only_when_the_runner_asked_for_it(watch: Watch) -> None:
    driven = talker(watch)
    driven.open("a")
    driven.push("a", [(1, 2, 3), (4,)])
    driven.run()
    assert driven.taken("a") == 1
    driven.ack("a", "down")
    driven.ack("a", "down")
    driven.run()
    assert driven.taken("a") == 2


def test_who_has_put_out_nothing_goes_first_then_each_in_turn(watch: Watch) -> None:
    driven = free(watch)
    driven.open("a", "b")
    driven.push("a", [(1, 2, 3)])
    driven.push("b", [(1, 2, 3)])
    driven.once()
    driven.once()
    driven.open("c")
    driven.push("c", [(1, 2)])
    driven.once()
    assert driven.order() == ["a", "b", "c"]
    driven.run()
    assert driven.order() == ["a", "b", "c", "a", "b", "c", "a", "b"]


def test_a_step_is_of_one_request_only(watch: Watch) -> None:
    driven = free(watch)
    driven.open("a", "b")
    driven.push("a", [(1,)])
    driven.push("b", [(2,)])
    driven.once()
    assert driven.order() == ["a"]


def test_a_notice_is_no_item_of_the_stream(watch: Watch) -> None:
    driven = Driven(StreamingScheduler("thinker", Thinker(watch), ("down",), 1))
    driven.open("a")
    driven.push("a", ["!!hi."])
    driven.run()
    assert sum(isinstance(m, Noticed) for m in driven.out) == 2
    assert driven.items("a") == [tuple(map(ord, "hi."))]


@pytest.mark.parametrize("steps", range(6))
def test_an_abort_after_any_step_closes_the_state_at_once(watch: Watch, steps: int) -> None:
    driven = free(watch)
    driven.open("a", "b")
    driven.push("a", [(1, 2, 3)])
    driven.push("b", [(7, 8)])
    driven.end("b")
    for _ in range(steps):
        driven.once()
    driven.abort("a")
    assert watch.closed["talker"] >= 1
    before = len(driven.items("a"))
    driven.push("a", [(9,)])
    driven.end("a")
    driven.run()
    assert len(driven.items("a")) == before
    assert driven.items("b") == [7, 8]
    assert driven.finished("b")
    assert driven.scheduler.open_states() == 0


@pytest.mark.parametrize("method", ["open", "push", "end", "step", "close"])
def test_an_error_in_any_method_ends_that_request_alone(watch: Watch, method: str) -> None:
    watch.fail["talker", method] = ZeroDivisionError("a bug")
    watch.only = job("a").request
    driven = free(watch)
    driven.open("a", "b")
    for name in ("a", "b"):
        driven.push(name, [(1, 2)])
        driven.end(name)
    driven.run()
    (error,) = (m for m in driven.out if isinstance(m, Error))
    assert error.job == job("a")
    assert isinstance(error.error, StageFailed)
    assert str(error.error) == "talker: ZeroDivisionError: a bug"
    assert not driven.finished("a")
    assert driven.finished("b")
    assert watch.opened == watch.closed
    assert driven.scheduler.open_states() == 0


def test_an_error_of_the_engine_goes_through_as_it_is(watch: Watch) -> None:
    damaged = ModelDamaged("voice.bin")
    watch.fail["talker", "step"] = damaged
    driven = free(watch)
    driven.open("a")
    driven.end("a")
    assert driven.run()[-1] == Error(job("a"), damaged)
