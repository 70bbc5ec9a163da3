"""The talker's step for each shape that can occur: captured at the start where there is CUDA."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import torch
from torch import Tensor

from engine.families.qwen3_omni.cache import Rows
from engine.families.qwen3_omni.graphs import Call, Capture
from engine.families.qwen3_omni.talker_model import TalkerModel

SHORTEST: Final = 256
"""Positions that the shortest of the captured steps reaches over."""
BLOCK: Final = 64
"""Of what number of positions any other step's are a multiple, so that sums over them don't depend
on the longest row."""


class Steps:
    """Runs a step of some rows. pad: see TalkerModel.step.

    With `capture` there is a graph for each power of two of rows and of positions, and the smallest
    that reaches far enough is run. A row's last bits then depend on how many rows there are, and in
    the end so may a code that is drawn; where `steady`, all steps are of the largest size, and
    don't. Without, the step is of the rows that are wanted: see `layers.linear`.
    """

    def __init__(
        self, model: TalkerModel, rows: Rows, capture: Capture | None, *, steady: bool = False
    ) -> None:
        self._model = model
        self._rows = rows
        shape = rows.shape
        self._widths = [shape.rows] if steady else _sizes(1, shape.rows)
        self._reaches = [shape.length] if steady else _sizes(SHORTEST, shape.length)
        self.pad = torch.zeros_like(rows.hidden[0])
        self._active: list[int] = []
        self._graphs: dict[tuple[int, int], Call] = {}
        self._on_cpu = model.device.type == "cpu"
        if capture is not None:
            self._capture(capture)

    def width(self, count: int) -> int:
        """Rows of the step that is run for the first `count`."""
        return _next(self._widths, count) if self._graphs else count

    def run(self, going: Sequence[int], count: int, length: int) -> None:
        """One step of the rows `going`, of the first `count`, of which none goes past `length`
        positions. The call may come back before the step is computed."""
        self._tell(sorted(going))
        if self._graphs:
            self._graphs[self.width(count), _next(self._reaches, length)]()
        else:
            whole = min(-(-length // BLOCK) * BLOCK, self._rows.shape.length)
            self._model.step(self._rows, count, whole, self.pad)

    def result(self) -> tuple[Tensor, Tensor, Tensor, Callable[[], None]]:
        """Codes [rows, codebooks], and for each row whether it made a frame and whether it is
        over, on the host; to be read once the last, a call, has come back."""
        held = (self._rows.codes, self._rows.made, self._rows.over)
        if self._on_cpu:
            codes, made, over = (value.clone() for value in held)
            return codes, made, over, _nothing
        codes, made, over = (value.to("cpu", non_blocking=True) for value in held)
        event = torch.cuda.Event()
        event.record()
        return codes, made, over, event.synchronize

    def _tell(self, going: list[int]) -> None:
        if going != self._active:
            self._active = going
            flags = [row in going for row in range(self._rows.shape.rows)]
            told = torch.tensor(flags, pin_memory=not self._on_cpu)
            self._rows.active.copy_(told, non_blocking=True)

    def _capture(self, capture: Capture) -> None:
        """From the largest to the smallest, so that the smaller find memory that is there."""
        for count in reversed(self._widths):
            for length in reversed(self._reaches):
                step = partial(self._model.step, self._rows, count, length, self.pad)
                self._graphs[count, length] = capture(step)


def _nothing() -> None:
    """What was computed at once need not be waited for."""


def _sizes(first: int, last: int) -> list[int]:
    """Doubling from `first`, up to `last`, which is one of them."""
    sizes = [last]
    while first < last:
        sizes.insert(-1, first)
        first *= 2
    return sizes


def _next(sizes: Sequence[int], wanted: int) -> int:
    """The smallest of the sizes that is at least what is wanted."""
    return next(size for size in sizes if size >= wanted)
