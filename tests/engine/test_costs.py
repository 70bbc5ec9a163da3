from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.costs import LearntCosts, WindowCosts

TABLE = WindowCosts(((2, 0.14), (4, 0.2), (10, 0.38)))


@pytest.mark.parametrize(
    ("frames", "seconds"), [(2, 0.14), (3, 0.17), (7, 0.29), (10, 0.38), (20, 0.68), (1, 0.11)]
)
def test_costs_are_linear_between_windows_and_beyond(frames: int, seconds: float) -> None:
    assert TABLE.seconds(frames) == pytest.approx(seconds)


def test_costs_never_are_less_than_nothing() -> None:
    assert WindowCosts(((4, 0.01), (5, 0.1))).seconds(1) == 0.0


def test_a_line_through_all_windows() -> None:
    line = WindowCosts(tuple((n, 0.05 + 0.02 * n) for n in (2, 4, 10)))
    assert (line.fixed, line.per_frame) == (pytest.approx(0.05), pytest.approx(0.02))
    assert line.scaled(3).fixed == pytest.approx(0.15)
    assert line.load(0.075) == pytest.approx(0.25 / 0.75)
    assert WindowCosts(((4, 0.2),)).seconds(2) == pytest.approx(0.1)


@pytest.mark.parametrize("table", [(), ((4, 0.1), (2, 0.2)), ((4, 0.1), (4, 0.2)), ((1, -0.1),)])
def test_a_table_that_is_none_is_refused(table: tuple[tuple[int, float], ...]) -> None:
    with pytest.raises(ValueError, match="costs"):
        WindowCosts(table)


@settings(derandomize=True, deadline=None)
@given(factor=st.floats(0.3, 6))
def test_a_machine_that_is_slower_is_found_out_quickly(factor: float) -> None:
    learnt = LearntCosts(TABLE)
    for _ in range(6):
        learnt.observe(4, 1.0, factor * 0.2)
    assert learnt.factor == pytest.approx(max(factor, 1.0)), "slow at once, fast after a while"
    for _ in range(16):
        learnt.observe(10, 2.0, factor * 0.76)
    assert learnt.seconds(2) == pytest.approx(factor * 0.14, rel=0.01)


def test_one_window_that_was_held_up_changes_nothing() -> None:
    learnt = LearntCosts(TABLE)
    learnt.observe(4, 1.0, 0.2)
    learnt.observe(4, 1.0, 5.0)
    learnt.observe(4, 1.0, 0.2)
    assert learnt.factor == 1.0


def test_what_is_copied_says_nothing() -> None:
    learnt = LearntCosts(TABLE)
    for _ in range(5):
        learnt.observe(10, 0.0, 3.0)
    assert learnt.factor == 1.0


def test_no_window_says_more_than_eight_times() -> None:
    learnt = LearntCosts(TABLE)
    for _ in range(100):
        learnt.observe(4, 1.0, 1000.0)
    assert learnt.factor == pytest.approx(8.0)
