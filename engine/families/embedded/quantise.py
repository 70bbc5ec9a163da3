"""The decoder in int8 for OpenVINO, quantised after training on windows of its own making."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Final, Literal, TypeAlias

import nncf
import openvino as ov

from engine.families.embedded.assets import Progress
from engine.families.embedded.clause import FRAMES_PER_CODEC_FRAME, Frames, Plan
from engine.families.embedded.clauses import ClauseState
from engine.families.embedded.compute import Feeds
from engine.families.embedded.decoder import Decoder
from engine.families.embedded.prepare import Prepared
from engine.families.embedded.rendering import Renderer
from engine.families.embedded.talker import Talker
from engine.families.embedded.thinker import Thinker
from engine.families.embedded.windows import HIGH_CONTEXT, LOW_CONTEXT, MIDDLE_CONTEXT
from engine.graph import Worker
from engine.types import Epoch, RequestId, Utterance

Part: TypeAlias = Literal["low_rate", "middle", "high"]
#: What stays in float: sums and scales, which cost little and round audibly; in the generator the
#: last convolution and the inverse transform, which carry the waveform itself, the source's
#: convolutions, which carry its phase, and the upsampling, which all that follows hangs on; in the
#: low-rate part whatever reads F0 and energy, which are far from the size of the features.
_TYPES: Final = ["Add", "Multiply", "Subtract", "MatMul"]
_IN_FLOAT: Final[dict[Part, list[str]]] = {
    "low_rate": [".*conv1x1.*", ".*F0_conv.*", ".*N_conv.*", ".*asr_res.*"],
    "middle": [".*noise_convs.*"],
    "high": [".*noise_convs.*", ".*conv_post.*", ".*istft.*"],
}
#: Voices of both genders and accents, one line each; codec frames of the windows looked at of each.
_VOICES: Final = ("af_heart", "am_michael", "bf_emma", "bm_george", "af_bella", "am_fenrir")
_WINDOWS: Final = (4, 6, 10, 10)


def quantise(floats: Prepared, to: Prepared, progress: Progress) -> None:
    """Writes the three parts of the prepared int8 decoder from those in float."""
    progress("listening to calibration sentences", 0.4)
    seen: defaultdict[Part, list[Feeds]] = defaultdict(list)
    for clause in _clauses(floats):
        for part, feeds in _windows(Decoder(floats), clause):
            seen[part].append(feeds)
    nncf.set_log_level("ERROR")
    pairs: dict[Part, tuple[Path, Path]] = {
        "low_rate": (floats.low_rate, to.low_rate),
        "middle": (floats.middle, to.middle),
        "high": (floats.high, to.high),
    }
    for done, (part, (source, target)) in enumerate(pairs.items()):
        progress("quantising the decoder", 0.5 + 0.15 * done)
        _quantise(part, source, target, seen[part])


def _quantise(part: Part, source: Path, target: Path, seen: list[Feeds]) -> None:
    quantised = nncf.quantize(
        ov.Core().read_model(str(source)),
        nncf.Dataset(seen),
        preset=nncf.QuantizationPreset.MIXED,
        subset_size=len(seen),
        fast_bias_correction=True,
        ignored_scope=nncf.IgnoredScope(patterns=_IN_FLOAT[part], types=_TYPES, validate=False),
    )
    ov.save_model(quantised, str(target), compress_to_fp16=False)


def _clauses(prepared: Prepared) -> Iterator[ClauseState]:
    """Some of the calibration sentences, said by some of the voices."""
    text = (resources.files("engine.families.embedded") / "data" / "calibration.txt").read_text()
    lines = sorted((line for line in text.splitlines() if len(line) > 60), key=len)
    thinker, talker = Thinker(prepared, Worker()), Talker(prepared, Worker())
    renderer = Renderer(prepared)
    for line, voice in zip(lines, _VOICES, strict=False):
        spoken = Utterance(RequestId(voice), Epoch(0), line, voice)
        for frames in _frames(thinker, talker, spoken):
            yield renderer.clause(frames)


def _frames(thinker: Thinker, talker: Talker, said: Utterance) -> Iterator[Frames]:
    thought, spoken = thinker.open(said), talker.open(said)
    thinker.push(thought, said.text)
    thinker.end(thought)
    while isinstance(plan := thinker.step(thought), Plan):
        talker.push(spoken, plan)
    while isinstance(frames := talker.step(spoken), Frames):
        yield frames


def _windows(decoder: Decoder, clause: ClauseState) -> Iterator[tuple[Part, Feeds]]:
    """What each part is fed for a clause's first windows."""
    rendering, start = clause.renderings[0], clause.span.skip
    for size in _WINDOWS:
        stop = min(clause.span.frames, start + size * FRAMES_PER_CODEC_FRAME)
        if stop - start < FRAMES_PER_CODEC_FRAME:
            return
        low, high = (max(0, start - HIGH_CONTEXT), min(clause.span.frames, stop + HIGH_CONTEXT))
        yield "high", decoder.high_feeds(rendering, low, high)
        low, high = (max(0, low - MIDDLE_CONTEXT), min(clause.span.frames, high + MIDDLE_CONTEXT))
        yield "middle", decoder.middle_feeds(rendering, low, high)
        low, high = (max(0, low - LOW_CONTEXT), min(clause.span.frames, high + LOW_CONTEXT))
        yield "low_rate", decoder.low_feeds(rendering, low, high)
        start = stop
