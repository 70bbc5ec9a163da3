from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.costs import WindowCosts
from engine.errors import StageFailed
from engine.messages import Error, Noticed, Result, StreamItem
from engine.schedulers.vocoder import VocoderScheduler
from engine.types import Pcm, RequestId
from tests.engine.arithmetic import FIRST, FRAME, LATER, RATE, Code2Wav, Watch, joined, sound_of
from tests.engine.schedulers.driving import Driven, job

FIRST_SAMPLES = FIRST * FRAME


def vocoder(watch: Watch, batch: int = 1, *, exact: bool = False) -> Driven:
    """With windows of FIRST, then LATER, unless it is exact."""
    runner = Code2Wav(watch, batch, exact=exact)
    return Driven(VocoderScheduler("code2wav", runner, RATE, FRAME))


def frames(count: int) -> list[int]:
    return list(range(1, count + 1))


def order(watch: Watch) -> list[tuple[RequestId, int]]:
    return watch.windows


def test_the_first_window_needs_no_credit_and_the_second_does(watch: Watch) -> None:
    driven = vocoder(watch)
    driven.open("a")
    driven.push("a", frames(40))
    driven.run()
    assert order(watch) == [("a", 0)]
    driven.credit("a", FIRST_SAMPLES)
    driven.run()
    assert order(watch) == [("a", 0)], "the second window starts at `until`, not before it"
    driven.credit("a", FIRST_SAMPLES + 1)
    driven.run()
    assert order(watch) == [("a", 0), ("a", FIRST_SAMPLES)]


def test_a_window_says_when_its_decoding_began(watch: Watch) -> None:
    driven = vocoder(watch)
    driven.open("a")
    driven.push("a", frames(FIRST + LATER))
    driven.credit("a", 10**6)
    for driven.now in (5.0, 6.5):
        driven.once()
    assert [pcm.began for pcm in driven.items("a") if isinstance(pcm, Pcm)] == [5.0, 6.5]


@given(until=st.integers(0, 2000), count=st.integers(0, 150))
def test_never_more_than_one_window_reaches_past_the_credit(until: int, count: int) -> None:
    driven = vocoder(Watch())
    driven.open("a")
    driven.credit("a", until)
    driven.push("a", frames(count))
    driven.end("a")
    driven.run()
    starts = [pcm.start for pcm in driven.items("a") if isinstance(pcm, Pcm)]
    assert all(start < until for start in starts if start)
    made = sum(len(pcm.samples) for pcm in driven.items("a") if isinstance(pcm, Pcm))
    assert made >= min(until, count * FRAME)
    assert driven.finished("a") == (made == count * FRAME)


def test_first_windows_go_before_later_ones(watch: Watch) -> None:
    driven = vocoder(watch)
    driven.open("old")
    driven.push("old", frames(60))
    driven.credit("old", 10**6, plays_at=-1000.0)
    driven.once()
    driven.open("new")
    driven.push("new", frames(10))
    driven.credit("new", 10**6, plays_at=5000.0)
    driven.once()
    assert order(watch) == [("old", 0), ("new", 0)]


def test_later_windows_go_by_playback_deadline(watch: Watch) -> None:
    driven = vocoder(watch)
    driven.open("late", "soon", "sooner")
    for name in ("late", "soon", "sooner"):
        driven.push(name, frames(40))
    driven.run()
    watch.windows.clear()
    driven.credit("late", 10**6, plays_at=100.0)
    driven.credit("soon", 10**6, plays_at=10.0)
    driven.credit("sooner", 10**6, plays_at=10.0 - LATER * FRAME / RATE)
    second, third = FIRST_SAMPLES, FIRST_SAMPLES + LATER * FRAME
    for _ in range(4):
        driven.once()
    assert order(watch) == [
        ("sooner", second),
        ("soon", second),
        ("sooner", third),
        ("soon", third),
    ]


def test_a_take_without_a_clock_plays_since_it_was_made(watch: Watch) -> None:
    driven = vocoder(watch)
    driven.open("a", "b", "c")
    for name in ("a", "b", "c"):
        driven.push(name, frames(14))
    driven.run()
    watch.windows.clear()
    driven.credit("b", 10**6, plays_at=0.5)
    driven.credit("c", 10**6)
    driven.credit("a", 10**6)
    driven.run()
    assert [name for name, _ in order(watch)] == ["a", "c", "b"]


def test_windows_of_one_shape_share_a_call(watch: Watch) -> None:
    driven = vocoder(watch, batch=3)
    driven.open("a", "b", "c", "d", "short")
    for name in ("a", "b", "c", "d"):
        driven.push(name, frames(FIRST))
    driven.push("short", frames(1))
    driven.end("short")
    driven.once()
    assert [name for name, _ in order(watch)] == ["a", "b", "c"]
    driven.once()
    assert [name for name, _ in order(watch)][3:] == ["d"]
    driven.once()
    assert [name for name, _ in order(watch)][4:] == ["short"]


def test_frames_are_taken_only_as_windows_need_them(watch: Watch) -> None:
    driven = vocoder(watch)
    driven.open("a")
    driven.push("a", frames(40))
    driven.run()
    assert driven.taken("a") == FIRST + LATER, "one window made, the next one held ready"
    driven.credit("a", FIRST_SAMPLES + 1)
    driven.run()
    assert driven.taken("a") == FIRST + 2 * LATER


