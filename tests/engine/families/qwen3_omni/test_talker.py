from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
import torch

from engine.errors import UnknownVoice
from engine.families.qwen3_omni import talker as talker_module
from engine.families.qwen3_omni.cache import Call
from engine.families.qwen3_omni.frames import CodeFrames, Codes, KeptFrames, WordFrames
from engine.families.qwen3_omni.prompt import Kept, Opening, TalkerInput, Text, Unchanged
from engine.families.qwen3_omni.sampling import GREEDY, Sampling
from engine.families.qwen3_omni.talker import Talker
from engine.families.qwen3_omni.talker_steps import _next, _sizes
from engine.messages import Error, Noticed
from engine.schedulers.autoregressive import AutoregressiveScheduler
from tests.engine.families.qwen3_omni.reference import (
    LENGTH,
    codes_in,
    generated,
    loaded,
    opening,
    talker_model,
)
from tests.engine.schedulers.driving import Driven

Case = tuple[Opening, Text]

WARM = Sampling(temperature=0.9, top_k=20, top_p=0.9, penalty=1.1)


LONGEST = 10
LIKELIEST = replace(GREEDY, penalty=1.05)


@cache
def expected_of(seed: int, dtype: torch.dtype) -> Codes:
    return generated(*opening(seed, LIKELIEST, dtype), 20, dtype)


def driven(talker: Talker) -> Driven:
    return Driven(AutoregressiveScheduler("talker", talker, ()))


def say(run: Driven, name: str, *items: TalkerInput) -> None:
    run.open(name)
    run.push(name, items)
    run.end(name)


def alone(case: Case, dtype: torch.dtype = torch.float64) -> Codes:
    """What a take comes to with nobody beside it."""
    run = driven(Talker(talker_model(dtype), 1))
    say(run, "a", *case)
    run.run()
    return codes_in(run.items("a"))


@cache
def alone_of(seed: int, sampling: Sampling = GREEDY, dtype: torch.dtype = torch.float64) -> Codes:
    return alone(opening(seed, sampling, dtype), dtype)


def together(
    talker: Talker, cases: list[Case], rng: random.Random, aborted: Collection[str] = ()
) -> Driven:
    """All of them, each beginning when it will and its text coming when it will; some are aborted
    where their text would have ended."""
    run = driven(talker)
    waiting: list[tuple[str, TalkerInput | None]] = []
    for at, (first, rest) in enumerate(cases):
        halves = [Text(part, "") for part in rest.embeds.split(2)]
        waiting += [(str(at), item) for item in (first, *halves, None)]
    opened: set[str] = set()
    while waiting:
        names = [name for name, _ in waiting]
        at = names.index(rng.choice(names))
        name, item = waiting.pop(at)
        if name not in opened:
            opened.add(name)
            run.open(name)
        if item is None and name in aborted:
            run.abort(name)
        else:
            run.end(name) if item is None else run.push(name, [item])
        for _ in range(rng.choice((0, 0, 1, 3))):
            run.once()
    run.run()
    return run


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


def test_another_seed_draws_other_codes_and_the_same_one_the_same() -> None:
    first, rest = opening(3, WARM)
    again, other = alone((first, rest)), alone((replace(first, seed=-4), rest))
    np.testing.assert_array_equal(alone((first, rest)), again)
    assert again.shape != other.shape or (again != other).any()


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


def longest() -> Case:
    """A take of many frames."""
    return opening(LONGEST)


def test_frames_leave_four_then_ten_at_a_time_and_words_with_the_last() -> None:
    run = driven(Talker(talker_model(), 1))
    first, rest = longest()
    say(run, "a", first, rest)
    run.run()
    items = [item for item in run.items("a") if isinstance(item, CodeFrames)]
    sizes = [len(item.codes) for item in items]
    assert sum(sizes) > 14
    assert sizes[0] == 4
    assert set(sizes[1:-1]) <= {10}
    assert not any(item.words for item in items[:-1])
    words = items[-1].words
    assert [word.text for word in words] == ["Well,", "who", "is", "there?"]
    assert [word.span for word in words] == [(0, 5), (6, 9), (10, 12), (13, 19)]
    assert words[0].start == 0
    assert all(a.end <= b.start for a, b in pairwise(words))
    assert words[-1].end <= sum(sizes)


