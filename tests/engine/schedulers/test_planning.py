"""What listeners hear on simulated machines, and single choices."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import cache
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.costs import LearntCosts, WindowCosts
from engine.runners import Ready
from engine.schedulers.chains import Terms, chain, hold_of, margin, ramp
from engine.schedulers.choices import Go, Standing, Wait
from engine.schedulers.planning import PATIENCE_S, decide
from tests.engine.schedulers.simulating import FRAME_S, SIZES, Asked, Heard, costs, machine

ZEN3 = WindowCosts(
    ((2, 0.142), (4, 0.2), (6, 0.249), (10, 0.366), (16, 0.575), (20, 0.692)),
)
"""The embedded family on one core of an EPYC Zen 3, as measured."""
SEEDS = st.integers(0, 10**6)
cases = settings(derandomize=True, deadline=None, max_examples=40)


def size_up(frames: int) -> int:
    return next(size for size in SIZES if size >= frames)


def load_of(take: Asked, unit: WindowCosts) -> float:
    """Seconds of computing for a second of sound, in the largest windows that fit, of that clause
    of the take in which it is the most."""

    def of(clause: int) -> float:
        whole, rest = divmod(clause, SIZES[-1])
        cost = whole * unit.seconds(SIZES[-1]) + (unit.seconds(size_up(rest)) if rest else 0.0)
        return cost / (clause * FRAME_S)

    return max(map(of, take.clauses))


def drawn(seed: int, load: float, *, together: bool) -> tuple[WindowCosts, list[Asked]]:
    """One to six takes of one to four clauses, and a machine on which their loads add up to
    `load`; up to three fifths of a largest window's cost are fixed."""
    chance = random.Random(seed)
    takes = [
        Asked(
            0.0 if together else chance.uniform(0, 4),
            tuple(chance.randint(3, 90) for _ in range(chance.randint(1, 4))),
        )
        for _ in range(chance.randint(1, 6))
    ]
    share = chance.uniform(0.02, 0.6)
    unit = costs(share, (1 - share) / SIZES[-1])
    scale = load / sum(load_of(take, unit) for take in takes)
    return unit.scaled(scale), sorted(takes, key=lambda take: take.at)


def gaps(heard: list[Heard]) -> list[float]:
    return [gap for take in heard for gap in take.gaps]


@cases
@given(seed=SEEDS, load=st.floats(0.05, 0.9), together=st.booleans())
def test_there_is_no_gap_while_loads_stay_under_nine_tenths(
    seed: int, load: float, together: bool
) -> None:
    """Loads as `load_of` counts them, of all takes that there are together, though they need not
    run at the same time; windows cost what they were measured to."""
    measured, takes = drawn(seed, load, together=together)
    heard = machine(measured).run(takes)
    assert gaps(heard) == []
    assert [sum(take.sizes) for take in heard] == [sum(take.clauses) for take in takes]


@cases
@given(seed=SEEDS, load=st.floats(0.05, 0.9))
def test_nor_where_windows_take_a_twentieth_more_or_less(seed: int, load: float) -> None:
    measured, takes = drawn(seed, load, together=False)
    assert gaps(machine(measured, jitter=0.05, seed=seed).run(takes)) == []


@cases
@given(seed=SEEDS, load=st.floats(0.05, 0.75), together=st.booleans())
def test_where_they_take_a_tenth_more_or_less_a_gap_is_short(
    seed: int, load: float, together: bool
) -> None:
    """What is ruled out is a window's own tenth, not all of them in a row."""
    measured, takes = drawn(seed, load, together=together)
    heard = machine(measured, jitter=0.1, seed=seed).run(takes)
    assert max(gaps(heard), default=0.0) < 0.06


def test_gaps_with_such_windows_are_rare() -> None:
    late = 0
    for seed in range(60):
        measured, takes = drawn(seed, 0.2 + 0.55 * seed / 60, together=seed % 2 == 0)
        late += bool(gaps(machine(measured, jitter=0.1, seed=seed).run(takes)))
    assert late <= 2


def soonest(measured: WindowCosts, frames: int) -> float:
    """Seconds until a lone take of one clause can be heard without a gap, by whatever plan, each
    window being there by the usual margin before its time; held back only if it must be."""

    @cache
    def needed(left: int) -> float:
        """Seconds of sound in hand when the next window is begun."""
        return min((_ends(size, left) for size in _sizes(left)), default=0.0)

    def _ends(size: int, left: int) -> float:
        cost = measured.seconds(size_up(size))
        after = needed(left - size) - size * FRAME_S
        return max(cost + margin(cost), cost + after)

    def _sizes(left: int) -> list[int]:
        return [size for size in (*SIZES, left) if size <= min(left, SIZES[-1])] if left else []

    def held(size: int) -> float:
        return max(0.0, needed(frames - size) - size * FRAME_S)

    def first(size: int) -> float:
        return measured.seconds(size_up(size)) + held(size)

    at_once = [size for size in _sizes(frames) if held(size) == 0]
    return min(first(size) for size in at_once or _sizes(frames))


