from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import StageFailed
from engine.graph import Autoregressive, Edge, Graph, StageSpec, Streaming, Vocoder, Worker
from engine.messages import Admitted, Error, Noticed, Result
from engine.schedulers.autoregressive import AutoregressiveScheduler
from engine.schedulers.make import make_scheduler
from engine.types import Notice, Utterance
from tests.engine.arithmetic import RATE, Code2Wav, Thinker, Watch
from tests.engine.schedulers.driving import Driven, job

MODULUS, LAST = 1009, 13


def sums(items: Sequence[int]) -> list[int]:
    """What a sequence comes to: it ends with its input, or after a sum that LAST divides."""
    made: list[int] = []
    for item in items:
        made.append((7 * (made[-1] if made else 1) + item) % MODULUS)
        if made[-1] % LAST == 0:
            break
    return made


@dataclass(slots=True, eq=False)
class Row:
    """fed: items not yet stepped over. total, over: as the device has them. shown: as collected."""

    name: str
    fed: list[int] = field(default_factory=list)
    ended: bool = False
    slot: int | None = None
    total: int = 1
    over: bool = False
    launched: int = 0
    shown: int = 0
    finished: bool = False
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    rows: list[Row]
    made: list[list[int]]


class Sums:
    """Steps sums on `slots` slots; `ahead` launches a step before the last is collected."""

    def __init__(self, slots: int, ahead: bool = False) -> None:
        self.slots = list(range(slots))
        self.ahead = ahead
        self.rows: list[Row] = []
        self.steps: list[list[str]] = []
        self.admitted: list[list[str]] = []
        self.flying: list[Step] = []
        self.fail: dict[str, tuple[str, ...]] = {}
        self.notice: Notice | None = None

    def call(self, method: str, rows: Sequence[Row]) -> None:
        for row in rows:
            if row.name in self.fail.get(method, ()):
                raise ValueError(f"{method} {row.name}")

    def open(self, utterance: Utterance) -> Row:
        self.rows.append(Row(utterance.request))
        return self.rows[-1]

    def push(self, state: Row, item: Sequence[int]) -> None:
        assert not self.ready(state)
        self.call("push", [state])
        state.fed.extend(item)

    def end(self, state: Row) -> None:
        state.ended = True
        state.finished = state.launched == state.shown

    def ready(self, state: Row) -> bool:
        return bool(state.fed)

    def done(self, state: Row) -> bool:
        return state.finished

    def free(self) -> int:
        return len(self.slots)

    def admit(self, states: Sequence[Row]) -> None:
        assert states
        self.call("admit", states)
        self.admitted.append([row.name for row in states])
        for row in states:
            assert row.slot is None
            row.slot = self.slots.pop()

    def looks_ahead(self) -> bool:
        return self.ahead

    def launch(self, states: Sequence[Row]) -> Step:
        assert len(self.flying) <= self.ahead
        assert all(row.slot is not None and not row.closed for row in states)
        self.call("launch", states)
        self.steps.append([row.name for row in states])
        step = Step(list(states), [self._next(row) for row in states])
        self.flying.append(step)
        return step

    def _next(self, row: Row) -> list[int]:
        item = row.fed.pop(0)
        row.launched += 1
        if row.over:
            return []
        row.total = (7 * row.total + item) % MODULUS
        row.over = row.total % LAST == 0
        return [row.total]

    def collect(self, step: Step) -> list[list[int | Notice]]:
        assert step is self.flying.pop(0)
        self.call("collect", step.rows)
        return [self._shown(row, made) for row, made in zip(step.rows, step.made, strict=True)]

    def _shown(self, row: Row, made: list[int]) -> list[int | Notice]:
        if row.closed:
            return []
        row.shown += 1
        ran_out = row.ended and not row.fed and row.launched == row.shown
        row.finished = (made[-1:] != [] and made[-1] % LAST == 0) or ran_out
        return [*([self.notice] if self.notice else []), *made]

    def close(self, state: Row) -> None:
        assert not state.closed
        state.closed = True
        if state.slot is not None:
            self.slots.append(state.slot)


def drive(runner: Sums, targets: tuple[str, ...] = (), outstanding: int = 2) -> Driven:
    return Driven(AutoregressiveScheduler("talker", runner, targets, outstanding))


def say(driven: Driven, name: str, *items: int) -> None:
    driven.open(name)
    driven.push(name, [items])
    driven.end(name)


