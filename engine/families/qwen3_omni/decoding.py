"""Windows of several streams to samples, in one call on the device that the weights are on.

On CUDA each shape that can occur is one captured graph, so that a call costs the host next to
nothing; elsewhere the same arithmetic runs as it is.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
import torch
from torch import Tensor

from engine.costs import WindowCosts
from engine.families.qwen3_omni import graphs
from engine.families.qwen3_omni.code2wav_streams import Streams
from engine.families.qwen3_omni.frames import Codes
from engine.families.qwen3_omni.graphs import Arrival, Call, Capture, Link
from engine.types import Int16

PEAK: Final = 32_767
TOGETHER: Final = 32
"""Rows of the largest graph. More are several calls, the samples of one copied while the next is
computed."""
ALONE: Final = 1
"""Rows of a call on a CPU. Products of more rows are rounded otherwise, so that a take's samples
would depend on its neighbours; and a window of ten frames is hardly slower alone."""


@dataclass(frozen=True, slots=True, order=True)
class Window:
    """Shape of a call: the same frames for all rows, which are the first of all streams or of
    none."""

    frames: int
    first: bool


class Decoder(Protocol):
    """Samples of the next window of some streams."""

    @property
    def together(self) -> int:
        """Rows that one call may take."""
        ...

    def __call__(self, window: Window, codes: Codes, slots: Sequence[int]) -> list[Int16]:
        """codes: [rows, window.frames, codebooks]. slots: of each row, all different."""
        ...


@dataclass(frozen=True, slots=True)
class Capturing:
    """How CUDA is used. graphs: whether calls are captured. steady: all are of the largest size, so
    that a take's last bits don't depend on how many share its calls."""

    graphs: bool = True
    steady: bool = False


USUAL: Final = Capturing()


def decoder(streams: Streams, windows: Iterable[Window], capturing: Capturing = USUAL) -> Decoder:
    """What fits the device. windows: those that may occur, for which graphs are captured now."""
    capture = graphs.capturing(streams.device) if capturing.graphs else None
    if capture is None:
        return EagerDecoder(streams)
    sizes = _sizes(streams.slots)
    wanted = sizes[-1:] if capturing.steady else sizes
    link = graphs.CudaLink(streams.device)
    return GraphDecoder(streams, sorted(windows, reverse=True), wanted, capture, link)


class EagerDecoder:
    """Calls the arithmetic as it is."""

    def __init__(self, streams: Streams) -> None:
        self._streams = streams

    @property
    def together(self) -> int:
        return rows_at_once(self._streams.device, self._streams.slots)

    def __call__(self, window: Window, codes: Codes, slots: Sequence[int]) -> list[Int16]:
        device = self._streams.device
        rows = torch.tensor(slots, device=device)
        sound = self._streams.push(torch.from_numpy(codes).to(device), rows, first=window.first)
        return list(samples_of(sound).cpu().numpy())


def samples_of(sound: Tensor) -> Tensor:
    """Sound within ±1 as int16."""
    return (sound.float() * PEAK).round().to(torch.int16)


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """A captured call: put codes and rows in, run it, take the samples out before the next run."""

    run: Call
    codes: Tensor
    rows: Tensor
    samples: Tensor


class GraphDecoder:
    """Runs the graph of the shape; rows that are too few are filled up with nobody's slot."""

    def __init__(
        self,
        streams: Streams,
        windows: Sequence[Window],
        sizes: Sequence[int],
        capture: Capture,
        link: Link,
    ) -> None:
        """sizes: rows of the graphs of each window, growing."""
        self._streams = streams
        self._sizes = sizes
        self._link = link
        self._graphs = {
            (size, window): self._captured(size, window, capture)
            for window in windows
            for size in reversed(self._sizes)
        }

    @property
    def together(self) -> int:
        return self._streams.slots

    def __call__(self, window: Window, codes: Codes, slots: Sequence[int]) -> list[Int16]:
        """First windows are waited for call by call, later ones once all are under way."""
        made: list[Int16] = []
        under_way: list[tuple[Arrival, int]] = []
        for at in range(0, len(slots), self._sizes[-1]):
            until = min(len(slots), at + self._sizes[-1])
            under_way.append((self._begin(window, codes[at:until], slots[at:until]), until - at))
            if window.first:
                made += _arrived(under_way)
        return made + _arrived(under_way)

    @torch.inference_mode()
    def _begin(self, window: Window, codes: Codes, slots: Sequence[int]) -> Arrival:
        size = next(size for size in self._sizes if size >= len(slots))
        graph = self._graphs[size, window]
        fill = size - len(slots)
        rows = np.array([*slots, *[self._streams.slots] * fill])
        whole = np.concatenate((codes, np.zeros((fill, *codes.shape[1:]), np.int64)))
        self._link.put(whole, graph.codes)
        self._link.put(rows, graph.rows)
        graph.run()
        return self._link.fetch(graph.samples.clone())

    @torch.inference_mode()
    def _captured(self, size: int, window: Window, capture: Capture) -> Graph:
        """Nobody's slot is decoded meanwhile."""
        streams, device = self._streams, self._streams.device
        codebooks = streams.weights.shape.codebooks
        codes = torch.zeros((size, window.frames, codebooks), dtype=torch.int64, device=device)
        rows = torch.full((size,), streams.slots, dtype=torch.int64, device=device)

        def decoded() -> Tensor:
            return samples_of(streams.step(codes, rows, first=window.first))

        samples = torch.empty_like(decoded())
        return Graph(capture(lambda: _put(decoded(), samples)), codes, rows, samples)


def measured(decode: Decoder, streams: Streams, sizes: Sequence[int]) -> WindowCosts:
    """What windows of these sizes cost, each decoded twice in nobody's slot: the second is timed,
    as the first may meet code that is not compiled or in the cache."""
    table = []
    for frames in sizes:
        codes = np.zeros((1, frames, streams.weights.shape.codebooks), np.int64)
        window = Window(frames, frames == sizes[0])
        decode(window, codes, [streams.slots])
        begun = time.perf_counter()
        decode(window, codes, [streams.slots])
        table.append((frames, time.perf_counter() - begun))
    return WindowCosts(tuple(table))


def _put(made: Tensor, target: Tensor) -> None:
    target.copy_(made)


def _arrived(under_way: list[tuple[Arrival, int]]) -> list[Int16]:
    """Samples of all rows that count; nothing is under way then."""
    made = [row for arrival, count in under_way for row in arrival()[:count].copy()]
    under_way.clear()
    return made


def rows_at_once(device: torch.device, slots: int) -> int:
    """Rows that are computed at once at the most."""
    return min(slots, TOGETHER if device.type == "cuda" else ALONE)


def _sizes(slots: int) -> list[int]:
    """Row counts of the graphs: doubling, up to all slots."""
    sizes = [1]
    while sizes[-1] < min(slots, TOGETHER):
        sizes.append(min(2 * sizes[-1], slots, TOGETHER))
    return sizes
