from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import torch

from engine.errors import UnknownVoice
from engine.families.qwen3_omni.frames import CodeFrames, KeptFrames, WordFrames
from engine.families.qwen3_omni.prompt import Kept, Text, Unchanged
from engine.families.qwen3_omni.talker import Talker
from engine.messages import Error, Noticed
from tests.engine.families.qwen3_omni.reference import (
    LENGTH,
    codes_in,
    generated,
    loaded,
    opening,
    talker_model,
)
from tests.engine.families.qwen3_omni.talking import (
    LONGEST,
    WARM,
    alone,
    alone_of,
    driven,
    longest,
    say,
)


def test_another_seed_draws_other_codes_and_the_same_one_the_same() -> None:
    first, rest = opening(3, WARM)
    again, other = alone((first, rest)), alone((replace(first, seed=-4), rest))
    np.testing.assert_array_equal(alone((first, rest)), again)
    assert again.shape != other.shape or (again != other).any()


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


def test_the_tiny_model_ends_by_itself() -> None:
    """Else none of the tests above shows that the end of speech is seen."""
    assert loaded()[0].config.talker_config.codec_eos_token_id >= 0
    assert len({len(alone_of(seed)) for seed in (1, 2, 8, 9, 16)}) > 3
