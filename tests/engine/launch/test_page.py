"""What a process tells of itself arrives as it was, the costs of its windows too."""

from __future__ import annotations

import os

from engine.costs import WindowCosts
from engine.launch.page import Page
from engine.messages import StageAddress
from engine.stats import StageStats, WindowStats

TALKER, VOCODER = StageAddress("talker", 0), StageAddress("code2wav", 0)
COSTS = WindowCosts(((2, 0.05), (10, 0.15), (20, 0.3)))


def windows(factor: float) -> WindowStats:
    return WindowStats(COSTS, factor, (2, 10, 20), None, 0.075)


def stats(address: StageAddress, busy: float, made: WindowStats | None) -> StageStats:
    return StageStats(address, 1, 64, 0, True, busy, 3, 4, 1, 2, made)


def test_a_reader_that_was_told_the_costs_sees_the_factor_change() -> None:
    descriptor = Page.make(2)
    process, reader = (Page(descriptor, (TALKER, VOCODER)) for _ in range(2))
    os.close(descriptor)
    reader.know({VOCODER: windows(1.0)})
    told = stats(TALKER, 0.5, None), stats(VOCODER, 1.5, windows(1.75))
    for one in told:
        process.publish(one)
    assert reader.stats() == told


def test_a_copy_on_another_host_has_it_too() -> None:
    pages = []
    for _ in range(2):
        descriptor = Page.make(1)
        pages.append(Page(descriptor, (VOCODER,)))
        os.close(descriptor)
    process, copy = pages
    copy.know({VOCODER: windows(1.0)})
    process.publish(stats(VOCODER, 1.5, windows(2.0)))
    copy.write(process.read())
    assert copy.stats() == (stats(VOCODER, 1.5, windows(2.0)),)


def test_the_load_is_that_of_the_largest_windows_in_force() -> None:
    assert windows(2.0).load == 2.0 * 0.3 / 1.5
    planned = WindowStats(COSTS, 1.0, (2, 10, 20), (2, 10), 0.075)
    assert planned.load == 0.15 / 0.75
