"""The int8 kernels of this processor compute what exact integers would.

AVX2 without VNNI adds products of u8 and s8 in pairs that saturate at 32,767. If that happened
often it would be heard as noise which no other processor makes.
"""

import numpy as np
import openvino as ov
import pytest

from engine.families.embedded.clause import Plan
from engine.families.embedded.decoder import _high_shapes, _middle_shapes
from tests.engine.families.embedded.driving import SENTENCE, snr, utterance

pytestmark = pytest.mark.long

#: Acoustic frames [LOW, LOW + COUNT) of a sentence are looked at.
LOW, COUNT = 60, 34
#: dB by which the kernels' noise may differ from that of quantising itself.
ALIKE = 1.0


@pytest.fixture(scope="module")
def rendering(fast):
    said = utterance(SENTENCE)
    plans = [p for p in fast.think(said) if isinstance(p, Plan)]
    (frames,) = fast.talk(said, plans)
    return fast.code2wav._renderer.clause(frames).renderings[0]


@pytest.mark.parametrize("part", ["low_rate", "middle", "high"])
def test_int8_kernels_make_no_other_noise_than_quantising_does(fast, rendering, prepared, part):
    decoder = fast.code2wav._decoder
    ask, shapes = {
        "low_rate": (decoder.low_feeds, None),
        "middle": (decoder.middle_feeds, _middle_shapes),
        "high": (decoder.high_feeds, _high_shapes),
    }[part]
    feeds = ask(rendering, LOW, LOW + COUNT)
    quantised, floats = (getattr(prepared(p), part) for p in ("int8", "f32"))
    native, kernels = _made(quantised, shapes, feeds, {})
    emulated, others = _made(quantised, shapes, feeds, {"LP_TRANSFORMS_MODE": "NO"})
    reference, _ = _made(floats, shapes, feeds, {})
    assert _in_int8(kernels) >= 10
    assert _in_int8(others) == 0
    noise, expected = snr(reference, native), snr(reference, emulated)
    print(f"{part}: {noise:.2f} dB as run, {expected:.2f} dB emulated, {snr(emulated, native):.2f}")
    assert abs(noise - expected) < ALIKE


def _in_int8(kernels):
    return sum("Convolution" in kind and "I8" in kernel.upper() for kind, kernel in kernels)


def _made(path, shapes, feeds, settings):
    """What a graph makes in plain floats but for int8, and (kind, kernel) of each node."""
    core = ov.Core()
    model = core.read_model(str(path))
    if shapes is not None:
        model.reshape({name: list(shape) for name, shape in shapes(COUNT).items()})
    base = {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32"}
    compiled = core.compile_model(model, "CPU", base | settings)
    made = np.array(compiled(dict(feeds))[0])
    nodes = compiled.get_runtime_model().get_ops()
    told = [{k: str(v.astype(str)) for k, v in node.get_rt_info().items()} for node in nodes]
    return made, [(one.get("layerType", ""), one.get("primitiveType", "")) for one in told]
