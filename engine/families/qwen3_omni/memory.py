"""What a stage will need of a device's memory, held against what is free before it is loaded."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import torch

from engine.errors import MemoryShort
from engine.families.qwen3_omni.code2wav_weights import TAPS, Code2WavShape
from engine.families.qwen3_omni.frames import FRAME, LATER
from engine.families.qwen3_omni.reader import Place

SPARE: Final = 1.1
"""What smaller things need on top, as a factor."""
_GIB: Final = 2**30


@dataclass(frozen=True, slots=True)
class Need:
    """Bytes of a stage. weights: of the checkpoint. states: of all its slots together. work: while
    it computes, where that is much."""

    stage: str
    weights: int
    states: int
    work: int = 0

    @property
    def bytes(self) -> int:
        return int(SPARE * (self.weights + self.states + self.work))


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes of a device: what can be had now, and all that it has."""

    free: int
    whole: int


def code2wav_work(shape: Code2WavShape, rows: int, dtype: torch.dtype) -> int:
    """Bytes of a window of the most frames at its widest: the taps of a layer at the rate of the
    sound, and its input, output and what is added to it."""
    channels = shape.decoder >> len(shape.rates)
    return rows * LATER * FRAME * channels * (TAPS + 4) * int(dtype.itemsize)


def code2wav_states(sizes: Sequence[tuple[int, ...]], slots: int, dtype: torch.dtype) -> int:
    """Bytes of what is kept of `slots` streams and nobody's."""
    return (slots + 1) * sum(torch.Size(size).numel() for size in sizes) * int(dtype.itemsize)


def check(need: Need, place: Place) -> None:
    """Raises MemoryShort, saying what is needed for what, if the device has less free, or the
    stage's process a smaller share of it."""
    memory = memory_of(place.device)
    if memory is None:
        return
    told = f"{memory.free / _GIB:.1f} GiB are free"
    if need.bytes > memory.free:
        raise _short(need, place.device, told)
    if place.share is not None and need.bytes > place.share * memory.whole:
        share = f"{place.share:g} of {memory.whole / _GIB:.1f} GiB"
        raise _short(need, place.device, f"processes.<group>.memory gives it {share}, {told}")


def _short(need: Need, device: torch.device, told: str) -> MemoryShort:
    return MemoryShort(
        f"{need.stage} needs {need.bytes / _GIB:.1f} GiB of {device}: weights "
        f"{need.weights / _GIB:.1f}, states of all slots {need.states / _GIB:.1f}, to compute "
        f"with {need.work / _GIB:.1f}, and a tenth to spare; {told}. "
        "Fewer qwen3_omni.slots or qwen3_omni.positions need less; "
        "processes.<group>.devices puts a stage elsewhere"
    )


def memory_of(device: torch.device) -> Memory | None:
    """None where the system doesn't say."""
    if device.type == "cuda":
        return Memory(*map(int, torch.cuda.mem_get_info(device)))
    if sys.platform != "linux":
        return None
    lines = (line.split() for line in Path("/proc/meminfo").read_text().splitlines())
    kib = {name: int(number) for name, number, *_ in lines}
    return Memory(1024 * kib["MemAvailable:"], 1024 * kib["MemTotal:"])
