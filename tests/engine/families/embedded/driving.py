"""Drives the family's runners by hand, without threads, and the uncut model beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from unittest import mock

import numpy as np
import onnx
import onnxruntime as ort

from engine.costs import WindowCosts
from engine.families.embedded import assets, costs, cut
from engine.families.embedded.clause import Copied, Frames, Plan
from engine.families.embedded.code2wav import Code2Wav
from engine.families.embedded.prepare import Prepared
from engine.families.embedded.talker import Talker
from engine.families.embedded.thinker import Thinker
from engine.graph import Worker
from engine.types import Epoch, Notice, Passage, Pcm, Performance, RequestId, Utterance

SENTENCE = "The ship was late because of heavy fog, so we had dinner near the old harbour."


def utterance(
    text: str, voice: str = "af_heart", performance: Performance | None = None
) -> Utterance:
    return Utterance(RequestId("take"), Epoch(1), text, voice, performance or Performance())


#: Codec frames of the windows that tests ask for where they don't care: a short one, then more.
PLAN = (4, 4, 10, 10, 20)
#: What windows are said to cost where nobody measures them.
COSTS = WindowCosts(((2, 0.1), (20, 0.5)))


def decoder(prepared: Prepared, threads: int = 1) -> Code2Wav:
    """Code2wav that measured nothing: nor do tests leave behind what a busy machine took."""
    with mock.patch.object(costs, "known", return_value=COSTS):
        return Code2Wav(prepared, Worker(threads=threads))


class Voice:
    def __init__(self, prepared: Prepared) -> None:
        self.thinker = Thinker(prepared, Worker())
        self.talker = Talker(prepared, Worker())
        self.code2wav = decoder(prepared)

    def think(
        self, said: Utterance, pieces: list[str | Passage] | None = None
    ) -> list[Plan | Notice]:
        state = self.thinker.open(said)
        made = []
        for piece in [said.text] if pieces is None else pieces:
            self.thinker.push(state, piece)
            made += _drain(lambda: self.thinker.step(state))
        self.thinker.end(state)
        return made + _drain(lambda: self.thinker.step(state))

    def talk(self, said: Utterance, plans: list[Plan]) -> list[Frames]:
        state = self.talker.open(said)
        for plan in plans:
            self.talker.push(state, plan)
        return _drain(lambda: self.talker.step(state))

    def decode(
        self, said: Utterance, frames: Sequence[Frames | Copied], plan: Sequence[int] = PLAN
    ) -> list[Pcm]:
        return list(Decoding(self.code2wav, said, frames, plan))

    def speak(self, said: Utterance) -> list[Pcm]:
        plans = [p for p in self.think(said) if isinstance(p, Plan)]
        return self.decode(said, self.talk(said, plans))


class Decoding:
    """One stream's windows, one at a time, given frames only as they are needed. plan: codec frames
    of the windows of each clause; the last of them goes on."""

    def __init__(
        self,
        code2wav: Code2Wav,
        said: Utterance,
        frames: Sequence[Frames | Copied],
        plan: Sequence[int] = PLAN,
    ) -> None:
        self.code2wav, self.left, self.plan = code2wav, list(frames), plan
        self.state = code2wav.open(said)
        self.sizes: Iterator[int] = iter(())

    def __iter__(self):
        return self

    def __next__(self) -> Pcm:
        while (ready := self.code2wav.ready(self.state)) is None and self.left:
            self.sizes = chain(self.plan, repeat(self.plan[-1]))
            self.code2wav.push(self.state, self.left.pop(0))
        if ready is None:
            raise StopIteration
        return self.code2wav.decode([self.state], next(self.sizes))[0]


def _drain(step):
    made = []
    while (item := step()) is not None:
        made.append(item)
    return made


def sound(windows: list[Pcm]) -> np.ndarray:
    return np.concatenate([w.samples for w in windows]) if windows else np.zeros(0, np.int16)


def session(model: onnx.ModelProto) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return ort.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])


def run(model: onnx.ModelProto, have: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What a graph makes of those of `have` that it takes."""
    ready = session(model)
    names = [output.name for output in ready.get_outputs()]
    values = ready.run(names, {i.name: have[i.name] for i in ready.get_inputs()})
    return dict(zip(names, values, strict=True))


@dataclass(frozen=True)
class Uncut:
    """The published model, whole, in int8 as it is and in float32."""

    model: onnx.ModelProto

    def feeds(self, plan: Plan) -> dict[str, np.ndarray]:
        one = np.ones(1, np.float32)
        return {cut.TOKENS: plan.tokens, cut.STYLE: plan.style, cut.SPEED: one}


def uncut() -> Uncut:
    return Uncut(onnx.load_from_string(assets.model_bytes(assets.EmbeddedConfig())))


def snr(reference: np.ndarray, other: np.ndarray) -> float:
    """In dB."""
    reference, other = reference.astype(float), other.astype(float)
    return float(10 * np.log10(np.sum(reference**2) / np.sum((reference - other) ** 2)))
