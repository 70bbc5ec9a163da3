from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
import torch

from engine.families.qwen3_omni import talker as talker_module
from engine.families.qwen3_omni.graphs import Call
from engine.families.qwen3_omni.prompt import Text
from engine.families.qwen3_omni.sampling import GREEDY
from engine.families.qwen3_omni.talker import Talker
from engine.families.qwen3_omni.talker_steps import _next, _sizes
from tests.engine.families.qwen3_omni.reference import (
    codes_in,
    opening,
    talker_model,
)
from tests.engine.families.qwen3_omni.talking import (
    LIKELIEST,
    WARM,
    alone,
    alone_of,
    driven,
    expected_of,
    say,
    together,
)


@pytest.mark.parametrize(
    ("rows", "joins", "dtype"),
    [(1, 1, torch.float64), (3, 2, torch.float64), (8, 8, torch.float64), (3, 1, torch.float32)],
)
def test_the_likeliest_codes_are_those_of_generate_whatever_shares_the_batch(
    rows: int, joins: int, dtype: torch.dtype
) -> None:
    cases = [opening(seed, LIKELIEST, dtype) for seed in range(6)]
    talker = Talker(talker_model(dtype), rows, joins)
    run = together(talker, cases, random.Random(rows))
    for at in range(len(cases)):
        expected = expected_of(at, dtype)
        np.testing.assert_array_equal(codes_in(run.items(str(at)))[:20], expected)
        assert run.finished(str(at))
    assert talker.free() == joins


@pytest.mark.parametrize("steady", [False, True])
def test_steps_of_the_sizes_that_are_captured_make_the_same(
    steady: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a capture that only counts: the steps are wider and longer than what is wanted."""
    captured, run_again = list[Call](), list[Call]()

    def capture(call: Call) -> Call:
        captured.append(call)
        return lambda: (run_again.append(call), call())[1]

    monkeypatch.setattr(talker_module, "capturing", lambda device: capture)
    cases = [opening(seed, LIKELIEST) for seed in range(6)]
    talker = Talker(talker_model(), 6, steady=steady)
    run = together(talker, cases, random.Random(1))
    for at in range(len(cases)):
        expected = expected_of(at, torch.float64)
        np.testing.assert_array_equal(codes_in(run.items(str(at)))[:20], expected)
    assert len(captured) == (1 if steady else len([1, 2, 4, 6]))
    assert set(run_again) == set(captured)


class Ahead(Talker):
    """Launches a step before the last is collected, as on a device."""

    def looks_ahead(self) -> bool:
        return True


def test_looking_ahead_changes_nothing_while_rows_come_go_and_move() -> None:
    cases = [opening(seed, WARM) for seed in range(6)]
    talker = Ahead(talker_model(), 3, 2)
    run = together(talker, cases, random.Random(4), aborted={"2", "5"})
    for at in range(6):
        made, whole = codes_in(run.items(str(at))), alone_of(at, WARM)
        np.testing.assert_array_equal(made, whole[: len(made)])
        assert run.finished(str(at)) == (len(made) == len(whole)) == (at not in (2, 5))
    assert talker.free() == 2


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_what_is_drawn_for_a_request_is_its_own_whatever_shares_the_batch(
    dtype: torch.dtype,
) -> None:
    """To the last bit: in single precision, or half, another rounding would draw other codes."""
    samplings = [WARM, replace(WARM, temperature=2.0, top_k=64), GREEDY, replace(WARM, top_p=0.3)]
    cases = [opening(seed, samplings[seed % 4], dtype) for seed in range(4)]
    expected = [alone_of(seed, samplings[seed % 4], dtype) for seed in range(4)]
    for rows in (2, 4):
        run = together(Talker(talker_model(dtype), rows), cases, random.Random(rows))
        for at, codes in enumerate(expected):
            np.testing.assert_array_equal(codes_in(run.items(str(at))), codes)


def test_who_waits_for_text_holds_up_nobody() -> None:
    run = driven(Talker(talker_model(), 2))
    first, rest = opening(5)
    run.open("slow")
    run.push("slow", [replace(first, text=Text(first.text.embeds[:1], "a"))])
    run.run()
    assert run.items("slow") == []
    say(run, "fast", *opening(2))
    run.run()
    assert run.finished("fast")
    assert not run.finished("slow")
    run.push("slow", [Text(torch.cat((first.text.embeds[1:], rest.embeds)), "b")])
    run.end("slow")
    run.run()
    np.testing.assert_array_equal(codes_in(run.items("slow")), alone((first, rest)))


def test_a_step_is_of_the_next_size_that_was_captured() -> None:
    assert _sizes(1, 48) == [1, 2, 4, 8, 16, 32, 48]
    assert [_next(_sizes(1, 48), wanted) for wanted in (1, 2, 3, 33, 48)] == [1, 2, 4, 48, 48]
    assert _sizes(256, 200) == [200]
