"""The talker's experts: each token goes through a few of many small MLPs, and one that all share.

E: experts; H: hidden size; I: an expert's width.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor
from torch.nn import functional

from engine.families.qwen3_omni.layers import Mlp, gated, linear

_GROUPING: Final = {9: "2.10", 10: "2.13"}
"""Compute capabilities, and the torch from which on it has kernels for them that multiply groups of
rows. On others it asks the device how many rows each group has, which no graph can hold."""


def multiplies_groups(device: torch.device, dtype: torch.dtype) -> bool:
    """Whether torch has one call for all experts here, and the host need not wait for it."""
    if device.type != "cuda" or dtype != torch.bfloat16:
        return False
    since = _GROUPING.get(torch.cuda.get_device_capability(device)[0])
    return since is not None and torch.__version__ >= since


@dataclass(frozen=True, slots=True, eq=False)
class Experts:
    """router: [E + 1, H], the last row the gate of the shared expert; gate_up: [E, 2 I, H]; down:
    [E, H, I]; top: experts of each token. groups: see `multiplies_groups`."""

    router: Tensor
    gate_up: Tensor
    down: Tensor
    top: int
    normalised: bool
    shared: Mlp
    groups: bool = False

    @classmethod
    def of(cls, module: Any) -> Experts:
        return cls(
            router=torch.cat((module.gate.weight, module.shared_expert_gate.weight)).detach(),
            gate_up=module.experts.gate_up_proj.detach(),
            down=module.experts.down_proj.detach(),
            top=int(module.gate.top_k),
            normalised=bool(module.gate.norm_topk_prob),
            shared=Mlp.of(module.shared_expert),
            groups=multiplies_groups(module.gate.weight.device, module.gate.weight.dtype),
        )

    def __call__(self, x: Tensor) -> Tensor:
        flat = x.flatten(0, -2)
        logits = linear(flat, self.router)
        shared = torch.sigmoid(logits[:, -1:]) * self.shared(flat)
        return (self._routed(flat, logits[:, :-1]) + shared).view_as(x)

    def _routed(self, x: Tensor, logits: Tensor) -> Tensor:
        """Tokens are sorted by expert, so that each expert is one multiplication, then put back;
        a token's experts are summed in its own order, whatever tokens share the call."""
        weights, chosen = self._route(logits)
        order = chosen.flatten().argsort(stable=True)
        hits = torch.zeros(len(self.down), dtype=torch.int32, device=x.device)
        hits.scatter_add_(0, chosen.flatten(), torch.ones_like(order, dtype=torch.int32))
        made = self._grouped(x[order // self.top], hits)
        back = torch.empty_like(made).index_copy_(0, order, made)
        return (back.view(*chosen.shape, -1) * weights[..., None]).sum(dim=1)

    def _route(self, logits: Tensor) -> tuple[Tensor, Tensor]:
        """Weights and experts [tokens, top]. Probabilities are single precision, as they were when
        the router was trained."""
        shares = torch.softmax(logits, dim=-1, dtype=torch.float)
        weights, chosen = shares.topk(self.top, dim=-1)
        if self.normalised:
            weights = weights / weights.sum(dim=-1, keepdim=True)
        return weights.to(logits.dtype), chosen

    def _grouped(self, x: Tensor, hits: Tensor) -> Tensor:
        """x: [tokens × top, H], sorted by expert; hits: tokens of each expert [E]. A device must
        not be waited for, so there the shapes of the calls don't depend on what was chosen."""
        if x.device.type == "cpu":
            return self.one_by_one(x, hits)
        return self.in_groups(x, hits) if self.groups else self.gathered(x, hits)

    def one_by_one(self, x: Tensor, hits: Tensor) -> Tensor:
        """Leaves out the experts that no token asks for."""
        return torch.cat(list(self._each(x, hits)))

    def in_groups(self, x: Tensor, hits: Tensor) -> Tensor:
        """One call for all experts."""
        stops = hits.cumsum(0, dtype=torch.int32)
        both = functional.grouped_mm(x, self.gate_up.transpose(1, 2), offs=stops)
        return functional.grouped_mm(gated(both), self.down.transpose(1, 2), offs=stops)

    def gathered(self, x: Tensor, hits: Tensor) -> Tensor:
        """Every token gets a copy of its expert; of any numbers, and slow."""
        stops = hits.cumsum(0)
        experts = torch.searchsorted(stops, torch.arange(len(x), device=x.device), right=True)
        both = torch.bmm(self.gate_up[experts], x[..., None])[..., 0]
        return torch.bmm(self.down[experts], gated(both)[..., None])[..., 0]

    def _each(self, x: Tensor, hits: Tensor) -> Iterator[Tensor]:
        at = 0
        for expert, count in enumerate(hits.tolist()):
            if count:
                own = x[at : at + count]
                yield linear(gated(linear(own, self.gate_up[expert])), self.down[expert])
                at += count
