"""Instance norms whose mean and variance are given instead of taken over the window.

A window of sound decoded alone differs from the same stretch of the whole almost only because each
of the 54 instance norms (10 in the low-rate part, 44 in the generator) takes its statistics over
what it sees. `measured` makes a graph tell them, `given` makes it take them.

The statistics of a graph are one vector [1, S, 1]: for each norm in graph order its channel means,
then its channel variances.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper

from engine.errors import ModelDamaged
from engine.families.embedded import surgery

STATISTICS = "statistics"


@dataclass(frozen=True, slots=True)
class Norm:
    """mean and variance are ReduceMean nodes; square is the product between them."""

    mean: NodeProto
    square: NodeProto
    variance: NodeProto


def find(model: ModelProto) -> list[Norm]:
    """The instance norms: ReduceMean -> Sub -> Mul (by itself) -> ReduceMean, in graph order."""
    readers = surgery.consumers(model)
    found = []
    for node in model.graph.node:
        centred = [r for r in readers[node.output[0]] if r.op_type == "Sub"]
        if node.op_type == "ReduceMean" and centred:
            found.append(_norm(node, centred[0], readers))
    return found


def _norm(mean: NodeProto, centred: NodeProto, readers: dict[str, list[NodeProto]]) -> Norm:
    for square in readers[centred.output[0]]:
        after = readers[square.output[0]]
        if square.op_type == "Mul" and len(after) == 1 and after[0].op_type == "ReduceMean":
            return Norm(mean, square, after[0])
    raise ModelDamaged(f"{mean.name}: expected a variance behind this mean")


def measured(model: ModelProto) -> ModelProto:
    """A copy that also tells the statistics it used, as the output `statistics`."""
    result = surgery.copy_model(model)
    names = [name for n in find(result) for name in (n.mean.output[0], n.variance.output[0])]
    result.graph.node.append(helper.make_node("Concat", names, [STATISTICS], axis=1))
    info = helper.make_tensor_value_info(STATISTICS, TensorProto.FLOAT, [1, "statistics", 1])
    result.graph.output.append(info)
    return result


def given(model: ModelProto, sizes: list[int]) -> ModelProto:
    """A copy that takes the input `statistics`; `sizes` has the channels of each norm."""
    result = surgery.copy_model(model)
    norms = find(result)
    if len(norms) != len(sizes):
        raise ModelDamaged(f"expected {len(sizes)} instance norms, found {len(norms)}")
    pieces = [f"statistics_{i}" for i in range(2 * len(norms))]
    renamed = {
        name: piece
        for norm, pair in zip(norms, zip(pieces[::2], pieces[1::2], strict=True), strict=True)
        for name, piece in zip((norm.mean.output[0], norm.variance.output[0]), pair, strict=True)
    }
    _take_statistics(result, norms, renamed, _split(result, sizes, pieces))
    return result


def _split(model: ModelProto, sizes: list[int], pieces: list[str]) -> NodeProto:
    lengths = np.repeat(np.asarray(sizes, np.int64), 2)
    name = surgery.add_constant(model, "statistics_lengths", lengths)
    shape = [1, int(lengths.sum()), 1]
    model.graph.input.append(helper.make_tensor_value_info(STATISTICS, TensorProto.FLOAT, shape))
    return helper.make_node("Split", [STATISTICS, name], pieces, axis=1)


def _take_statistics(
    model: ModelProto, norms: list[Norm], renamed: dict[str, str], split: NodeProto
) -> None:
    dropped = {id(part) for n in norms for part in (n.mean, n.square, n.variance)}
    kept = [node for node in model.graph.node if id(node) not in dropped]
    for node in kept:
        for at, name in enumerate(node.input):
            node.input[at] = renamed.get(name, name)
    surgery.replace_nodes(model, [split, *kept])


def moments(statistics: NDArray[np.float32], sizes: list[int]) -> NDArray[np.float32]:
    """[..., S] means and variances to means and mean squares, which may be averaged."""
    return _add_square(statistics, sizes, +1)


def from_moments(moments_: NDArray[np.float32], sizes: list[int]) -> NDArray[np.float32]:
    """The inverse of `moments`."""
    return _add_square(moments_, sizes, -1)


def _add_square(values: NDArray[np.float32], sizes: list[int], sign: int) -> NDArray[np.float32]:
    result, at = values.copy(), 0
    for size in sizes:
        mean = values[..., at : at + size]
        result[..., at + size : at + 2 * size] += sign * mean * mean
        at += 2 * size
    return result
