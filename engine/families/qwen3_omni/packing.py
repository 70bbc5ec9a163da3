"""Weights in the order in which a processor's kernels for two-byte numbers read them.

Of a plain weight those kernels make such an order anew at each product, which for few rows takes
longer than the product itself. A packed weight is held in that order and in no other.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import torch
from torch import Tensor
from torch.nn import functional

LARGE: Final = 2**16
"""Numbers from which on a weight is packed: smaller ones stay in the cache, and are used with so
many rows that their order does not count."""


def packed(weight: Tensor) -> Tensor:
    """The weight [out, in] as `linear` is fastest with; the same tensor if it is so already.

    Only large bfloat16 ones on a CPU whose kernels are oneDNN's are packed. Of a packed tensor
    only its shape, dtype and device can be asked; it takes as many bytes as before, but for `out`
    being rounded up to whole blocks of 64.
    """
    return _reordered(weight) if _gains(weight) else weight


def _gains(weight: Tensor) -> bool:
    plain = weight.device.type == "cpu" and not weight.is_mkldnn
    two_bytes = weight.dtype == torch.bfloat16 and weight.numel() >= LARGE
    return plain and two_bytes and works()


@cache
def works() -> bool:
    """Whether weights can be packed here: tried once, on a small product.

    The operators are torch's own and promised to nobody, so a release may lack them or take other
    arguments; nor has each processor the kernels. Then weights stay plain.
    """
    try:
        return torch.ops.mkldnn._is_mkldnn_bf16_supported() and _multiplies()
    except (AttributeError, RuntimeError, TypeError):
        return False


def _multiplies() -> bool:
    """Of whole numbers, whose sums bfloat16 holds exactly."""
    x = (torch.arange(5 * 96).view(5, 96) % 3 - 1).bfloat16()
    weight, bias = (torch.arange(64 * 96).view(64, 96) % 5 % 2).bfloat16(), x[0, :64]
    made = _multiplied(x, _reordered(weight), bias)
    return torch.equal(made, functional.linear(x, weight, bias))


def _reordered(weight: Tensor) -> Tensor:
    made: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight)
    return made


def _multiplied(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    made: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
    return made


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Multiplies x [..., in] by weight [out, in], packed or not, and adds bias [out]."""
    if weight.is_mkldnn:
        return _multiplied(x, weight, bias)
    return functional.linear(x, weight, bias)
