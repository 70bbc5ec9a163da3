"""The generator in int8 for OpenVINO, quantised after training on windows of its own making."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import resources
from pathlib import Path

import nncf
import openvino as ov

from engine.families.embedded.assets import Progress
from engine.families.embedded.clause import Plan
from engine.families.embedded.clauses import ClauseState
from engine.families.embedded.code2wav import Code2Wav
from engine.families.embedded.compute import Feeds
from engine.families.embedded.prepare import Prepared
from engine.families.embedded.talker import Talker
from engine.families.embedded.thinker import Thinker
from engine.graph import Worker
from engine.types import Epoch, RequestId, Utterance

#: What stays in float: the last convolution and the inverse transform carry the waveform itself,
#: the source's convolutions its phase; sums and scales cost little and round audibly.
_IN_FLOAT = nncf.IgnoredScope(
    patterns=[".*conv_post.*", ".*istft.*", ".*noise_convs.*"],
    types=["Add", "Multiply", "Subtract"],
    validate=False,
)
#: Voices of both genders and accents, one line each; windows looked at of each line.
_VOICES = ("af_heart", "am_michael", "bf_emma", "bm_george", "af_bella", "am_fenrir")
_WINDOWS = 4


def quantise(source: Path, prepared: Prepared, progress: Progress) -> None:
    """Writes the prepared int8 generator from the float one at `source`."""
    progress("listening to calibration sentences", 0.45)
    seen = list(_seen(replace(prepared, precision="f32")))
    progress("quantising the generator", 0.75)
    nncf.set_log_level("ERROR")
    quantised = nncf.quantize(
        ov.Core().read_model(str(source)),
        nncf.Dataset(seen),
        preset=nncf.QuantizationPreset.MIXED,
        subset_size=len(seen),
        fast_bias_correction=True,
        ignored_scope=_IN_FLOAT,
    )
    ov.save_model(quantised, str(prepared.generator), compress_to_fp16=False)


def _seen(prepared: Prepared) -> Iterator[Feeds]:
    """What the generator is fed while it says some of the calibration sentences."""
    text = (resources.files("engine.families.embedded") / "data" / "calibration.txt").read_text()
    lines = sorted((line for line in text.splitlines() if len(line) > 60), key=len)
    thinker, talker = Thinker(prepared, Worker()), Talker(prepared, Worker())
    code2wav = Code2Wav(prepared, Worker(), warm=False)
    for line, voice in zip(lines, _VOICES, strict=False):
        spoken = Utterance(RequestId(voice), Epoch(0), line, voice)
        yield from _windows(thinker, talker, code2wav, spoken)


def _windows(
    thinker: Thinker, talker: Talker, code2wav: Code2Wav, said: Utterance
) -> Iterator[Feeds]:
    thought, spoken, decoded = thinker.open(said), talker.open(said), code2wav.open(said)
    thinker.push(thought, said.text)
    thinker.end(thought)
    while isinstance(plan := thinker.step(thought), Plan):
        talker.push(spoken, plan)
    while (frames := talker.step(spoken)) is not None:
        code2wav.push(decoded, frames)
    for clause in decoded.units:
        assert isinstance(clause, ClauseState), "a text without a parent has only clauses"
        for window in list(clause.windows)[:_WINDOWS]:
            yield code2wav.feeds(clause, clause.renderings[0], window)