@cases
@given(
    fixed=st.floats(0.0, 0.3),
    frame=st.floats(0.001, 0.12),
    frames=st.integers(1, 120),
)
def test_a_lone_take_is_heard_as_soon_as_by_any_plan(
    fixed: float, frame: float, frames: int
) -> None:
    """Also on machines on which it has to be held back; and there is no gap then."""
    measured = costs(fixed, frame)
    (heard,) = machine(measured).run([Asked(0.0, (frames,))])
    assert heard.first is not None
    assert heard.first <= 1.1 * soonest(measured, frames) + 0.001
    assert heard.gaps == []


@cases
@given(factor=st.floats(2.3, 6.0), frames=st.integers(30, 150))
def test_a_take_is_held_back_for_just_as_long_as_it_takes(factor: float, frames: int) -> None:
    """On a machine that is slower than speech: the tightest window is there by no more than its
    margin before its time."""
    measured = ZEN3.scaled(factor)
    made = machine(measured)
    (heard,) = made.run([Asked(0.0, (frames,))])
    assert heard.gaps == []
    assert heard.held > 0 or frames < 3 * SIZES[-1], "one that is short can be made in ever less"
    assert not heard.held or heard.spare <= margin(measured.seconds(SIZES[-1])) + 1e-6
    assert made.notices == (heard.held > 0.05)


def test_later_clauses_wait_in_the_pauses_between_them() -> None:
    made = machine(ZEN3.scaled(3.0))
    (heard,) = made.run([Asked(0.0, (70, 70, 70))])
    assert heard.held > 0.05
    assert made.notices == 1
    assert heard.paused_at == [70, 140]


@pytest.mark.parametrize("factor", [0.2, 0.5, 1.0, 1.2])
def test_a_machine_that_is_a_third_slower_than_measured_is_found_out(factor: float) -> None:
    """Two windows show it; it is late by what is behind until then, and never again."""
    measured = ZEN3.scaled(factor)
    (heard,) = machine(measured, measured.scaled(1.35)).run([Asked(0.0, (60, 60, 60))])
    assert sum(heard.gaps) < 0.2
    assert max(heard.paused_at, default=0) < 30


def test_a_newcomer_is_served_before_later_windows_unless_somebody_would_run_dry() -> None:
    terms = terms_of(ZEN3.scaled(0.4))
    rich = Standing(0, 0.0, ready(100), deadline=2.0, made=3)
    new = Standing(1, 0.0, ready(50))
    assert decide([rich, new], terms, 0.0) == Go(1, 2)
    poor = Standing(0, 0.0, ready(100), deadline=0.12, made=3)
    assert order(decide([poor, new], terms, 0.0)) == 0


def test_nobody_waits_longer_than_patience_for_a_first_window() -> None:
    """Not even where there is too much to do: all the others are late then."""
    terms = terms_of(ZEN3)
    late = [Standing(n, 0.0, ready(100), deadline=9.0, made=3) for n in range(4)]
    new = Standing(9, 10.0, ready(50))
    before, after = 10.0 + PATIENCE_S - 0.01, 10.0 + PATIENCE_S
    assert order(decide([*late[:1], new], terms, before)) == 0
    assert order(decide([*late, new], terms, after)) == 9


def test_first_windows_are_made_in_the_order_of_arrival() -> None:
    made = machine(ZEN3.scaled(0.2))
    heard = made.run([Asked(0.0, (60,)) for _ in range(5)])
    firsts = [take.first for take in heard if take.first is not None]
    assert firsts == sorted(firsts)
    assert gaps(heard) == []


def test_takes_alike_are_served_alike() -> None:
    heard = machine(ZEN3.scaled(0.3)).run([Asked(0.0, (80, 80)) for _ in range(4)])
    spares = [take.spare for take in heard]
    assert min(spares) > 0
    assert max(take.first or inf for take in heard) < 1.0


def test_it_waits_for_frames_while_there_is_time() -> None:
    terms = terms_of(ZEN3.scaled(0.3))
    short = Standing(0, 0.0, ready(6, more=True), deadline=1.0, made=2)
    choice = decide([short], terms, 0.0)
    assert isinstance(choice, Wait)
    assert choice.until is not None
    assert 0.5 < choice.until < 1.0
    assert decide([short], terms, choice.until) == Go(0, 6)
    assert order(decide([short, Standing(1, 0.0, ready(4, more=True))], terms, 0.0)) == 1