@pytest.mark.parametrize("ahead", [False, True])
def test_a_sequence_comes_in_order_and_the_end_after_it(ahead: bool) -> None:
    runner = Sums(1, ahead)
    driven = drive(runner)
    say(driven, "a", 1, 2, 3, 5)
    driven.run()
    assert driven.items("a") == sums([1, 2, 3, 5])
    assert driven.out[0] == Admitted(job("a"))
    assert driven.out[-1] == Result(job("a"))
    assert runner.free() == 1
    assert driven.scheduler.open_states() == 0


@pytest.mark.parametrize("ahead", [False, True])
def test_an_end_without_input_is_an_end_and_takes_no_slot(ahead: bool) -> None:
    runner = Sums(1, ahead)
    driven = drive(runner)
    driven.open("a")
    driven.end("a")
    assert driven.run() == [Admitted(job("a")), Result(job("a"))]
    assert runner.admitted == []


def test_all_that_can_go_share_a_step() -> None:
    runner = Sums(3)
    driven = drive(runner)
    for name in "abc":
        say(driven, name, 1, 2)
    driven.run()
    assert runner.steps == [["a", "b", "c"], ["a", "b", "c"]]
    assert runner.admitted == [["a", "b", "c"]], "one call for all that join together"


def test_a_request_joins_a_step_that_others_are_in_and_leaves_it_alone() -> None:
    runner = Sums(2)
    driven = drive(runner)
    say(driven, "a", 1, 2, 3, 4)
    driven.once()
    say(driven, "b", 1, 2)
    driven.run()
    assert runner.steps == [["a"], ["a", "b"], ["a", "b"], ["a"]]


def test_who_has_no_slot_waits_in_the_order_in_which_input_came() -> None:
    runner = Sums(1)
    driven = drive(runner)
    say(driven, "a", 1, 2)
    driven.open("late")
    say(driven, "b", 1, 2)
    driven.push("late", [(1,)])
    driven.end("late")
    driven.run()
    assert runner.admitted == [["a"], ["b"], ["late"]]


@pytest.mark.parametrize("ahead", [False, True])
def test_a_row_without_input_sits_out_and_holds_up_nobody(ahead: bool) -> None:
    runner = Sums(2, ahead)
    driven = drive(runner)
    driven.open("a")
    driven.push("a", [(1,)])
    say(driven, "b", 1, 2, 3)
    driven.run()
    assert driven.finished("b")
    assert not driven.finished("a")
    driven.push("a", [(2, 4)])
    driven.end("a")
    driven.run()
    assert driven.items("a") == sums([1, 2, 4])


def test_an_item_counts_as_taken_only_when_the_runner_asked_for_it() -> None:
    driven = drive(Sums(1), ("down",))
    driven.open("a")
    driven.push("a", [(1, 2), (3,)])
    driven.run()
    assert driven.items("a") == sums([1, 2])
    assert driven.taken("a") == 2, "both were stepped over, so the next was asked for"
    driven.push("a", [(4,)])
    driven.run()
    assert driven.taken("a") == 2


def test_no_more_than_the_bound_is_out_and_others_go_on() -> None:
    driven = drive(Sums(2), ("down",), outstanding=3)
    say(driven, "a", *range(1, 9))
    driven.run()
    assert driven.items("a") == sums(range(1, 9))[:3]
    driven.ack("a", "down")
    driven.run()
    assert driven.items("a") == sums(range(1, 9))[:4]
    say(driven, "b", 1, 2)
    driven.run()
    assert driven.finished("b")


def test_looking_ahead_launches_the_next_step_before_the_last_is_collected() -> None:
    runner = Sums(1, ahead=True)
    driven = drive(runner)
    say(driven, "a", 1, 2, 3)
    driven.once()
    assert len(runner.flying) == 1
    assert driven.items("a") == []
    driven.once()
    assert len(runner.steps) == 2
    assert driven.items("a") == sums([1, 2, 3])[:1]


def test_what_is_made_past_the_end_is_thrown_away() -> None:
    ends = next(i for i in range(MODULUS) if (7 + i) % LAST == 0)
    runner = Sums(1, ahead=True)
    driven = drive(runner)
    say(driven, "a", ends, 5, 6)
    driven.run()
    assert driven.items("a") == [7 + ends]
    assert runner.steps == [["a"], ["a"]], "the second began before the end was known"
    assert runner.flying == []
    assert runner.free() == 1


