"""Counters and their snapshot."""

from __future__ import annotations

from voice_server.delivery.stats import DeliveryCounters, Histogram, HistogramSnapshot


def test_a_value_on_a_bound_counts_under_it() -> None:
    histogram = Histogram((1.0, 2.0))
    for value in (0.5, 1.0, 1.5, 2.0, 2.5):
        histogram.observe(value)
    assert histogram.snapshot() == HistogramSnapshot((1.0, 2.0), (2, 2, 1), 7.5)


def test_a_snapshot_does_not_change_with_the_counters() -> None:
    counters = DeliveryCounters()
    before = counters.snapshot()
    counters.wrote(100, 0.004, 0.5)
    counters.starved((0.1, 0.2))
    after = counters.snapshot()
    assert (before.packets, after.packets, after.audio_bytes) == (0, 1, 100)
    assert (after.server_underruns, after.server_underrun_s) == (1, 0.5)
    assert (after.player_underruns, round(after.player_underrun_s, 6)) == (2, 0.3)
    assert sum(before.lateness.counts) == 0
    assert after.lateness.counts[2] == 1
