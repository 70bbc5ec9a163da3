"""Transposed convolutions of two neighbours as products are the same; others are left alone."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from engine.families.embedded.upsample import as_products
from tests.engine.families.embedded.driving import run

INS, OUTS, LENGTH = 6, 5, 17


def _model(stride, kernel, pads, bias=True, group=1):
    rng = np.random.default_rng(stride)
    weight = rng.normal(size=(INS, OUTS if group == 1 else 2, kernel)).astype(np.float32)
    values = {"weight": weight}
    if bias:
        outs = OUTS if group == 1 else 2 * group
        values["bias"] = rng.normal(size=outs).astype(np.float32)
    node = helper.make_node(
        "ConvTranspose",
        ["x", *values],
        ["y"],
        name="up",
        strides=[stride],
        pads=list(pads),
        group=group,
    )
    graph = helper.make_graph(
        [node],
        "upsampling",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, INS, "length"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, "channels", "longer"])],
        [numpy_helper.from_array(value, name) for name, value in values.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def _kinds(model):
    return [node.op_type for node in model.graph.node]


@pytest.mark.parametrize("length", [1, 2, LENGTH])
@pytest.mark.parametrize(("stride", "pads"), [(6, (3, 3)), (10, (5, 5)), (7, (4, 4)), (8, (4, 4))])
def test_a_product_is_the_transposed_convolution(stride, pads, length):
    model = _model(stride, 2 * stride, pads)
    made = as_products(model)
    x = np.random.default_rng(1).normal(size=(1, INS, length)).astype(np.float32)
    was, now = (run(one, {"x": x})["y"] for one in (model, made))
    assert "ConvTranspose" not in _kinds(made)
    assert was.shape == now.shape
    np.testing.assert_allclose(now, was, atol=1e-5)


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(_model(5, 20, (0, 0)), id="of more than two neighbours"),
        pytest.param(_model(10, 15, (2, 2)), id="of a kernel that is no two strides"),
        pytest.param(_model(2, 4, (1, 1)), id="of a short stride"),
        pytest.param(_model(6, 12, (3, 3), bias=False), id="without a bias"),
        pytest.param(_model(6, 12, (3, 3), group=3), id="in groups"),
    ],
)
def test_others_are_left_alone(model):
    made = as_products(model)
    assert _kinds(made) == ["ConvTranspose"]
    x = np.random.default_rng(1).normal(size=(1, INS, LENGTH)).astype(np.float32)
    was, now = (run(one, {"x": x})["y"] for one in (model, made))
    np.testing.assert_array_equal(now, was)


def test_the_model_given_is_not_changed():
    model = _model(6, 12, (3, 3))
    before = model.SerializeToString()
    as_products(model)
    assert model.SerializeToString() == before