@pytest.mark.parametrize("ahead", [False, True])
def test_an_abort_frees_the_slot_for_who_waits(ahead: bool) -> None:
    runner = Sums(1, ahead)
    driven = drive(runner)
    say(driven, "a", *range(1, 50))
    say(driven, "b", 1, 2)
    driven.once()
    driven.abort("a")
    driven.run()
    assert driven.items("b") == sums([1, 2])
    assert driven.finished("b")
    assert not driven.finished("a")
    assert runner.free() == 1


def test_an_abort_in_the_queue_takes_nothing() -> None:
    runner = Sums(1)
    driven = drive(runner)
    say(driven, "a", *range(1, 5))
    say(driven, "b", 1, 2)
    driven.once()
    driven.abort("b")
    driven.run()
    assert runner.admitted == [["a"]]
    assert all(row.closed for row in runner.rows)


@pytest.mark.parametrize("ahead", [False, True])
@pytest.mark.parametrize("method", ["push", "admit", "launch"])
def test_who_raises_is_lost_alone(method: str, ahead: bool) -> None:
    runner = Sums(3, ahead)
    runner.fail = {method: ("b",)}
    driven = drive(runner)
    for name in "abc":
        say(driven, name, 1, 2, 3)
    driven.run()
    errors = [m for m in driven.out if isinstance(m, Error)]
    assert [error.job for error in errors] == [job("b")]
    assert isinstance(errors[0].error, StageFailed)
    for name in "ac":
        assert driven.items(name) == sums([1, 2, 3])
        assert driven.finished(name)
    assert runner.free() == 3
    assert driven.scheduler.open_states() == 0


def test_a_step_that_is_lost_loses_all_that_were_in_it() -> None:
    runner = Sums(2)
    runner.fail = {"collect": ("b",)}
    driven = drive(runner)
    say(driven, "a", 1, 2)
    say(driven, "b", 1, 2)
    driven.run()
    assert {m.job for m in driven.out if isinstance(m, Error)} == {job("a"), job("b")}
    assert runner.free() == 2


def test_a_notice_goes_past_the_next_stage() -> None:
    runner = Sums(1)
    runner.notice = Notice(job("a").request, job("a").epoch, "long", "too long")
    driven = drive(runner, ("down",))
    say(driven, "a", 1)
    driven.run()
    assert Noticed(job("a"), runner.notice) in driven.out
    assert driven.items("a") == sums([1])


@given(
    inputs=st.lists(st.lists(st.integers(0, 99), max_size=12), min_size=1, max_size=6),
    slots=st.integers(1, 4),
    ahead=st.booleans(),
    seed=st.integers(0, 2**32),
)
def test_a_sequence_is_its_own_whatever_runs_beside_and_when_its_input_comes(
    inputs: list[list[int]], slots: int, ahead: bool, seed: int
) -> None:
    """Messages of all requests are shuffled into each other, with steps between; some abort."""
    rng = random.Random(seed)
    runner = Sums(slots, ahead)
    driven = drive(runner)
    left = {str(at): [*items] for at, items in enumerate(inputs)}
    aborted = {name for name in left if rng.random() < 0.2}
    for name in rng.sample(list(left), len(left)):
        driven.open(name)
    while left:
        name = rng.choice(list(left))
        count = rng.randint(0, len(left[name]))
        driven.push(name, [left[name][:count]])
        left[name] = left[name][count:]
        if not left[name]:
            del left[name]
            driven.abort(name) if name in aborted else driven.end(name)
        for _ in range(rng.randint(0, 3)):
            driven.once()
    driven.run()
    for at, items in enumerate(inputs):
        name = str(at)
        whole = sums(items)
        assert driven.items(name) == whole[: len(driven.items(name))]
        if name not in aborted:
            assert driven.items(name) == whole
            assert driven.finished(name)
    assert runner.free() == slots
    assert driven.scheduler.open_states() == 0
    assert all(row.closed for row in runner.rows)


def test_a_graph_names_its_work() -> None:
    def make(worker: Worker) -> Sums:
        return Sums(1)

    thinker = Streaming(lambda worker: Thinker(Watch()))
    code2wav = Vocoder(lambda worker: Code2Wav(Watch()), RATE)
    graph = Graph(
        (
            StageSpec("thinker", thinker, to=(Edge("talker"),)),
            StageSpec("talker", Autoregressive(make, outstanding=3), to=(Edge("code2wav"),)),
            StageSpec("code2wav", code2wav, end=True),
        ),
        entry="thinker",
    )
    assert isinstance(make_scheduler(graph, "talker", Worker()), AutoregressiveScheduler)
    assert graph.stage("talker").outstanding == 5, "each of two steps under way may put out one"
