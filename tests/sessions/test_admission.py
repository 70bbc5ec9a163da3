"""Slots are never more than the capacity, nobody is lost, and sessions take turns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.admission import Admission, Ticket
from sessions.errors import Busy


def ticket(session: str, take: int) -> Ticket:
    return Ticket(session, f"{session}{take}")


def test_waiting_sessions_are_served_in_turn() -> None:
    admission = Admission(capacity=1, queued=10)
    assert admission.ask(ticket("a", 0)) == 0
    for take in (1, 2, 3):
        admission.ask(ticket("a", take))
    assert admission.ask(ticket("b", 1)) == 2
    served = []
    now = ticket("a", 0)
    while following := admission.release(now):
        (now,) = following
        served.append(now.take_id)
    assert served == ["a1", "b1", "a2", "a3"]
    admission.check_integrity()


def test_beyond_the_queue_it_is_busy_and_holds_nothing() -> None:
    admission = Admission(capacity=1, queued=1)
    admission.ask(ticket("a", 0))
    admission.ask(ticket("a", 1))
    with pytest.raises(Busy, match="1 takes are being spoken and 1 wait"):
        admission.ask(ticket("b", 0))
    assert admission.release(ticket("a", 1)) == []
    assert admission.release(ticket("a", 0)) == []
    admission.check_integrity()


@given(
    capacity=st.integers(1, 4),
    queued=st.integers(0, 6),
    moves=st.lists(st.tuples(st.sampled_from("abc"), st.booleans(), st.integers(0, 9))),
)
def test_any_order_of_asking_and_releasing_balances(
    capacity: int, queued: int, moves: list[tuple[str, bool, int]]
) -> None:
    admission = Admission(capacity, queued)
    running: list[Ticket] = []
    waiting: list[Ticket] = []
    for number, (session, asks, which) in enumerate(moves):
        if asks:
            new = ticket(session, number)
            try:
                place = admission.ask(new)
            except Busy:
                assert len(running) == capacity
                assert len(waiting) == queued
                continue
            assert 0 <= place <= len(waiting) + 1
            (waiting if place else running).append(new)
        elif running or waiting:
            gone = (running + waiting)[which % len(running + waiting)]
            (running if gone in running else waiting).remove(gone)
            for admitted in admission.release(gone):
                waiting.remove(admitted)
                running.append(admitted)
        assert (admission.running, admission.waiting) == (len(running), len(waiting))
        assert len(running) <= capacity
        assert not waiting or len(running) == capacity


@given(sessions=st.lists(st.sampled_from("abcd"), min_size=1, max_size=12))
def test_the_place_told_is_the_turn_it_gets_when_nobody_else_comes(sessions: list[str]) -> None:
    admission = Admission(capacity=1, queued=20)
    now = ticket("z", 0)
    admission.ask(now)
    for number, session in enumerate(sessions[:-1]):
        admission.ask(ticket(session, number))
    last = ticket(sessions[-1], 99)
    place = admission.ask(last)
    ahead = admission.ahead(last)
    served = []
    while now != last:
        (now,) = admission.release(now)
        served.append(now)
    assert served == [*ahead, last]
    assert len(served) == place
