"""Streamed sound is the sound of the whole, however it is pushed and whatever is beside it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.families.qwen3_omni.code2wav_streams import LONGEST, Streams
from engine.families.qwen3_omni.frames import FRAME, LATE, Codes
from tests.engine.families.qwen3_omni.vocoder import error, frames, streams, whole

EXACT = {torch.float64: 1e-9, torch.float32: 1e-4}
SIZES = st.lists(st.integers(1, 13), min_size=1, max_size=9)
some = settings(
    max_examples=12,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def pushed(made: Streams, slot: int, codes: Codes, *, first: bool) -> torch.Tensor:
    return made.push(torch.from_numpy(codes[None]), torch.tensor([slot]), first=first)[0]


@pytest.mark.parametrize("dtype", EXACT, ids=str)
@some
@given(sizes=SIZES, seed=st.integers(0, 3))
def test_any_push_sizes_give_the_whole(
    tiny: Path, dtype: torch.dtype, sizes: list[int], seed: int
) -> None:
    made, codes = streams(tiny, dtype), frames(sum(sizes), seed)
    edges = [0, *(sum(sizes[: at + 1]) for at in range(len(sizes)))]
    sound = [pushed(made, 2, codes[a:b], first=a == 0) for a, b in pairwise(edges)]
    lengths = [FRAME * size - (LATE if at == 0 else 0) for at, size in enumerate(sizes)]
    assert [len(part) for part in sound] == lengths
    assert error(torch.cat(sound), whole(tiny, dtype, codes)) < EXACT[dtype]


@pytest.mark.parametrize("dtype", EXACT, ids=str)
def test_longer_than_the_window_and_longer_than_a_step(tiny: Path, dtype: torch.dtype) -> None:
    made, codes = streams(tiny, dtype), frames(3 * 72 + 5)
    one = pushed(made, 0, codes, first=True)
    assert len(codes) > LONGEST
    assert error(one, whole(tiny, dtype, codes)) < EXACT[dtype]


@some
@given(st.data())
def test_interleaved_streams_keep_apart(tiny: Path, data: st.DataObject) -> None:
    """Streams of one push size share calls in any order of rows, end anywhere, and leave their
    slot to others, which hear nothing of them."""
    made = streams(tiny, torch.float64, slots=3)
    sound: dict[int, list[torch.Tensor]] = {}
    codes: dict[int, Codes] = {}
    done: dict[int, int] = {}
    slots: dict[int, int] = {}
    for number in range(data.draw(st.integers(3, 8), "calls")):
        free = sorted({0, 1, 2} - set(slots.values()))
        if free and (not slots or data.draw(st.booleans(), "begin")):
            group, first = [*range(100 * number, 100 * number + len(free))], True
            slots |= dict(zip(group, free, strict=True))
            codes |= {one: frames(40, seed=one) for one in group}
        else:
            some_of = st.lists(st.sampled_from(sorted(slots)), min_size=1, unique=True)
            group, first = data.draw(some_of, "rows"), False
        count = data.draw(st.integers(1, 5), "frames")
        rows = torch.tensor([slots[one] for one in group])
        parts = [codes[one][done.get(one, 0) :][:count] for one in group]
        given = torch.stack([torch.from_numpy(part) for part in parts])
        for one, part in zip(group, made.push(given, rows, first=first), strict=True):
            sound.setdefault(one, []).append(part)
            done[one] = done.get(one, 0) + count
        if data.draw(st.booleans(), "end one"):
            del slots[data.draw(st.sampled_from(sorted(slots)), "which")]
    for one, parts in sound.items():
        wanted = whole(tiny, torch.float64, codes[one][: done[one]])
        assert error(torch.cat(parts), wanted) < 1e-9


@pytest.mark.parametrize("count", [1, 9, 33, 70])
def test_a_warmed_stream_goes_on_as_if_pushed(tiny: Path, count: int) -> None:
    made, codes = streams(tiny, torch.float64), frames(count + 12)
    made.warm(torch.from_numpy(codes[None, :count]), torch.tensor([1]))
    sound = pushed(made, 1, codes[count:], first=False)
    assert error(sound, whole(tiny, torch.float64, codes)[FRAME * count - LATE :]) < 1e-9


def test_so_many_frames_back_as_it_says_are_enough_to_warm(tiny: Path) -> None:
    made, count = streams(tiny, torch.float64), 260
    codes = frames(count + 3)
    assert made.reach < count
    before = codes[count - made.reach : count]
    made.warm(torch.from_numpy(before[None]), torch.tensor([0]))
    sound = pushed(made, 0, codes[count:], first=False)
    # Positions are other ones, and their angles are float32.
    assert error(sound, whole(tiny, torch.float64, codes)[FRAME * count - LATE :]) < 1e-4


def test_bf16_is_near(tiny: Path) -> None:
    made, codes = streams(tiny, torch.bfloat16), frames(14)
    parts = [pushed(made, 0, codes[a:b], first=a == 0) for a, b in pairwise((0, 4, 14))]
    wanted = whole(tiny, torch.float32, codes)
    noise = torch.cat(parts).float() - wanted
    assert float(noise.square().mean() / wanted.square().mean()) < 0.01
