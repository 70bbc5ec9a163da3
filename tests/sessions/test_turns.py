"""How long a take waits is told by what earlier takes needed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.admission import Admission, Ticket
from sessions.turns import Turns


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def ticket(number: int, chars: int) -> Ticket:
    return Ticket("s", f"take_{number}", chars)


def taught(clock: Clock, seconds: float = 10.0, chars: int = 100) -> Turns:
    """Knows of one take."""
    turns = Turns(clock)
    turns.began(ticket(0, chars))
    clock.now += seconds
    turns.ended(ticket(0, chars), whole=True)
    return turns


def test_nothing_is_told_before_a_take_was_made() -> None:
    clock = Clock()
    turns = Turns(clock)
    turns.began(ticket(1, 10))
    assert turns.wait_s(()) is None
    clock.now = 5.0
    turns.ended(ticket(1, 10), whole=False)
    turns.began(ticket(2, 0))
    turns.ended(ticket(2, 0), whole=True)
    turns.began(ticket(3, 10))
    assert turns.wait_s(()) is None
    turns.ended(ticket(3, 10), whole=True)
    turns.check_integrity()


def test_the_latest_takes_count_for_more() -> None:
    clock = Clock()
    turns = taught(clock)
    for number in range(1, 30):
        turns.began(ticket(number, 100))
        clock.now += 20.0
        turns.ended(ticket(number, 100), whole=True)
    turns.began(ticket(99, 100))
    assert turns.wait_s(()) == pytest.approx(20.0, rel=0.01)


def test_a_take_that_lasts_longer_than_it_should_is_about_to_end() -> None:
    clock = Clock()
    turns = taught(clock)
    turns.began(ticket(1, 10))
    clock.now += 60.0
    assert turns.wait_s(()) == 0.0
    assert turns.wait_s([ticket(2, 50)]) == pytest.approx(5.0)


@given(
    running=st.lists(st.integers(1, 400), min_size=1, max_size=4),
    waiting=st.lists(st.integers(1, 400), max_size=12),
    sessions=st.lists(st.sampled_from("abc"), min_size=13, max_size=13),
)
def test_it_is_the_time_at_which_the_take_starts_where_all_last_as_told(
    running: list[int], waiting: list[int], sessions: list[str]
) -> None:
    clock = Clock()
    turns = taught(clock)
    admission = Admission(len(running), 20)
    ends: dict[Ticket, float] = {}

    def start(one: Ticket) -> None:
        turns.began(one)
        ends[one] = clock.now + one.chars / 10

    for number, chars in enumerate(running, 1):
        one = Ticket("r", f"take_{number}", chars)
        assert admission.ask(one) == 0
        start(one)
    for number, chars in enumerate(waiting, 100):
        admission.ask(Ticket(sessions[number - 100], f"take_{number}", chars))
    last = Ticket(sessions[-1], "last", 1)
    admission.ask(last)
    told = turns.wait_s(admission.ahead(last))
    asked_at = clock.now
    while last not in ends:
        over = min(ends, key=lambda one: ends[one])
        clock.now = ends.pop(over)
        turns.ended(over, whole=True)
        for admitted in admission.release(over):
            start(admitted)
    assert clock.now - asked_at == pytest.approx(told)
