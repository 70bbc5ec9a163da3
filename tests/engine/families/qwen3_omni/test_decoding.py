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
from engine.families.qwen3_omni.graphs import Arrival, Call
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


class Beside:
    """In the place of a device: calls are replayed as they were captured, and what is fetched is
    only there once it is waited for. events: what was done, in order."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def capture(self, call: Call) -> Call:
        self.events.append("capture")
        call()

        def run() -> None:
            self.events.append("run")
            call()

        return run

    def put(self, value: np.ndarray, target: torch.Tensor) -> None:
        assert tuple(value.shape) == tuple(target.shape)
        target.copy_(torch.from_numpy(value))

    def fetch(self, samples: torch.Tensor) -> Arrival:
        def arrived() -> np.ndarray:
            self.events.append("wait")
            return samples.numpy()

        return arrived


def replaying(made: Streams, sizes: list[int]) -> tuple[GraphDecoder, Beside]:
    beside = Beside()
    return GraphDecoder(made, WINDOWS, sizes, beside.capture, beside), beside


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 7, 9])
def test_captured_calls_give_what_the_whole_gives(tiny: Path, rows: int) -> None:
    """Rows that are filled up, and more rows than one call has."""
    made, _ = replaying(streams(tiny, torch.float64, slots=9), [1, 2, 4])
    slots = list(range(9))[::-1][:rows]
    off = decoded(made, slots).astype(int) - wanted(tiny, slots, torch.float64)
    assert np.abs(off).max() <= 1
    again = decoded(made, slots).astype(int) - wanted(tiny, slots, torch.float64)
    assert np.abs(again).max() <= 1


def test_every_shape_is_captured_before_it_is_met(tiny: Path) -> None:
    made, beside = replaying(streams(tiny, torch.float64, slots=9), [1, 2, 4])
    assert beside.events == ["capture"] * 3 * len(WINDOWS)
    decoded(made, list(range(9)))
    assert "capture" not in beside.events[3 * len(WINDOWS) :]


def test_first_windows_come_call_by_call_and_later_ones_overlap(tiny: Path) -> None:
    made, beside = replaying(streams(tiny, torch.float64, slots=9), [1, 2, 4])
    slots = list(range(9))
    takes = np.stack([frames(14, seed=slot) for slot in slots])
    beside.events.clear()
    made(Window(4, True), takes[:, :4], slots)
    assert beside.events == ["run", "wait"] * 3
    beside.events.clear()
    made(Window(10, False), takes[:, 4:], slots)
    assert beside.events == ["run"] * 3 + ["wait"] * 3


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
