"""The real-time factor leaves out the time in which nobody wanted more sound."""

from __future__ import annotations

import pytest

from voice_server.delivery.making import MakingClock

RATE = 24_000


def test_resting_for_want_of_credit_is_left_out() -> None:
    clock = MakingClock(accepted_at=5.0)
    clock.credited(RATE, 5.0)
    clock.made(RATE // 2, 5.2)
    clock.made(RATE, 5.4)
    clock.made(RATE + 1, 5.5)
    clock.credited(RATE + 1, 8.0)
    clock.credited(3 * RATE, 9.4)
    clock.made(2 * RATE, 9.8)
    clock.finished(9.8)
    assert clock.rtf(RATE) == pytest.approx((9.8 - 5.0 - 4.0) / 2)


def test_without_credit_all_of_the_time_counts() -> None:
    clock = MakingClock(accepted_at=5.0)
    clock.made(RATE, 6.0)
    clock.made(2 * RATE, 7.0)
    clock.finished(7.0)
    assert clock.rtf(RATE) == 1.0


def test_a_take_without_sound_has_none() -> None:
    clock = MakingClock(accepted_at=5.0)
    clock.finished(6.0)
    assert clock.rtf(RATE) is None
