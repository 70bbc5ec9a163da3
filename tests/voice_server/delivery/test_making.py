"""First audio and the real-time factor count from the command read; rests are left out of one."""

from __future__ import annotations

import pytest

from sessions.events import Making
from voice_server.delivery.making import MakingClock
from voice_server.wire.messages import Made

RATE = 24_000
ASKED = Making(5.0)


def test_resting_for_want_of_credit_is_left_out() -> None:
    clock = MakingClock()
    clock.credited(RATE, 5.0)
    clock.made(RATE // 2, 5.2)
    clock.made(RATE, 5.4)
    clock.made(RATE + 1, 5.5)
    clock.credited(RATE + 1, 8.0)
    clock.credited(3 * RATE, 9.4)
    clock.made(2 * RATE, 9.8)
    clock.finished(9.8)
    assert clock.rtf(ASKED, RATE) == pytest.approx((9.8 - 5.0 - 4.0) / 2)


def test_without_credit_all_of_the_time_counts() -> None:
    clock = MakingClock()
    clock.made(RATE, 6.0)
    clock.made(2 * RATE, 7.0)
    clock.finished(7.0)
    assert clock.rtf(ASKED, RATE) == 1.0


def test_a_wait_in_the_queue_is_no_rest() -> None:
    clock = MakingClock()
    clock.credited(RATE, 5.0)
    clock.made(RATE // 2, 8.5)
    clock.offered(8.5)
    clock.finished(8.5)
    queued = Making(5.0, queued_s=3.0)
    assert clock.rtf(queued, RATE) == 7.0
    assert clock.first_audio_ms(queued, 8.6) == 3_600.0


def test_how_a_take_was_made_is_told_from_the_command_read() -> None:
    clock = MakingClock()
    clock.made(RATE, 5.5)
    clock.offered(5.5)
    clock.offered(5.7)
    making = Making(5.0, began_at=5.3, windows=(4, 10))
    assert clock.told(making, 5.75) == Made(300.0, (4, 10), 250.0)


def test_a_take_that_is_heard_in_its_turn_counts_to_its_first_packet_made() -> None:
    clock = MakingClock()
    clock.made(RATE, 5.5)
    clock.offered(5.5)
    assert clock.first_audio_ms(ASKED, None) == 500.0
    assert clock.told(ASKED, None) == Made(None, (), None)


def test_a_take_without_sound_has_none_of_it() -> None:
    clock = MakingClock()
    clock.finished(6.0)
    assert clock.rtf(ASKED, RATE) is None
    assert clock.first_audio_ms(ASKED, None) is None
    assert clock.told(ASKED, None) is None
