"""Small tools for taking ONNX graphs apart. Nothing here knows which model it works on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import (
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    helper,
    numpy_helper,
    utils,
)


def copy_model(model: ModelProto) -> ModelProto:
    copied: ModelProto = ModelProto.FromString(model.SerializeToString())
    return copied


def producers(model: ModelProto) -> dict[str, NodeProto]:
    """The node that makes each tensor."""
    return {name: node for node in model.graph.node for name in node.output}


def consumers(model: ModelProto) -> dict[str, list[NodeProto]]:
    """The nodes that read each tensor, in graph order."""
    readers: dict[str, list[NodeProto]] = defaultdict(list)
    for node in model.graph.node:
        for name in dict.fromkeys(node.input):
            readers[name].append(node)
    return readers


def constants(model: ModelProto) -> dict[str, NDArray[Any]]:
    """The values of all initialisers and Constant nodes."""
    values = {i.name: numpy_helper.to_array(i) for i in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "Constant":
            values[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
    return values


def extract(model: ModelProto, inputs: Sequence[str], outputs: Sequence[str]) -> ModelProto:
    """The sub-graph from `inputs` to `outputs`, as a model of its own that shares nothing."""
    cut: ModelProto = utils.Extractor(model).extract_model(list(inputs), list(outputs))
    return copy_model(cut)


def declare(model: ModelProto, shapes: Mapping[str, Sequence[int | str] | None]) -> None:
    """Says that inner tensors are float32 of these shapes (None: any), so that they can become
    inputs or outputs."""
    kept = [i for i in model.graph.value_info if i.name not in shapes]
    made = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in shapes.items()]
    infos = [ValueInfoProto.FromString(i.SerializeToString()) for i in (*kept, *made)]
    del model.graph.value_info[:]
    model.graph.value_info.extend(infos)


def add_constant(model: ModelProto, name: str, value: NDArray[Any]) -> str:
    model.graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
    return name


def replace_nodes(model: ModelProto, nodes: Iterable[NodeProto]) -> None:
    """Puts `nodes` in place of the graph's own, then drops what no output needs any more."""
    kept = [NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del model.graph.node[:]
    model.graph.node.extend(_needed(kept, {o.name for o in model.graph.output}))
    used = {name for node in model.graph.node for name in node.input}
    weights = [TensorProto.FromString(i.SerializeToString()) for i in model.graph.initializer]
    del model.graph.initializer[:]
    model.graph.initializer.extend(w for w in weights if w.name in used)


def _needed(nodes: list[NodeProto], outputs: set[str]) -> list[NodeProto]:
    """Those of `nodes` (in topological order) that lead to `outputs`, in the same order."""
    wanted = set(outputs)
    kept: list[NodeProto] = []
    for node in reversed(nodes):
        if wanted.intersection(node.output):
            wanted.update(node.input)
            kept.append(node)
    return kept[::-1]


def save(model: ModelProto, path: Path) -> None:
    onnx.save(model, str(path))
