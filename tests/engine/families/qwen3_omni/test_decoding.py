"""Windows of several streams in one call, with graphs where there is a GPU."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

from engine.families.qwen3_omni.checkpoint import Checkpoint
from engine.families.qwen3_omni.code2wav_streams import Streams
from engine.families.qwen3_omni.code2wav_weights import Code2WavShape, Code2WavWeights
from engine.families.qwen3_omni.decoding import (
    PEAK,
    TOGETHER,
    Decoder,
    EagerDecoder,
    GraphDecoder,
    Window,
    decoder,
    rows_at_once,
)
from engine.families.qwen3_omni.reader import Place, Reader
from tests.engine.families.qwen3_omni.vocoder import frames, streams, whole

EDGES = (0, 4, 14, 17)
WINDOWS = [Window(4, True), Window(10, False), Window(3, False)]

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


def decoded(decode: Decoder, slots: list[int]) -> np.ndarray:
    """A take in each slot, all window by window: [slots, samples]."""
    takes = np.stack([frames(EDGES[-1], seed=slot) for slot in slots])
    parts = []
    for a, b in pairwise(EDGES):
        parts.append(np.stack(decode(Window(b - a, a == 0), takes[:, a:b], slots)))
    return np.concatenate(parts, axis=1)


def wanted(folder: Path, slots: list[int], dtype: torch.dtype) -> np.ndarray:
    sound = [whole(folder, dtype, frames(EDGES[-1], seed=slot)) for slot in slots]
    return (torch.stack(sound).float() * PEAK).round().short().numpy()


def test_a_cpu_decodes_rows_as_they_are_but_is_asked_for_one(tiny: Path) -> None:
    made = decoder(streams(tiny, torch.float64, slots=9), WINDOWS)
    assert isinstance(made, EagerDecoder)
    assert made.together == rows_at_once(torch.device("cpu"), 9) == 1
    slots = [7, 0, 3]
    assert np.array_equal(decoded(made, slots), wanted(tiny, slots, torch.float64))


def test_sound_is_rounded_and_never_wraps(tiny: Path) -> None:
    made = decoded(EagerDecoder(streams(tiny, torch.float32)), [0])
    assert made.dtype == np.int16
    assert np.abs(made.astype(int)).max() <= PEAK


@pytest.fixture
def on_gpu(tiny: Path) -> Streams:
    checkpoint = Checkpoint.open(str(tiny))
    shape = Code2WavShape.of(checkpoint.config().code2wav_config)
    place = Place(torch.device("cuda:0"), torch.float32)
    with Reader(checkpoint, place) as reader:
        weights = Code2WavWeights.read(
            shape, lambda name, size: reader.read(f"code2wav.{name}", size)
        )
    return Streams(weights, slots=TOGETHER + 5)


@needs_gpu
@pytest.mark.parametrize("rows", [1, 3, TOGETHER, TOGETHER + 3])
def test_graphs_give_what_the_whole_gives(tiny: Path, on_gpu: Streams, rows: int) -> None:
    """Rows that are filled up, and more rows than one graph has."""
    made = decoder(on_gpu, WINDOWS)
    assert isinstance(made, GraphDecoder)
    slots = list(range(on_gpu.slots))[::-1][:rows]
    off = decoded(made, slots).astype(int) - wanted(tiny, slots, torch.float32)
    assert np.abs(off).max() <= 3


@needs_gpu
def test_a_slot_is_fresh_for_its_next_take(tiny: Path, on_gpu: Streams) -> None:
    made = decoder(on_gpu, WINDOWS)
    assert np.array_equal(decoded(made, [2, 5]), decoded(made, [2, 5]))
