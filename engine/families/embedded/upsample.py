"""Transposed convolutions as one product and a change of shape.

One whose kernel is two strides long makes `stride` samples of each two neighbours, so it is a
product with their channels side by side. Runtimes have no quick kernel for it on a CPU without
AVX-512: as a product the generator's two take a third of the time, and their sums are in one order
whatever the length, where a convolution with two taps is blocked otherwise in long windows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, helper

from engine.families.embedded import surgery

#: Strides under this stay as they are: the inverse transform's is no product of two neighbours.
LEAST_STRIDE = 6


@dataclass(frozen=True, slots=True)
class _Upsampling:
    """y[stride * i + r - padding] = x[i] . weight[:, :, r] + x[i - 1] . weight[:, :, r + stride].

    weight: [in, out, 2 stride].
    """

    node: NodeProto
    stride: int
    padding: int
    weight: NDArray[np.float32]
    bias: NDArray[np.float32]


def as_products(model: ModelProto) -> ModelProto:
    """A copy in which every such transposed convolution is a product; exact but for rounding."""
    result = surgery.copy_model(model)
    held = list(result.graph.node)
    found = _found(held, surgery.constants(result))
    placed = {id(one.node): _product(result, one) for one in found}
    nodes = [made for node in held for made in placed.get(id(node), [node])]
    surgery.replace_nodes(result, nodes)
    return result


def _found(nodes: list[NodeProto], values: dict[str, NDArray[Any]]) -> list[_Upsampling]:
    made = []
    for node in nodes:
        if node.op_type != "ConvTranspose" or len(node.input) < 3:
            continue
        told = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        stride, weight = int(told["strides"][0]), values[node.input[1]]
        plain = told.get("group", 1) == 1 and weight.shape[2] == 2 * stride
        if plain and stride >= LEAST_STRIDE:
            padding = int(told["pads"][0])
            made.append(_Upsampling(node, stride, padding, weight, values[node.input[2]]))
    return made


def _product(model: ModelProto, one: _Upsampling) -> list[NodeProto]:
    name, (ins, outs, _) = one.node.name, one.weight.shape
    taps = one.weight.reshape(ins, outs, 2, one.stride)[:, :, ::-1]
    matrix = taps.transpose(1, 3, 2, 0).reshape(1, outs * one.stride, 2 * ins)
    bias = np.repeat(one.bias, one.stride)[None, :, None]

    def constant(part: str, value: NDArray[Any]) -> str:
        return surgery.add_constant(model, f"{name}_given_{part}", value)

    def ints(part: str, *values: int) -> str:
        return constant(part, np.asarray(values, np.int64))

    def at(part: str) -> str:
        return f"{name}_{part}"

    source = one.node.input[0]
    axis, trim = ints("axis", 2), (ints("from", one.padding), ints("to", -one.padding))
    steps: list[tuple[str, list[str], str, dict[str, Any]]] = [
        ("Pad", [source, ints("before", 0, 0, 1, 0, 0, 0)], at("earlier"), {}),
        ("Pad", [source, ints("after", 0, 0, 0, 0, 0, 1)], at("later"), {}),
        ("Concat", [at("earlier"), at("later")], at("both"), {"axis": 1}),
        ("MatMul", [constant("matrix", np.ascontiguousarray(matrix)), at("both")], at("made"), {}),
        ("Add", [at("made"), constant("bias", bias)], at("raised"), {}),
        ("Reshape", [at("raised"), ints("apart", 1, outs, one.stride, -1)], at("apart"), {}),
        ("Transpose", [at("apart")], at("turned"), {"perm": [0, 1, 3, 2]}),
        ("Reshape", [at("turned"), ints("flat", 1, outs, -1)], at("flat"), {}),
        ("Slice", [at("flat"), *trim, axis], one.node.output[0], {}),
    ]
    return [helper.make_node(op, i, [out], name=out, **kw) for op, i, out, kw in steps]
