"""Makes a graph with given statistics lean: what depends on the utterance alone is computed once.

An adaptive norm is (x - mean) / sqrt(variance + eps) * gamma + beta, with gamma and beta from the
style: one scale and one shift a channel, so one multiply-add a sample. And the snake activation's
sin(a x)^2 becomes a polynomial of the distance to the nearest multiple of pi.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper

from engine.families.embedded import surgery

AFFINE = "affine"


@dataclass(frozen=True, slots=True)
class _Adaptive:
    """One adaptive norm: `divide` normalises, `scale` and `shift` are its Mul and Add."""

    divide: NodeProto
    scale: NodeProto
    shift: NodeProto
    root: str
    mean: str
    source: str
    gamma: str
    beta: str


def fold(model: ModelProto, style: str, statistics: str) -> tuple[ModelProto, ModelProto]:
    """(affine, lean): `affine` turns style and statistics into the vector [1, A, 1] of scales and
    shifts that `lean` takes in their place."""
    found = _adaptive_norms(model)
    affine = _affine_graph(model, found, style, statistics)
    return affine, _lean_graph(model, found, _channels(affine))


def _adaptive_norms(model: ModelProto) -> list[_Adaptive]:
    makers, readers = surgery.producers(model), surgery.consumers(model)
    found = []
    for divide in model.graph.node:
        above, below = (
            (makers.get(name) for name in divide.input[:2]) if _is(divide, "Div") else (None, None)
        )
        if above is None or below is None or not (_is(above, "Sub") and _is(below, "Sqrt")):
            continue
        source, mean = above.input
        for scale in readers[divide.output[0]]:
            shift = readers[scale.output[0]][0]
            gamma = _other(scale, divide.output[0])
            beta = _other(shift, scale.output[0])
            found.append(
                _Adaptive(divide, scale, shift, below.output[0], mean, source, gamma, beta)
            )
    return found


def _is(node: NodeProto, kind: str) -> bool:
    return bool(node.op_type == kind)


def _other(node: NodeProto, name: str) -> str:
    return str(next(i for i in node.input if i != name))


def _affine_graph(
    model: ModelProto, found: list[_Adaptive], style: str, statistics: str
) -> ModelProto:
    graph = surgery.copy_model(model)
    names = []
    for i, norm in enumerate(found):
        scale, product, shift = f"scale_{i}", f"scaled_mean_{i}", f"shift_{i}"
        graph.graph.node.append(helper.make_node("Div", [norm.gamma, norm.root], [scale]))
        graph.graph.node.append(helper.make_node("Mul", [norm.mean, scale], [product]))
        graph.graph.node.append(helper.make_node("Sub", [norm.beta, product], [shift]))
        names += [scale, shift]
    graph.graph.node.append(helper.make_node("Concat", names, [AFFINE], axis=1))
    info = helper.make_tensor_value_info(AFFINE, TensorProto.FLOAT, [1, "affine", 1])
    graph.graph.output.append(info)
    return surgery.extract(graph, [style, statistics], [AFFINE])


def _channels(affine: ModelProto) -> list[int]:
    """Length of each scale and shift, by running the affine graph's shape inference on zeros."""
    import onnxruntime as ort

    probe = surgery.copy_model(affine)
    names = list(probe.graph.node[-1].input)
    probe.graph.output.extend(
        helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in names
    )
    session = ort.InferenceSession(probe.SerializeToString(), providers=["CPUExecutionProvider"])
    feeds = {i.name: np.ones(i.shape, np.float32) for i in session.get_inputs()}
    return [value.shape[1] for value in session.run(names, feeds)]


