"""Dynamic int8 convolutions back to float32 ones.

A dynamic quantiser scales by the largest value in its input, so a window would be quantised
otherwise than the whole; what is run in windows must therefore not have one. The weights are those
of the int8 model, scaled back, so nothing is lost beyond what the int8 model had lost already.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, helper

from engine.errors import ModelDamaged
from engine.families.embedded import surgery


@dataclass(frozen=True, slots=True)
class _Chain:
    """ConvInteger, perhaps Add (bias), Cast, Mul (scale): what one float convolution replaces."""

    nodes: tuple[NodeProto, ...]
    bias: NDArray[np.float32] | None

    @property
    def last(self) -> NodeProto:
        return self.nodes[-1]


class _Reader:
    """Finds the chain behind each ConvInteger of one model."""

    def __init__(self, model: ModelProto) -> None:
        self.makers = surgery.producers(model)
        self.readers = surgery.consumers(model)
        self.values = surgery.constants(model)

    def chain(self, conv: NodeProto) -> _Chain:
        nodes, bias = [conv], None
        node = self._only_reader(conv)
        if node.op_type == "Add":
            bias = self._bias(next(i for i in node.input if i != conv.output[0]))
            nodes.append(node)
            node = self._only_reader(node)
        scale = self._only_reader(node)
        if (node.op_type, scale.op_type) != ("Cast", "Mul"):
            raise ModelDamaged(f"{conv.name}: expected Cast and Mul after an integer convolution")
        return _Chain((*nodes, node, scale), bias)

    def weight(self, conv: NodeProto) -> NDArray[np.float32]:
        """The convolution's weights in float32; zero point and scale are a channel's or one."""
        name = conv.input[1]
        weight = self.values[name].astype(np.float32)
        per_channel = [-1] + [1] * (weight.ndim - 1)
        zero: NDArray[Any] = np.asarray(self.values[conv.input[3]] if len(conv.input) > 3 else 0)
        scale = np.asarray(self.values[name.replace("_quantized", "") + "_scale"], np.float32)
        centred = weight - zero.astype(np.float32).reshape(per_channel)
        return (centred * scale.reshape(per_channel)).astype(np.float32)

    def _bias(self, name: str) -> NDArray[np.float32]:
        """The float bias at the root of the graph's own int32 bias (bias / scale, floored)."""
        node = self.makers[name]
        while node.op_type != "Div":
            node = self.makers[node.input[0]]
        return self.values[node.input[0]].astype(np.float32).ravel()

    def _only_reader(self, node: NodeProto) -> NodeProto:
        readers = self.readers[node.output[0]]
        if len(readers) != 1:
            raise ModelDamaged(f"{node.name}: expected one reader, found {len(readers)}")
        return readers[0]


def dequantise(model: ModelProto) -> ModelProto:
    """A copy of `model` in which every ConvInteger is a float32 Conv. LSTMs and MatMuls stay."""
    result = surgery.copy_model(model)
    reader = _Reader(result)
    dropped: set[int] = set()
    placed: dict[int, NodeProto] = {}
    for conv in [n for n in result.graph.node if n.op_type == "ConvInteger"]:
        chain = reader.chain(conv)
        dropped.update(id(node) for node in chain.nodes)
        placed[id(chain.last)] = _float_conv(result, reader, conv, chain)
    nodes = [
        placed.get(id(n), n) for n in result.graph.node if id(n) in placed or id(n) not in dropped
    ]
    surgery.replace_nodes(result, nodes)
    return result


def _float_conv(model: ModelProto, reader: _Reader, conv: NodeProto, chain: _Chain) -> NodeProto:
    source = reader.makers[conv.input[0]].input[0]
    inputs = [source, surgery.add_constant(model, f"{conv.name}_weight", reader.weight(conv))]
    if chain.bias is not None:
        inputs.append(surgery.add_constant(model, f"{conv.name}_bias", chain.bias))
    made = helper.make_node("Conv", inputs, [chain.last.output[0]], name=f"{conv.name}_float")
    made.attribute.extend(conv.attribute)
    return made
