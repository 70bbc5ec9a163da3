"""What a listener reports: how far they got, where they waited, and that they stand still."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.commands import Underrun
from voice_server.client.listener import Listener

RATE = 24_000
LEAD = RATE // 2


def listener() -> Listener:
    return Listener("t1", RATE, LEAD)


def test_first_sound_is_reported_so_that_the_server_knows_who_counts() -> None:
    one = listener()
    assert one.report(over=False) is None
    one.arrive(480, 0.0)
    report = one.report(over=False)
    assert report is not None
    assert (report.take_id, report.played_ms, report.id) == ("t1", 0.0, "t1")
    assert one.report(over=False) is None


def test_a_quarter_of_the_lead_is_a_report() -> None:
    one = listener()
    one.arrive(LEAD, 0.0)
    assert one.report(over=False) is not None
    one.take(LEAD // 4 - 1, 0.0)
    assert one.report(over=False) is None
    one.take(1, 0.0)
    report = one.report(over=False)
    assert report is not None
    assert report.played_ms == 125.0


def test_a_listener_who_stands_still_says_so_once() -> None:
    one = listener()
    one.arrive(480, 0.0)
    first = one.report(over=False)
    one.arrive(LEAD, 0.1)
    still = one.report(over=False)
    assert first is not None
    assert still is not None
    assert first.played_ms == still.played_ms == 0.0
    one.arrive(LEAD, 0.2)
    assert one.report(over=False) is None


def test_the_end_is_reported_once_all_is_played() -> None:
    one = listener()
    one.arrive(960, 0.0)
    one.take(480, 0.0)
    assert one.report(over=True) is not None
    one.take(480, 0.0)
    report = one.report(over=True)
    assert report is not None
    assert report.played_ms == 40.0
    assert one.report(over=True) is None


def test_waiting_after_all_sound_has_ended_is_an_underrun() -> None:
    one = listener()
    one.arrive(2400, 10.0)
    one.take(2400, 10.0)
    one.arrive(2400, 10.35)
    report = one.report(over=False)
    assert report is not None
    assert report.underruns == (Underrun(100.0, 250.0),)
    assert one.starvation.longest_s == pytest.approx(0.25)


def test_a_slow_listener_has_no_underrun() -> None:
    """Sound lay there all the time; that it was not taken is nobody's fault."""
    one = listener()
    one.arrive(2400, 0.0)
    one.take(1200, 0.0)
    one.arrive(2400, 5.0)
    report = one.report(over=False)
    assert report is not None
    assert report.underruns == ()


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 4800), st.booleans()), max_size=30))
def test_underruns_fit_into_the_time_that_passed(
    steps: list[tuple[float, int, bool]],
) -> None:
    """Whatever comes when: gaps and played sound together last no longer than the clock says."""
    one, now, gaps = listener(), 0.0, 0.0
    for wait, samples, takes in steps:
        now += wait
        one.arrive(samples, now)
        if takes:
            one.take(one.arrived - one.played, now)
        report = one.report(over=False)
        gaps += sum(gap.ms for gap in report.underruns) if report else 0.0
        assert one.played <= one.arrived
    assert gaps <= 1000 * now + 0.1
