"""The same words decoded whole by the uncut model in float32: what streaming is measured against.

The one place of the benchmarks that looks into the engine; a client could not get this sound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import onnx
import onnxruntime as ort

from engine.families.embedded import assets, cut
from engine.families.embedded.clause import FRAMES_PER_CODEC_FRAME, HOP, Plan
from engine.families.embedded.dequantise import dequantise
from engine.families.embedded.finish import to_int16
from engine.families.embedded.prepare import prepare
from engine.families.embedded.thinker import Thinker
from engine.graph import Worker
from engine.types import Epoch, Int16, RequestId, Utterance


@dataclass(frozen=True, slots=True)
class Whole:
    """sound: int16 at 24 kHz. joins: samples where windows of the streamed sound meet."""

    sound: Int16
    joins: tuple[int, ...]


class WholeDecoder:
    """Loads the model once. Raises ModelMissing, ModelDamaged."""

    def __init__(self, threads: int = 1) -> None:
        config = assets.EmbeddedConfig()
        self._thinker = Thinker(prepare(config, lambda step, done: None), Worker(threads=threads))
        model = dequantise(onnx.load_from_string(assets.model_bytes(config)))
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        providers = ["CPUExecutionProvider"]
        self._model = ort.InferenceSession(model.SerializeToString(), options, providers)

    def decode(self, text: str, voice: str, windows: Sequence[int]) -> Whole:
        """A text as the server would say it, each clause decoded at once. windows: codec frames of
        those that the server told of; where it told of no more, no joins are known."""
        plans = list(self._plans(Utterance(RequestId("whole"), Epoch(0), text, voice)))
        sound = np.concatenate([self._clause(plan) for plan in plans])
        return Whole(sound, tuple(_joins(plans, windows)))

    def _plans(self, said: Utterance) -> Iterator[Plan]:
        state = self._thinker.open(said)
        self._thinker.push(state, said.text)
        self._thinker.end(state)
        while (made := self._thinker.step(state)) is not None:
            if isinstance(made, Plan):
                yield made

    def _clause(self, plan: Plan) -> Int16:
        speed = np.ones(1, np.float32)
        given = {cut.TOKENS: plan.tokens, cut.STYLE: plan.style, cut.SPEED: speed}
        (wave, *_) = self._model.run([cut.AUDIO], given)
        return to_int16(wave.ravel()[plan.span.skip * HOP :])


def _joins(plans: Sequence[Plan], windows: Sequence[int]) -> Iterator[int]:
    """Where a clause's windows meet; not where clauses do, which is silence by design."""
    told = iter(windows)
    for plan in plans:
        at = plan.span.skip
        while at < plan.span.frames:
            if at > plan.span.skip:
                yield plan.span.sample(at)
            if (size := next(told, None)) is None:
                return
            at += size * FRAMES_PER_CODEC_FRAME
