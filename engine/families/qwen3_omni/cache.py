"""What the talker keeps of every row: tensors of fixed shape, changed in place, so that a step is
the same call whoever is in it and can be captured as a graph."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from engine.families.qwen3_omni.sampling import Choice, Sampling


@dataclass(frozen=True, slots=True)
class Shape:
    """rows: requests at once. length: positions of a row, its prompt and its frames together.

    layers, kv_heads, head: of the talker. hidden: its width. codes: what the first codebook's head
    tells apart. codebooks: codes of a frame.
    """

    rows: int
    length: int
    layers: int
    kv_heads: int
    head: int
    hidden: int
    codes: int
    codebooks: int

    def bytes(self, dtype: torch.dtype) -> int:
        """Of the keys, values and text that rows of this shape take."""
        cached = 2 * self.layers * self.kv_heads * self.head
        return self.rows * self.length * (cached + self.hidden) * dtype.itemsize


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """r: rows. A row that no request has is like one that is not active: it is computed where a
    step reaches over it, and nothing of it changes that counts.

    keys, values: [layers, r, kv_heads, length, head]. text: projected text, of which a frame takes
    one, [r, length, hidden]; texts: how many there are once all are known, else `length`, [r].

    hidden: of the position before the next frame, [r, hidden]. first: the next frame's first code.
    position: where the frame goes in the cache. frame: its index in the take. over: the first code
    was the end of speech. seen: codes that the first codebook has used, bool [r, codes].

    active: rows that the step is for. codes: what it made, [r, codebooks]; made: for which rows.
    """

    shape: Shape
    keys: Tensor
    values: Tensor
    text: Tensor
    texts: Tensor
    hidden: Tensor
    first: Tensor
    position: Tensor
    frame: Tensor
    over: Tensor
    seen: Tensor
    seeds: Tensor
    penalty: Tensor
    code: Choice
    residual: Choice
    active: Tensor
    codes: Tensor
    made: Tensor

    @classmethod
    def empty(cls, shape: Shape, dtype: torch.dtype, device: torch.device) -> Rows:
        rows = shape.rows
        cache = (shape.layers, rows, shape.kv_heads, shape.length, shape.head)
        count = torch.zeros(rows, dtype=torch.long, device=device)
        flag = torch.zeros(rows, dtype=torch.bool, device=device)
        return cls(
            shape=shape,
            keys=torch.zeros(cache, dtype=dtype, device=device),
            values=torch.zeros(cache, dtype=dtype, device=device),
            text=torch.zeros(rows, shape.length, shape.hidden, dtype=dtype, device=device),
            texts=count.clone(),
            hidden=torch.zeros(rows, shape.hidden, dtype=dtype, device=device),
            first=count.clone(),
            position=count.clone(),
            frame=count.clone(),
            over=flag.clone(),
            seen=torch.zeros(rows, shape.codes, dtype=torch.bool, device=device),
            seeds=count.clone(),
            penalty=torch.ones(rows, device=device),
            code=Choice.empty(rows, device),
            residual=Choice.empty(rows, device),
            active=flag.clone(),
            codes=torch.zeros(rows, shape.codebooks, dtype=torch.long, device=device),
            made=flag.clone(),
        )

    def begin(self, row: int, sampling: Sampling, seed: int, frame: int) -> None:
        """A new request has the row; `frame` is the first that it will make."""
        self.texts[row] = self.shape.length
        self.frame[row] = frame
        self.over[row] = False
        self.seen[row] = False
        self.seeds[row] = (seed + 2**63) % 2**64 - 2**63
        self.penalty[row] = sampling.penalty
        self.code.set(row, sampling.temperature, sampling.top_k, sampling.top_p)
        self.residual.set(
            row, sampling.residual_temperature, sampling.residual_top_k, sampling.residual_top_p
        )

    def move(self, source: int, target: int, length: int) -> None:
        """Row `source`, of which `length` positions count, becomes row `target`."""
        for cache in (self.keys, self.values):
            cache[:, target, :, :length] = cache[:, source, :, :length]
        for held in self._of_rows():
            held[target] = held[source]

    def _of_rows(self) -> tuple[Tensor, ...]:
        choices = (self.code, self.residual)
        drawn = [part for c in choices for part in (c.temperature, c.top_k, c.top_p)]
        return (
            *(self.text, self.texts, self.hidden, self.first, self.position, self.frame),
            *(self.over, self.seen, self.seeds, self.penalty, *drawn),
        )


class Pool:
    """Which rows are taken. Rows are taken from the low end, so that a step, which takes the first
    so many rows, reaches over as few others as can be."""

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._taken: set[int] = set()

    def free(self) -> int:
        return self._rows - len(self._taken)

    def take(self) -> int:
        """Raises ValueError if none is free."""
        row = next((row for row in range(self._rows) if row not in self._taken), None)
        if row is None:
            raise ValueError(f"all {self._rows} rows are taken")
        self._taken.add(row)
        return row

    def give(self, row: int) -> None:
        self._taken.remove(row)

    def reach(self) -> int:
        """How many rows a step has to take to have all that are taken."""
        return max(self._taken, default=-1) + 1
