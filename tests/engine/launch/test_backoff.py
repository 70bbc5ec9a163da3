from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.launch.backoff import FIRST_WAIT_S, LASTED_S, LONGEST_WAIT_S, Backoff


def test_what_does_not_last_waits_twice_as_long_each_time() -> None:
    backoff = Backoff()
    waits = [backoff.next(1.0) for _ in range(9)]
    assert waits == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0]


@given(st.lists(st.floats(0, LASTED_S)), st.floats(LASTED_S + 1, 1e6))
def test_after_a_life_that_lasted_the_wait_is_the_first_again(
    before: list[float], lived: float
) -> None:
    backoff = Backoff()
    for life in before:
        assert FIRST_WAIT_S <= backoff.next(life) <= LONGEST_WAIT_S
    assert backoff.next(lived) == FIRST_WAIT_S
