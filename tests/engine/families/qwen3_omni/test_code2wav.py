"""Takes through the runner: windows, slots, kept sound, scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import EngineFull
from engine.families.qwen3_omni.code2wav import Code2Wav, Code2WavState
from engine.families.qwen3_omni.decoding import PEAK
from engine.families.qwen3_omni.frames import (
    FIRST,
    FRAME,
    LATE,
    LATER,
    SIZES,
    CodeFrames,
    Codes,
    KeptFrames,
    TalkerOutput,
    WordFrames,
    codes_of,
)
from engine.types import Epoch, Int16, Parent, Pcm, Performance, RequestId, Utterance
from tests.engine.families.qwen3_omni.vocoder import frames, streams, whole

UTTERANCE = Utterance(RequestId("r"), Epoch(1), "some words", "ethan")


def runner(folder: Path, slots: int = 3) -> Code2Wav:
    return Code2Wav(streams(folder, torch.float64, slots))


def windows(made: Code2Wav, state: Code2WavState) -> list[Pcm]:
    """All that makes up whole windows of 4, then 10 frames, or is all that will come."""
    out: list[Pcm] = []
    while (ready := made.ready(state)) is not None:
        assert ready.start == state.position
        frames = LATER if state.done else FIRST
        if ready.more and ready.frames < frames:
            break
        out += made.decode([state], frames)
    return out


def said(made: Code2Wav, items: Sequence[TalkerOutput], utterance: Utterance) -> list[Pcm]:
    state = made.open(utterance)
    out: list[Pcm] = []
    for item in items:
        made.push(state, item)
        out += windows(made, state)
    made.end(state)
    out += windows(made, state)
    made.close(state)
    assert made.open_slots == 0
    return out


def joined(out: Sequence[Pcm]) -> Int16:
    assert [pcm.start for pcm in out] == [
        sum(len(pcm.samples) for pcm in out[:at]) for at in range(len(out))
    ]
    return np.concatenate([pcm.samples for pcm in out])


def wanted(folder: Path, codes: Codes) -> Int16:
    return (whole(folder, torch.float64, codes).float() * PEAK).round().short().numpy()


@pytest.mark.parametrize(
    "wanted_sizes", [[1], [4], [4, 1], [4, 9], [4, 10], [4, 10, 10], [4, 10, 10, 3]], ids=str
)
def test_windows_are_of_four_then_ten_frames(tiny: Path, wanted_sizes: list[int]) -> None:
    count = sum(wanted_sizes)
    codes = frames(count)
    out = said(runner(tiny), [CodeFrames(codes)], UTTERANCE)
    sizes = [pcm.frames for pcm in out if pcm.frames]
    assert sizes == wanted_sizes
    assert sum(sizes) == count
    assert np.array_equal(joined(out), wanted(tiny, codes))
    assert len(joined(out)) == FRAME * count - LATE


@settings(
    max_examples=12,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(sizes=st.lists(st.integers(1, 12), min_size=1, max_size=6))
def test_groups_of_any_size_make_the_same_windows(tiny: Path, sizes: list[int]) -> None:
    codes, made = frames(sum(sizes)), runner(tiny)
    groups = [CodeFrames(part) for part in np.split(codes, np.cumsum(sizes)[:-1])]
    grouped = said(made, groups, UTTERANCE)
    at_once = said(made, [CodeFrames(codes)], UTTERANCE)
    assert [pcm.frames for pcm in grouped if pcm.frames] == [
        pcm.frames for pcm in at_once if pcm.frames
    ]
    assert np.array_equal(joined(grouped), joined(at_once))


def test_windows_of_one_shape_share_a_call(tiny: Path) -> None:
    made = runner(tiny)
    states = [made.open(replace(UTTERANCE, request=RequestId(str(at)))) for at in range(3)]
    for seed, state in enumerate(states):
        made.push(state, CodeFrames(frames(14, seed)))
    out: list[list[Pcm]] = [[], [], []]
    for _ in range(2):
        assert len({made.ready(state) for state in states}) == 1
        for parts, pcm in zip(out, made.decode(states, 10), strict=True):
            parts.append(pcm)
    for seed, (parts, state) in enumerate(zip(out, states, strict=True)):
        assert [pcm.request for pcm in parts] == [str(seed)] * 2
        off = joined(parts).astype(int) - wanted(tiny, frames(14, seed))
        assert np.abs(off).max() <= 1
        made.close(state)


@pytest.mark.parametrize("plan", [(1, 2), (6,), (4, 6, 10), (3, 7, 1, 9)], ids=str)
def test_any_plan_makes_nearly_the_same_sound(tiny: Path, plan: tuple[int, ...]) -> None:
    codes, made = frames(24), runner(tiny)
    state = made.open(UTTERANCE)
    made.push(state, CodeFrames(codes))
    made.end(state)
    out: list[Pcm] = []
    while made.ready(state) is not None:
        out += made.decode([state], plan[min(len(out), len(plan) - 1)])
    off = joined(out).astype(int) - wanted(tiny, codes)
    assert np.abs(off).max() <= 1
    assert sum(pcm.frames for pcm in out) == 24
    assert max(pcm.frames for pcm in out[1:]) <= LATER


def test_costs_are_those_of_the_sizes(tiny: Path) -> None:
    made = runner(tiny)
    assert made.sizes() == SIZES
    assert [size for size, _ in made.costs().table] == list(SIZES)
    assert not made.exact


def test_frames_are_told_as_they_come(tiny: Path) -> None:
    made = runner(tiny)
    state = made.open(UTTERANCE)
    assert made.ready(state) is None
    for count in (1, 2):
        made.push(state, CodeFrames(frames(1, seed=count)))
        ready = made.ready(state)
        assert ready is not None
        assert (ready.start, ready.frames, ready.more, ready.work) == (0, count, True, 1.0)
    made.end(state)
    ready = made.ready(state)
    assert ready is not None
    assert not ready.more


def test_words_and_score_come_out_once(tiny: Path) -> None:
    codes = frames(14)
    told = (WordFrames(0, "some", 0, 3, (0, 4)), WordFrames(1, "words", 3, 14, (5, 10)))
    items = [CodeFrames(codes[:4]), CodeFrames(codes[4:], told)]
    out = said(runner(tiny), items, UTTERANCE)
    assert [word.text for pcm in out for word in pcm.words] == ["some", "words"]
    ends = [(word.start, word.end) for pcm in out for word in pcm.words]
    assert ends == [(0, 3 * FRAME - LATE), (3 * FRAME - LATE, 14 * FRAME - LATE)]
    scores = [score for pcm in out for score in pcm.scores]
    assert len(scores) == 1
    assert (scores[0].span, scores[0].samples) == ((0, 10), len(joined(out)))
    assert np.array_equal(codes_of(tuple(scores)), codes)


def test_words_may_come_after_the_last_frame(tiny: Path) -> None:
    none = np.empty((0, 16), np.int64)
    late = CodeFrames(none, (WordFrames(0, "late", 0, 4, (0, 4)),))
    out = said(runner(tiny), [CodeFrames(frames(4)), late], UTTERANCE)
    assert [word.text for pcm in out for word in pcm.words] == ["late"]
    assert sum(len(pcm.scores) for pcm in out) == 1


def test_nothing_said_is_nothing_made(tiny: Path) -> None:
    assert said(runner(tiny), [], UTTERANCE) == []


@pytest.mark.parametrize("kept", [1, 4, 9, 24])
def test_kept_frames_are_the_parents_and_what_follows_joins_them(tiny: Path, kept: int) -> None:
    """The parent's samples go out untouched; the new frames sound as after the kept ones."""
    old, new = frames(24, seed=1), frames(12, seed=2)
    before = said(runner(tiny), [CodeFrames(old)], UTTERANCE)
    marked = joined(before) ^ 1  # sound that decoding could not give
    scores = tuple(score for pcm in before for score in pcm.scores)
    edited = replace(UTTERANCE, parent=Parent("some words", marked, scores, Performance()))
    items = [KeptFrames(0, kept), CodeFrames(new)]
    out = said(runner(tiny), items, edited)
    sound, at = joined(out), kept * FRAME - LATE
    codes = np.concatenate((old[:kept], new))
    assert np.array_equal(sound[:at], marked[:at])
    assert np.array_equal(sound[at:], wanted(tiny, codes)[at:])
    spans = [span for pcm in out for span in pcm.changed]
    assert (spans[0][0], spans[-1][1]) == (at, len(sound))
    assert np.array_equal(codes_of(tuple(s for pcm in out for s in pcm.scores)), codes)


def test_a_slot_has_one_owner(tiny: Path) -> None:
    made = runner(tiny, slots=2)
    states = [made.open(UTTERANCE) for _ in range(2)]
    assert len({state.slot for state in states}) == 2
    with pytest.raises(EngineFull, match="slots"):
        made.open(UTTERANCE)
    freed = states[0].slot
    made.close(states[0])
    made.close(states[0])
    assert made.open(UTTERANCE).slot == freed
    assert made.open_slots == 2


@pytest.mark.parametrize(
    "codes",
    [
        np.full((1, 16), 64),
        np.full((1, 16), -1),
        np.zeros((2, 15), np.int64),
        np.zeros((2, 16), np.int32),
    ],
    ids=["too large", "negative", "too few", "another type"],
)
def test_what_is_no_frame_is_refused(tiny: Path, codes: Codes) -> None:
    made = runner(tiny)
    with pytest.raises(ValueError, match="codes"):
        made.push(made.open(UTTERANCE), CodeFrames(codes))


def test_frames_that_the_parent_lacks_are_refused(tiny: Path) -> None:
    made = runner(tiny)
    with pytest.raises(ValueError, match="kept"):
        made.push(made.open(UTTERANCE), KeptFrames(0, 1))