def test_a_take_that_goes_on_from_its_own_beginning_comes_out_as_it_was() -> None:
    first, rest = longest()
    whole = alone_of(LONGEST)
    whole_text = Text(torch.cat((first.text.embeds, rest.embeds)), "Well, who is there?")
    for frames in range(1, len(whole), 3):
        told = KeptFrames(0, frames, (WordFrames(0, "Well,", 0, frames, (0, 5)),))
        kept = Kept(whole[:frames], told, 5)
        run = driven(Talker(talker_model(), 1))
        say(run, "a", replace(first, text=whole_text, kept=kept))
        run.run()
        head, *made = run.items("a")
        assert head == told
        np.testing.assert_array_equal(codes_in(made), whole[frames:])
        last = made[-1]
        assert isinstance(last, CodeFrames)
        assert [word.index for word in last.words] == [1, 2, 3]
        assert last.words[0].start == frames


def test_what_is_drawn_after_kept_frames_is_what_was_drawn_there() -> None:
    first, rest = opening(11, replace(WARM, temperature=1.5))
    whole = alone((first, rest))
    text = Text(torch.cat((first.text.embeds, rest.embeds)), "")
    kept = Kept(whole[:2], KeptFrames(0, 2), 0)
    np.testing.assert_array_equal(
        alone((replace(first, text=text, kept=kept), Text(rest.embeds[:0], ""))), whole[2:]
    )


def test_a_take_that_is_all_its_parents_takes_no_row() -> None:
    talker = Talker(talker_model(), 1)
    run = driven(talker)
    frames = KeptFrames(0, 30)
    say(run, "a", Unchanged(frames))
    run.run()
    assert run.items("a") == [frames]
    assert run.finished("a")
    assert talker.free() == 1


def test_a_take_that_fills_its_row_is_cut_off_and_says_so() -> None:
    first, rest = longest()
    short = talker_model(length=len(first.turns) + 6 + 5)
    run = driven(Talker(short, 1))
    say(run, "a", first, rest)
    run.run()
    assert len(codes_in(run.items("a"))) == 5
    notices = [m.notice for m in run.out if isinstance(m, Noticed)]
    assert [notice.code for notice in notices] == ["too_long"]
    assert run.finished("a")


def test_a_prompt_that_leaves_no_room_is_refused_and_others_go_on() -> None:
    talker = Talker(talker_model(), 2, joins=2)
    run = driven(talker)
    first, rest = opening(1)
    turns = first.turns[:1].expand(LENGTH, -1)
    big = replace(first, turns=turns, heard=torch.zeros(LENGTH, dtype=torch.bool))
    say(run, "big", big, rest)
    say(run, "a", first, rest)
    run.run()
    assert [m.job.request for m in run.out if isinstance(m, Error)] == ["big"]
    np.testing.assert_array_equal(codes_in(run.items("a")), alone((first, rest)))
    assert talker.free() == 2


def test_a_speaker_that_is_not_there_is_an_unknown_voice() -> None:
    run = driven(Talker(talker_model(), 1))
    say(run, "a", replace(opening(1)[0], speaker="nobody"))
    run.run()
    errors = [m.error for m in run.out if isinstance(m, Error)]
    assert [type(error) for error in errors] == [UnknownVoice]


def test_without_text_there_is_no_sound() -> None:
    run = driven(Talker(talker_model(), 1))
    run.open("a")
    run.end("a")
    run.run()
    assert run.items("a") == []
    assert run.finished("a")


def test_an_aborted_request_gives_its_row_back() -> None:
    talker = Talker(talker_model(), 1)
    run = driven(talker)
    say(run, "a", *opening(1))
    say(run, "b", *opening(2))
    run.once()
    run.abort("a")
    run.run()
    np.testing.assert_array_equal(codes_in(run.items("b")), alone_of(2))
    assert talker.free() == 1


def test_states_of_sound_are_projected_by_their_own_projection() -> None:
    """A position that was heard is another one than the same numbers as an embedding."""
    first, rest = opening(4)
    heard = first.heard.clone()
    heard[1] = True
    told = replace(first, heard=heard)
    expected = generated(told, rest, 20, torch.float64)
    np.testing.assert_array_equal(alone((told, rest))[:20], expected)
    assert alone((told, rest)).tobytes() != alone((first, rest)).tobytes()


def test_a_step_is_of_the_next_size_that_was_captured() -> None:
    assert _sizes(1, 48) == [1, 2, 4, 8, 16, 32, 48]
    assert [_next(_sizes(1, 48), wanted) for wanted in (1, 2, 3, 33, 48)] == [1, 2, 4, 48, 48]
    assert _sizes(256, 200) == [200]


def test_the_tiny_model_ends_by_itself() -> None:
    """Else none of the tests above shows that the end of speech is seen."""
    assert loaded()[0].config.talker_config.codec_eos_token_id >= 0
    assert len({len(alone_of(seed)) for seed in (1, 2, 8, 9, 16)}) > 3