def test_a_first_window_waits_for_its_frames() -> None:
    terms = terms_of(ZEN3.scaled(0.5))
    assert decide([Standing(0, 0.0, ready(1, more=True))], terms, 0.0) == Wait()
    assert decide([Standing(0, 0.0, ready(1), ended=True)], terms, 0.0) == Go(0, 1)


def test_what_is_not_wanted_is_not_made() -> None:
    terms = terms_of(ZEN3)
    paused = Standing(0, 0.0, ready(50), deadline=-100.0, wanted=False, made=3)
    assert decide([paused], terms, 0.0) == Wait()
    assert order(decide([paused, Standing(1, 0.0, ready(50))], terms, 0.0)) == 1


def test_sound_that_is_copied_is_no_load() -> None:
    terms = terms_of(ZEN3.scaled(1.5))
    copies = [Standing(n, 0.0, ready(50, work=0.0), 1.0, made=2) for n in range(5)]
    assert decide([*copies, Standing(9, 0.0, ready(50))], terms, 0.0) == Go(9, 6)


@pytest.mark.parametrize(
    ("factor", "plan"),
    [(0.3, (2, 10, 20)), (1.0, (2, 4, 6, 10, 16, 20)), (0.7, (2, 4, 10, 20))],
)
def test_a_ramp_is_as_steep_as_costs_allow(factor: float, plan: tuple[int, ...]) -> None:
    assert ramp(terms_of(ZEN3.scaled(factor))) == plan


def test_four_then_ten_where_ten_are_made_while_four_play() -> None:
    """Frames of 80 ms: 320 ms of the first window."""
    sizes = (4, 6, 10)
    for cost, plan in ((0.25, (4, 10)), (0.29, (4, 10)), (0.30, (4, 6, 10)), (0.37, (4, 6, 10))):
        table = WindowCosts(tuple((size, cost * size / 10) for size in sizes))
        assert ramp(Terms.of(sizes, LearntCosts(table), 0.08)) == plan


def test_a_fixed_plan_is_held_back_by_its_gap() -> None:
    """The gap that 4, then 10 had on this machine: the cost of ten frames less four frames."""
    assert hold_of((4, 10), terms_of(ZEN3), 1.0, 60) == pytest.approx(0.366 - 0.3)
    heard = machine(ZEN3, plan=(4, 10)).run([Asked(0.0, (100,))])
    assert heard[0].sizes[:3] == [4, 10, 10]
    assert heard[0].gaps == []
    assert heard[0].first == pytest.approx(0.2 + 0.066)


def test_a_fixed_plan_follows_no_load() -> None:
    takes = [Asked(0.1 * n, (64,)) for n in range(5)]
    for factor in (0.1, 0.5, 1.0):
        for take in machine(ZEN3.scaled(factor), plan=(4, 6, 10)).run(takes):
            assert take.sizes == [4, 6, *[10] * 5, 4]


@cases
@given(load=st.floats(1, 8), factor=st.floats(0.05, 1.5))
def test_need_grows_with_what_is_left_until_it_keeps_up(load: float, factor: float) -> None:
    links = chain(terms_of(ZEN3.scaled(factor)), load)
    if links.steady is None:
        assert links.need(400, ended=True) >= links.need(300, ended=True) > 0
    else:
        assert links.need(400, ended=False) == links.need(300, ended=False)
        assert links.need(20, ended=True) <= links.need(20, ended=False)


def test_a_decision_takes_less_than_a_millisecond() -> None:
    """The least of several tries: other work shares the machine."""
    terms = terms_of(ZEN3.scaled(0.15))
    takes = [Standing(n, 0.0, ready(40 + n), 1.0 + n / 5, made=3) for n in range(7)]
    takes.append(Standing(8, 0.0, ready(50)))
    assert fastest(lambda: decide(takes, terms, 0.0)) < 0.001


def fastest(call: Callable[[], object]) -> float:
    times = []
    for _ in range(30):
        begun = time.thread_time()
        call()
        times.append(time.thread_time() - begun)
    return min(times)


def terms_of(measured: WindowCosts) -> Terms:
    return Terms.of(SIZES, LearntCosts(measured), FRAME_S)


def ready(frames: int, *, more: bool = False, work: float = 1.0) -> Ready:
    return Ready(0, frames, more, (), work)


def order(choice: Go | Wait) -> int | None:
    return choice.order if isinstance(choice, Go) else None
