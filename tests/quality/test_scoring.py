"""The figures of the benchmarks mean what docs/measuring.md says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.first_audio import making, summary
from benchmarks.first_audio.rounds import Case, Round
from benchmarks.quality import joins
from benchmarks.scoring import Arrival, Heard, Refused, Told, continuity, median, percentile

RATE = 1000


def heard(*arrivals: tuple[float, int], queued: bool = False) -> Heard:
    return Heard(tuple(Arrival(*one) for one in arrivals), RATE, size=100, queued=queued)


def test_first_audio_and_rtf_count_from_the_request():
    take = heard((0.5, 100), (1.0, 2000))
    assert take.first_audio_s == 0.5
    assert take.duration_s == 2.0
    assert take.rtf == 0.5


def test_sound_that_is_there_in_time_is_no_underrun():
    assert heard((5.0, 100), (5.1, 200), (5.15, 300)).underrun_s == pytest.approx(0)


def test_an_underrun_moves_all_that_follows():
    """Sound ends at 1.1, the next comes at 1.4; then the player is 0.3 later, so 1.5 is in time."""
    take = heard((1.0, 100), (1.4, 200), (1.5, 300))
    assert take.underrun_s == pytest.approx(0.3)


def test_the_longest_underrun_counts():
    take = heard((0.0, 100), (0.15, 200), (0.5, 300), (0.62, 400))
    assert take.underrun_s == pytest.approx(0.25)


def test_a_take_of_one_packet_is_not_scored():
    assert heard((9.0, 100)).underrun_s is None
    assert continuity([heard((9.0, 100))], 0.05) is None
    assert continuity([heard((9.0, 100)), heard((0.0, 100), (0.3, 200))], 0.05) == 0


def test_what_the_server_told_stands_beside_what_was_measured():
    arrivals = tuple(Arrival(*one) for one in ((1.0, 100), (1.4, 200), (1.5, 300)))
    told = Told(0.95, 0.0, 0.5, (4, 6, 10, 10, 10, 3), 0.125)
    line = making.line(Heard(arrivals, RATE, size=100, told=told))
    assert line == (
        "first audio 1.000, told 0.950 (-0.050), F 0.500, plan 4 6 10×3 3, held 0.125, "
        "underruns 300 ms"
    )
    waited = Heard(arrivals[:1], RATE, size=100, told=Told(0.95, 0.4, None, (4,), None))
    assert making.line(waited) == (
        "first audio 1.000, told 0.950 (-0.050), queued 0.400, F –, plan 4, held –, underruns none"
    )
    assert making.line(heard((1.0, 100))) == "first audio 1.000, underruns none"


@given(st.lists(st.tuples(st.floats(0, 10), st.integers(1, 500)), min_size=2, max_size=20))
def test_the_player_is_late_by_at_least_its_longest_underrun(packets):
    at, until, arrivals = 0.0, 0, []
    for wait, samples in packets:
        at, until = at + wait, until + samples
        arrivals.append((at, until))
    take = heard(*arrivals)
    played_through = arrivals[-1][0] - arrivals[0][0] - arrivals[-2][1] / RATE
    assert take.underrun_s >= 0
    assert take.underrun_s <= at - arrivals[0][0] + 1e-9
    assert take.underrun_s * (len(packets) - 1) >= played_through - 1e-6


def test_percentiles_are_values_that_were_measured():
    values = [4.0, 1.0, 3.0, 2.0]
    assert percentile(values, 0.5) == 2
    assert percentile(values, 0.95) == 4
    assert median(values) == 2.5
    assert median(values[:3]) == 3


def rounds(first: dict[str, float], width: int = 1) -> list[Round]:
    case = Case("sentence", width)
    take = {name: heard((at, 100), (at, 2000)) for name, at in first.items()}
    return [Round(name, case, 0, (take[name],) * width, 0.5, 0.0) for name in first]


def test_goals_are_judged_by_the_peers_of_the_same_run():
    made = rounds({summary.OURS: 0.2, summary.WHOLE: 2.0, summary.STREAMING: 1.8})
    share, streaming, computing = summary.goals(made)
    assert (share.met, streaming.met, computing.met) == (True, True, True)
    assert share.measured.startswith("0.100")
    slow = rounds({summary.OURS: 0.4, summary.WHOLE: 2.0, summary.STREAMING: 0.3})
    assert [goal.met for goal in summary.goals(slow)] == [False, False, True]


def test_a_peer_that_did_not_run_leaves_its_goals_open():
    assert [goal.met for goal in summary.goals(rounds({summary.OURS: 0.2}))] == [None, None, True]


def test_refused_takes_are_told_and_not_averaged():
    outcomes = (heard((0.2, 100), (0.3, 200), queued=True), Refused("busy: try again later"))
    (row,) = summary.rows([Round("x", Case("sentence", 2), 0, outcomes, 1.0, 0.0)])
    assert (row.takes, row.refused, row.queued) == (2, 1, 1)
    assert row.first_audio_s is not None
    assert row.first_audio_s.most == 0.2


def tone(samples: int = 48_000) -> np.ndarray:
    noise = np.random.default_rng(3).normal(0, 0.02, samples)
    return (8000 * (np.sin(np.arange(samples) * 0.05) + noise)).astype(np.int16)


def test_a_join_without_a_step_is_like_any_other_place():
    found = joins.summed(list(joins.measured(tone(), range(3000, 45_000, 150))))
    assert found.over_p95 < 0.12
    assert found.worst <= 1.5


@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_a_step_at_a_join_is_found(offset):
    wave = tone()
    wave[24_000:] += 6000
    (join,) = joins.measured(wave, [24_000 + offset])
    assert join.of_most > 2
