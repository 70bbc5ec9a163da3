"""Two minutes of a scene: what an hour is asked of, as far as they can tell.

A shorter run of `python -m benchmarks.scene`; docs/measuring.md says what the figures mean.
"""

import pytest

MINUTES = 2.0

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
    assert not run.warnings


def test_a_player_never_starves_once_it_is_ahead(run):
    """At first it is ahead by one window of 300 ms, and while a machine does other things as well
    the second may take longer than that."""
    assert all(gap.line == 0 and gap.seconds < 0.25 for gap in run.gaps), run.gaps
    assert run.least_lead_s > 1
    assert run.rtf < 1


def test_characters_have_voices_of_their_own_and_keep_them(run):
    assert len(set(run.cast.values())) == len(run.cast) == 4
    assert len(run.likeness) == 4
    for row in run.likeness:
        assert row.nearest == row.last, row
        assert row.to_first > row.to_others + 0.1, row


def test_nothing_that_was_asked_is_missed(run):
    """What two minutes can't tell, such as growth after five, is left open."""
    missed = [goal.what for goal in run.goals if goal.met is False]
    assert set(missed) <= {"underruns once started"}


def test_memory_does_not_grow_with_sound(run):
    """An hour is held to less; buffers of all sizes are still had for the first time here."""
    later = [one.rss_mib for one in run.memory if one.heard_s > 60]
    assert later[-1] - later[0] < 64
