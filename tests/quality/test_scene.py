"""Two minutes of a scene: what an hour is asked of, as far as they can tell.

A shorter run of `python -m benchmarks.scene`; docs/measuring.md says what the figures mean. How
fast this machine makes it is left to that command; that a player never starves where it is made in
time is shown in virtual time, in tests/voice_server/delivery/test_starving.py.
"""

import pytest

MINUTES = 2.0
#: Of what is asked of an hour, these tell of the machine.
SPEED = {"underruns once started", "real-time factor"}

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def run():
    """Imported here, since only the long tests have the speaker encoder."""
    from benchmarks.scene.__main__ import measure

    return measure(MINUTES, [], 1, lambda step: None)


def test_every_line_is_heard_once_and_in_order(run):
    assert run.in_order
    assert run.lines > 20
    assert run.heard_s == pytest.approx(60 * MINUTES, rel=0.15)
    # A slow machine says that it holds takes back or has them wait, and loses none of them.
    slow = ("held_back", "queued")
    assert not [told for told in run.warnings if not any(code in told for code in slow)]


def test_no_moment_is_lost_between_what_is_heard_and_what_is_told_as_a_gap(run):
    """Whether it starves for long, as on a slow machine, or never."""
    starved = sum(gap.seconds for gap in run.gaps)
    assert run.first_s + run.heard_s + starved >= run.wall_s
    late = [gap for gap in run.gaps if gap.line > 0]
    assert bool(late) == (run.least_lead_s < 0)
    # What is told of a line lies between its first sound and its last, rounded to microseconds.
    assert 0 <= run.told_s <= run.took_s + 0.001 * run.lines


def test_characters_have_voices_of_their_own_and_keep_them(run):
    assert len(set(run.cast.values())) == len(run.cast) == 4
    assert len(run.likeness) == 4
    for row in run.likeness:
        assert row.nearest == row.last, row
        assert row.to_first > row.to_others + 0.1, row


def test_nothing_that_was_asked_is_missed(run):
    """What two minutes can't tell, such as growth after five, is left open."""
    missed = {goal.what for goal in run.goals if goal.met is False}
    assert not missed - SPEED


def test_memory_does_not_grow_with_sound(run):
    """An hour is held to less; buffers of all sizes are still had for the first time here."""
    later = [one.rss_mib for one in run.memory if one.heard_s > 60]
    assert later[-1] - later[0] < 64
