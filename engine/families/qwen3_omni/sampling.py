"""Drawing codes: for each request by its own settings and seed, for all rows in one call.

A draw is a function of the request's seed, the frame and the codebook alone, so that it is the
same whatever else is in the batch, and after an edit that keeps the frames before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

MOST: Final = 128
"""Candidates that a draw looks at, and so the largest `top_k`."""
_GOLDEN: Final = 0x9E3779B97F4A7C15 - 2**64
_FIRST: Final = 0xBF58476D1CE4E5B9 - 2**64
_SECOND: Final = 0x94D049BB133111EB - 2**64


@dataclass(frozen=True, slots=True)
class Sampling:
    """How codes are drawn. temperature: 0 takes the likeliest of each, and then the other settings
    but `penalty` don't matter. top_k: 1 to MOST. top_p: over 0, at most 1.

    penalty: over 0; what the logits of codes already used are divided by (multiplied, where they
    are negative); of the first codebook alone. residual_*: the same of the other codebooks.

    Raises ValueError, naming the setting, for one that is out of range.
    """

    temperature: float = 0.9
    top_k: int = 50
    top_p: float = 1.0
    penalty: float = 1.05
    residual_temperature: float = 1.0
    residual_top_k: int = 50
    residual_top_p: float = 0.8

    def __post_init__(self) -> None:
        for name in ("temperature", "residual_temperature"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must be 0 or more")
        for name in ("top_k", "residual_top_k"):
            if not 1 <= getattr(self, name) <= MOST:
                raise ValueError(f"{name} must be 1 to {MOST}")
        for name in ("top_p", "residual_top_p"):
            if not 0 < getattr(self, name) <= 1:
                raise ValueError(f"{name} must be over 0 and at most 1")
        if self.penalty <= 0:
            raise ValueError("penalty must be over 0")


GREEDY: Final = Sampling(temperature=0, penalty=1.0, residual_temperature=0)
"""The likeliest code of each codebook."""


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """How n rows draw, as the arithmetic of a draw takes it: what logits are multiplied by [n, 1];
    which ranks are left out, bool [n, k]; the share that is kept [n, 1]; which take the likeliest,
    bool [n]."""

    sharpness: Tensor
    barred: Tensor
    top_p: Tensor
    likeliest: Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """The settings of n rows for one kind of draw: each [n], on the rows' device."""

    temperature: Tensor
    top_k: Tensor
    top_p: Tensor

    @classmethod
    def empty(cls, rows: int, device: torch.device) -> Choice:
        zeros = torch.zeros(rows, device=device)
        return cls(zeros, torch.ones_like(zeros, dtype=torch.long), torch.ones_like(zeros))

    def set(self, row: int, temperature: float, top_k: int, top_p: float) -> None:
        self.temperature[row] = temperature
        self.top_k[row] = top_k
        self.top_p[row] = top_p

    def first(self, rows: int) -> Choice:
        return Choice(self.temperature[:rows], self.top_k[:rows], self.top_p[:rows])

    def at(self, rows: Tensor) -> Choice:
        return Choice(self.temperature[rows], self.top_k[rows], self.top_p[rows])

    def rule(self, codes: int) -> Rule:
        """For draws of one of so many codes; worth making once for all draws of a step."""
        ranks = torch.arange(min(MOST, codes), device=self.top_k.device)
        likeliest = self.temperature <= 0
        sharpness = 1 / torch.where(likeliest, 1, self.temperature)
        barred = ranks >= self.top_k[:, None]
        return Rule(sharpness[:, None], barred, self.top_p[:, None], likeliest)


def uniform(seeds: Tensor, frames: Tensor, codebooks: int) -> Tensor:
    """Numbers in [0, 1), [n, codebooks], that depend on nothing but seed, frame and codebook.

    seeds, frames: int64 [n]. SplitMix64 (Steele, Lea and Flood, 2014) over the three; 24 bits of it
    are kept, which single precision holds exactly.
    """
    books = torch.arange(codebooks, device=seeds.device)
    own = _mixed(_mixed(seeds) + frames)
    bits = _mixed(own[:, None] + books)
    return _shifted(bits, 40).float() * 2**-24


def _mixed(state: Tensor) -> Tensor:
    state = state + _GOLDEN
    state = (state ^ _shifted(state, 30)) * _FIRST
    state = (state ^ _shifted(state, 27)) * _SECOND
    return state ^ _shifted(state, 31)


def _shifted(bits: Tensor, by: int) -> Tensor:
    """A shift to the right that brings in zeros, which torch's of signed numbers doesn't."""
    return (bits >> by) & ((1 << (64 - by)) - 1)


def draw(logits: Tensor, rule: Rule, chances: Tensor) -> Tensor:
    """A code for each row, int64 [n], of logits [n, codes] (single precision).

    chances: uniform in [0, 1), [n]. Candidates are ordered by likelihood; of the `top_k` first,
    those are kept before which less than `top_p` of the whole lies.
    """
    reached, kept, codes = candidates(logits, rule)
    wanted = chances[:, None] * torch.where(kept, reached, 0).amax(dim=-1, keepdim=True)
    # What is wanted is never past what the last one kept reaches, so that one is never passed.
    at = (reached < wanted).sum(dim=-1, keepdim=True)
    return torch.where(rule.likeliest, logits.argmax(dim=-1), codes.gather(1, at)[:, 0])


def candidates(logits: Tensor, rule: Rule) -> tuple[Tensor, Tensor, Tensor]:
    """What a draw may come to, likeliest first, each [n, k]: the share of each and all before it,
    whether it is kept, its code."""
    best, codes = logits.topk(rule.barred.shape[-1], dim=-1)
    shares = (best * rule.sharpness).masked_fill(rule.barred, -torch.inf).softmax(dim=-1)
    reached = shares.cumsum(dim=-1)
    return reached, (reached - shares < rule.top_p) & ~rule.barred, codes


def penalised(logits: Tensor, seen: Tensor, penalty: Tensor) -> Tensor:
    """Logits [n, codes] with those of codes already used (seen, bool [n, codes]) made less likely.

    penalty: [n].
    """
    by = penalty[:, None]
    return torch.where(seen, torch.where(logits < 0, logits * by, logits / by), logits)
