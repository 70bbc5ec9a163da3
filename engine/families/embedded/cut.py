r"""Where the model is cut, by tensor name, and the cutting.

    tokens, style, speed -> durations -> prosody -> low rate  \
                                            F0  -> source ----> generator -> sound

The generator itself is cut once more, where it goes from 20 values a frame to 120.

Cut so, the parts run one after the other equal the whole bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass

from onnx import ModelProto

from engine.families.embedded import surgery

TOKENS, STYLE, SPEED, AUDIO = "tokens", "style", "speed", "audio"
#: Frames a token before rounding, float [1, tokens]; and after, as the model would round them.
RAW_DURATIONS = "/encoder/Div_output_0"
DURATIONS = "/encoder/Clip_output_0"
#: F0 in Hz and energy, two values an acoustic frame [1, 2T]; features [1, 512, T].
F0 = "/encoder/Reshape_output_0"
ENERGY = "/encoder/Reshape_1_output_0"
FEATURES = "/encoder/MatMul_1_output_0"
#: What the low-rate decoder hands to the generator [1, 256, 20T], its first upsampling done; what
#: the first half of the generator hands to the second [1, 256, 20T]; and the harmonic source
#: [1, 22, 120T + 1].
LOW = "/decoder/decoder/generator/ups.0/ConvTranspose_output_0"
MIDDLE = "/decoder/decoder/generator/Div_2_output_0"
SOURCE = "/decoder/decoder/generator/Concat_3_output_0"

_SHAPES: dict[str, list[int | str]] = {
    RAW_DURATIONS: [1, "tokens"],
    DURATIONS: [1, "tokens"],
    F0: [1, "half_frames"],
    ENERGY: [1, "half_frames"],
    FEATURES: [1, 512, "frames"],
    LOW: [1, 256, "middle_frames"],
    MIDDLE: [1, 256, "middle_frames"],
    SOURCE: [1, 22, "source_frames"],
}


@dataclass(frozen=True, slots=True)
class Parts:
    """The model in five. `hidden` names what durations hands to prosody besides durations."""

    durations: ModelProto
    prosody: ModelProto
    low_rate: ModelProto
    source: ModelProto
    generator: ModelProto
    hidden: tuple[str, ...]


def cut(model: ModelProto) -> Parts:
    """Cuts the whole model (inputs tokens, style, speed; output audio) into its parts."""
    whole = surgery.copy_model(model)
    surgery.declare(whole, _SHAPES)
    hidden = _hidden(whole)
    surgery.declare(whole, dict.fromkeys(hidden))
    heads = [DURATIONS, *hidden]
    return Parts(
        durations=surgery.extract(whole, [TOKENS, STYLE, SPEED], [RAW_DURATIONS, *heads]),
        prosody=surgery.extract(whole, [TOKENS, STYLE, *heads], [F0, ENERGY, FEATURES]),
        low_rate=surgery.extract(whole, [FEATURES, F0, ENERGY, STYLE], [LOW]),
        source=surgery.extract(whole, [F0], [SOURCE]),
        generator=surgery.extract(whole, [LOW, SOURCE, STYLE], [AUDIO]),
        hidden=tuple(hidden),
    )


def halves(generator: ModelProto, affine: str) -> tuple[ModelProto, ModelProto]:
    """A generator whose norms are folded (see `fold`): (at 20 values a frame, at 120)."""
    whole = surgery.copy_model(generator)
    surgery.declare(whole, {MIDDLE: _SHAPES[MIDDLE]})
    middle = surgery.extract(whole, [LOW, SOURCE, affine], [MIDDLE])
    return middle, surgery.extract(whole, [MIDDLE, SOURCE, affine], [AUDIO])


def _hidden(model: ModelProto) -> list[str]:
    """The activations (float) that prosody needs and that are there before durations are.

    Without them prosody would run the text encoder a second time.
    """
    after, of_input, needed = {DURATIONS}, {TOKENS, STYLE}, {F0, ENERGY, FEATURES}
    for node in model.graph.node:
        for reached in (after, of_input):
            if reached.intersection(node.input):
                reached.update(node.output)
    for node in reversed(model.graph.node):
        if needed.intersection(node.output):
            needed.update(node.input)
    found: dict[str, None] = {}
    for node in model.graph.node:
        if DURATIONS not in node.output and after.intersection(node.output) & needed:
            found.update((i, None) for i in node.input if i in of_input and i not in after)
    return [name for name in found if name not in (TOKENS, STYLE)]
