"""The figures of many clients at once mean what docs/measuring.md says."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.scoring import Arrival, Heard, Refused
from benchmarks.serving.checkpoint import write
from benchmarks.serving.clients import SHARES, Level, story
from benchmarks.serving.summary import TO_BEAT, goals, row
from benchmarks.serving.takes import Talking
from engine.families.qwen3_omni.config import Qwen3OmniConfig
from engine.families.qwen3_omni.frames import FRAME, LATE

RATE = 24_000


def take(first_s: float, frames: int, last_s: float) -> Heard:
    """Of two packets, the first of them a second long."""
    arrivals = (Arrival(first_s, RATE), Arrival(last_s, FRAME * frames - LATE))
    return Heard(arrivals, RATE, 0)


def level(*outcomes: Heard | Refused, clients: int = 2) -> Level:
    return Level(clients, 10.0, 0.5, 1.5, list(outcomes))


def test_a_row_is_of_all_takes_that_were_heard_out() -> None:
    made = row(level(take(0.1, 100, 1.0), take(0.3, 150, 3.0), Refused("full"), Refused("full")))
    assert made.figures is not None
    assert made.figures.frames_s == 25
    assert made.figures.first_p50_ms == pytest.approx(200)
    assert made.figures.first_p95_ms == pytest.approx(300)
    assert made.figures.rtf == pytest.approx((1 / 7.977 + 3 / 11.977) / 2, abs=1e-4)
    assert made.c0 == 0.5
    assert made.longest_ms == pytest.approx(1700)
    assert made.refused == {"full": 2}


def test_a_level_at_which_nothing_was_heard_is_told_as_that() -> None:
    made = row(level(Refused("gone"), clients=1))
    assert (made.figures, made.c0, made.longest_ms, made.takes) == (None, None, None, 0)
    assert [(goal.measured, goal.met) for goal in goals([made], True)] == [("nothing heard", False)]


@pytest.mark.parametrize("column", ["frames_s", "first_p50_ms", "first_p95_ms", "rtf"])
def test_every_column_of_a_row_has_to_be_beaten(column: str) -> None:
    wanted = TO_BEAT[1]
    better = replace(wanted, frames_s=300, first_p50_ms=1, first_p95_ms=1, rtf=0.1)
    made = replace(row(level()), clients=2)
    assert [goal.met for goal in goals([replace(made, figures=better)], True)] == [True]
    worse = replace(better, **{column: getattr(wanted, column)})
    assert [goal.met for goal in goals([replace(made, figures=worse)], True)] == [False]
    assert [goal.met for goal in goals([replace(made, figures=better)], False)] == [None]
    refused = replace(made, figures=better, refused={"full": 1})
    assert [goal.met for goal in goals([refused], True)] == [False]


def test_takes_say_something_else_each_and_are_as_long_as_asked() -> None:
    told = [story(number, 150) for number in range(56)]
    assert [len(text) for text in told[:7]] == [round(150 * share) for share in SHARES]
    assert max(Counter(told).values()) == 1
    assert all(text.endswith(".") and text.count(".") == 1 for text in told)


def test_takes_without_the_server_are_those_of_their_seed_alone(tmp_path: Path) -> None:
    model = write("tiny", tmp_path / "tiny")
    config = Qwen3OmniConfig(model=str(model), dtype="float32", slots=3, positions=128)
    talking = Talking(config, "cpu")
    together = talking.takes(range(4))  # more than there are rows
    assert all(len(codes) for codes in together)
    np.testing.assert_array_equal(talking.takes([3])[0], together[3])
