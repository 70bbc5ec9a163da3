"""The table of takes is whole: no dead end but the ends, and every take can be cancelled."""

from __future__ import annotations

import pytest

from sessions.errors import WrongState
from sessions.states import OVER, TRANSITIONS, Happening, TakeState, after


def test_every_state_but_the_ends_can_be_cancelled() -> None:
    assert {state for state in TakeState if (state, Happening.CANCEL) in TRANSITIONS} == (
        set(TakeState) - OVER
    )


def test_nothing_happens_to_a_take_that_is_over() -> None:
    assert not OVER & {state for state, _ in TRANSITIONS}


def test_every_state_is_reached_from_the_two_beginnings() -> None:
    seen = {TakeState.QUEUED_OPEN, TakeState.QUEUED}
    for _ in TakeState:
        seen |= {TRANSITIONS[key] for key in TRANSITIONS if key[0] in seen}
    assert seen == set(TakeState)


def test_what_the_table_has_not_is_refused_in_words() -> None:
    with pytest.raises(WrongState, match="the take is being spoken: it can't append now"):
        after(TakeState.SPEAKING, Happening.APPEND)