def _lean_graph(model: ModelProto, found: list[_Adaptive], channels: list[int]) -> ModelProto:
    lean = surgery.copy_model(model)
    copies = {node.name: node for node in lean.graph.node}
    pieces = [name for i in range(len(found)) for name in (f"scale_{i}", f"shift_{i}")]
    lengths = surgery.add_constant(lean, "affine_lengths", np.asarray(channels, np.int64))
    info = helper.make_tensor_value_info(AFFINE, TensorProto.FLOAT, [1, sum(channels), 1])
    lean.graph.input.append(info)
    replaced: dict[int, list[NodeProto]] = {}
    for i, norm in enumerate(found):
        replaced[id(copies[norm.shift.name])] = [
            helper.make_node("Mul", [norm.source, f"scale_{i}"], [f"scaled_{i}"]),
            helper.make_node("Add", [f"scaled_{i}", f"shift_{i}"], [norm.shift.output[0]]),
        ]
    nodes = [helper.make_node("Split", [AFFINE, lengths], pieces, axis=1)]
    for node in lean.graph.node:
        nodes += replaced.get(id(node), [node])
    surgery.replace_nodes(lean, nodes)
    return _drop_unused_inputs(lean)


def _drop_unused_inputs(model: ModelProto) -> ModelProto:
    used = {name for node in model.graph.node for name in node.input}
    kept = [
        ValueInfoProto.FromString(i.SerializeToString())
        for i in model.graph.input
        if i.name in used
    ]
    del model.graph.input[:]
    model.graph.input.extend(kept)
    return model


def polynomial_snake(model: ModelProto, degree: int = 4) -> ModelProto:
    """A copy whose Sin -> Pow(2) pairs are polynomials of `degree` in the squared distance to the
    nearest zero of the sine; the largest error at degree 4 is about 2e-5."""
    result = surgery.copy_model(model)
    makers, readers = surgery.producers(result), surgery.consumers(result)
    values = surgery.constants(result)
    powers = [
        surgery.add_constant(result, f"snake_{k}", np.asarray(c, np.float32))
        for k, c in enumerate(sine_squared(degree))
    ]
    surgery.add_constant(result, "snake_half", np.asarray(0.5, np.float32))
    replaced: dict[int, list[NodeProto]] = {}
    for sine in [n for n in result.graph.node if n.op_type == "Sin"]:
        power, product = readers[sine.output[0]][0], makers.get(sine.input[0])
        if power.op_type != "Pow" or product is None or product.op_type != "Mul":
            continue
        alpha = next(i for i in product.input if i in values)
        turns = surgery.add_constant(
            result, f"{sine.name}_turns", values[alpha] / np.float32(np.pi)
        )
        replaced[id(power)] = _snake(
            _other(product, alpha), turns, powers, sine.name, power.output[0]
        )
    nodes = [new for node in result.graph.node for new in replaced.get(id(node), [node])]
    surgery.replace_nodes(result, nodes)
    return result


def _snake(x: str, turns: str, powers: list[str], prefix: str, out: str) -> list[NodeProto]:
    def name(part: str) -> str:
        return f"{prefix}_{part}"

    nodes = [
        helper.make_node("Mul", [x, turns], [name("u")]),
        helper.make_node("Add", [name("u"), "snake_half"], [name("above")]),
        helper.make_node("Floor", [name("above")], [name("nearest")]),
        helper.make_node("Sub", [name("u"), name("nearest")], [name("y")]),
        helper.make_node("Mul", [name("y"), name("y")], [name("w")]),
    ]
    last = powers[-1]
    for k in range(len(powers) - 2, -1, -1):
        nodes.append(helper.make_node("Mul", [last, name("w")], [name(f"m{k}")]))
        nodes.append(helper.make_node("Add", [name(f"m{k}"), powers[k]], [name(f"a{k}")]))
        last = name(f"a{k}")
    nodes.append(helper.make_node("Mul", [last, name("w")], [out]))
    return nodes


def sine_squared(degree: int) -> NDArray[np.float64]:
    """Coefficients c: sin(pi y)^2 ~ sum c[k] y^(2 (k + 1)) for |y| <= 1/2, by reweighted least
    squares."""
    y = np.linspace(0, 0.5, 4001)
    terms = np.stack([y ** (2 * k) for k in range(1, degree + 1)], axis=1)
    target, weight = np.sin(np.pi * y) ** 2, np.ones_like(y)
    for _ in range(60):
        c = np.linalg.lstsq(terms * weight[:, None], target * weight, rcond=None)[0]
        error = np.abs(terms @ c - target)
        weight = weight * (1 + error / error.max())
        weight /= weight.max()
    return np.asarray(c)