def test_an_abort_loses_the_ready_window_and_all_state(watch: Watch) -> None:
    driven = vocoder(watch)
    driven.open("a", "b")
    driven.push("a", frames(40))
    driven.push("b", frames(40))
    driven.once()
    driven.abort("b")
    driven.run()
    assert driven.items("b") == []
    assert driven.scheduler.open_states() == 1
    driven.abort("a")
    assert watch.opened == watch.closed
    assert driven.scheduler.ready_at() is None


@pytest.mark.parametrize("method", ["open", "push", "end", "ready", "decode", "close"])
@pytest.mark.parametrize("batch", [1, 4])
def test_an_error_in_any_method_ends_that_request_alone(
    watch: Watch, method: str, batch: int
) -> None:
    watch.fail["code2wav", method] = ZeroDivisionError("a bug")
    watch.only = job("a").request
    driven = vocoder(watch, batch)
    driven.open("b", "a", "c")
    for name in ("a", "b", "c"):
        driven.credit(name, 10**6)
        driven.push(name, frames(17))
        driven.end(name)
    driven.run()
    (error,) = (m for m in driven.out if isinstance(m, Error))
    assert error.job == job("a")
    assert isinstance(error.error, StageFailed)
    assert [driven.finished(name) for name in "abc"] == [False, True, True]
    for name in ("b", "c"):
        sound = joined(p for p in driven.items(name) if isinstance(p, Pcm))
        np.testing.assert_array_equal(sound, sound_of("".join(map(chr, frames(17)))))
    assert watch.opened == watch.closed


def test_a_runner_that_loses_a_window_fails_its_request(watch: Watch) -> None:
    runner = Code2Wav(watch)
    runner.decode = lambda states, frames: []  # type: ignore[method-assign]
    driven = Driven(VocoderScheduler("code2wav", runner, RATE, FRAME))
    driven.open("a")
    driven.push("a", frames(4))
    assert isinstance(driven.run()[-1], Error)


@given(seed=st.integers(0, 10**6), batch=st.integers(1, 4), exact=st.booleans())
def test_sound_is_the_same_whatever_runs_beside(seed: int, batch: int, exact: bool) -> None:
    chance = random.Random(seed)
    driven = vocoder(Watch(), batch, exact=exact)
    texts = {f"r{i}": "x" * chance.randrange(40) + chr(65 + i) for i in range(5)}
    driven.open(*texts)
    left = {name: list(map(ord, text)) for name, text in texts.items()}
    while left:
        name = chance.choice(sorted(left))
        if left[name]:
            driven.push(name, [left[name].pop(0)])
        else:
            driven.end(name)
            driven.credit(name, 10**6, chance.random())
            del left[name]
        if chance.random() < 0.5:
            driven.once()
    driven.run()
    while exact and (due := driven.scheduler.ready_at()) is not None:
        driven.now = due
        driven.run()
    for name, text in texts.items():
        sound = joined(p for p in driven.items(name) if isinstance(p, Pcm))
        np.testing.assert_array_equal(sound, sound_of(text))
        assert driven.out.count(Result(job(name))) == 1


def slow(factor: float, plan: tuple[int, ...] | None = None) -> Driven:
    """On a machine that takes `factor` times as long as the sound of ten frames lasts."""
    runner = Code2Wav(Watch(), exact=True)
    cost = factor * FRAME / RATE
    runner.costs = lambda: WindowCosts(((FIRST, FIRST * cost), (LATER, LATER * cost)))  # type: ignore[method-assign]
    return Driven(VocoderScheduler("code2wav", runner, RATE, FRAME, plan))


@pytest.mark.parametrize("plan", [None, (4, 10)], ids=str)
def test_a_take_that_must_be_held_back_is_told_once(plan: tuple[int, ...] | None) -> None:
    driven = slow(8.0, plan)
    driven.open("a")
    driven.push("a", frames(40))
    driven.end("a")
    driven.credit("a", 10**6)
    while (due := driven.scheduler.ready_at()) is not None:
        driven.now = max(driven.now, due)
        driven.run()
    notices = [m.notice for m in driven.out if isinstance(m, Noticed)]
    windows = [p for p in driven.items("a") if isinstance(p, Pcm)]
    assert [notice.code for notice in notices] == ["held_back"]
    assert "so the take begins" in notices[0].message
    assert windows[0].hold > 0.05
    assert {pcm.hold for pcm in windows[1:]} == {0.0}
    told = next(i for i, m in enumerate(driven.out) if isinstance(m, Noticed))
    assert told < next(i for i, m in enumerate(driven.out) if isinstance(m, StreamItem))


def test_a_plan_that_is_given_is_followed(watch: Watch) -> None:
    runner = Code2Wav(watch, exact=True)
    driven = Driven(VocoderScheduler("code2wav", runner, RATE, FRAME, (2, 3, 99)))
    driven.open("a")
    driven.credit("a", 10**6)
    driven.push("a", frames(30))
    driven.end("a")
    driven.run()
    sizes = [pcm.frames for pcm in driven.items("a") if isinstance(pcm, Pcm)]
    assert sizes == [2, 3, 10, 10, 5], "no window is larger than the runner's largest"
