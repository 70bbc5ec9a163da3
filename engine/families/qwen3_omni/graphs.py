"""Calls on a device that cost its host next to nothing: captured once, then replayed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.types import Int16

Call: TypeAlias = Callable[[], None]
Capture: TypeAlias = Callable[[Call], Call]
"""Makes of a call one that does the same, and costs its caller less."""
Arrival: TypeAlias = Callable[[], Int16]
"""Waits for what was fetched, and gives it."""


def capturing(device: torch.device) -> Capture | None:
    """Captures calls as CUDA graphs, which share memory for what they compute on the way; None for
    a device that has no graphs. A call is run meanwhile, so nothing that it changes may count."""
    if device.type != "cuda":
        return None
    pool = torch.cuda.graph_pool_handle()
    return lambda call: _captured(call, device, pool)


def _captured(call: Call, device: torch.device, pool: Any) -> Call:
    """Runs it first, to warm it up."""
    side = torch.cuda.Stream(device)
    side.wait_stream(torch.cuda.current_stream(device))
    with torch.cuda.stream(side):
        for _ in range(2):
            call()
    torch.cuda.current_stream(device).wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    # Other stages may launch work from their own threads meanwhile.
    with torch.cuda.graph(graph, pool=pool, capture_error_mode="thread_local"):
        call()
    return graph.replay


class Link(Protocol):
    """Between a device and its host."""

    def put(self, value: NDArray[Any], target: Tensor) -> None:
        """Copies to the device; the call may come back before it is there."""
        ...

    def fetch(self, samples: Tensor) -> Arrival:
        """Copies int16 to the host, beside what the device computes next."""
        ...


class CudaLink:
    """Copies by way of pinned memory, to the host on a stream of its own."""

    def __init__(self, device: torch.device) -> None:
        self._stream = torch.cuda.Stream(device)

    def put(self, value: NDArray[Any], target: Tensor) -> None:
        target.copy_(torch.from_numpy(value).pin_memory(), non_blocking=True)

    def fetch(self, samples: Tensor) -> Arrival:
        self._stream.wait_stream(torch.cuda.current_stream(samples.device))
        host = torch.empty(samples.shape, dtype=samples.dtype, pin_memory=True)
        with torch.cuda.stream(self._stream):
            host.copy_(samples, non_blocking=True)
            done = torch.cuda.Event()
            done.record(self._stream)
        samples.record_stream(self._stream)

        def arrived() -> Int16:
            done.synchronize()
            return host.numpy()

        return arrived
