"""The embedded family: its graph of three stages, ready to be started."""

from __future__ import annotations

import logging
import math
from functools import partial
from typing import Final

from engine.devices import cores
from engine.families.embedded import voices
from engine.families.embedded.arithmetic import Processor, choose
from engine.families.embedded.assets import EmbeddedConfig, Progress
from engine.families.embedded.clause import FRAMES_PER_CODEC_FRAME, HOP, SAMPLE_RATE
from engine.families.embedded.code2wav import Code2Wav
from engine.families.embedded.prepare import Prepared, prepare
from engine.families.embedded.talker import Talker
from engine.families.embedded.thinker import Thinker
from engine.family import LoadedFamily
from engine.graph import Edge, Graph, StageSpec, Streaming, Vocoder
from engine.types import FamilyInfo

log = logging.getLogger(__name__)
MOST_THREADS: Final = 4

INFO = FamilyInfo(
    family="embedded",
    model="kokoro-82m-v1.0",
    sample_rate=SAMPLE_RATE,
    frame_samples=FRAMES_PER_CODEC_FRAME * HOP,
    voices=tuple(entry.voice for entry in voices.table().values()),
    can=("speak", "direct", "edit"),
    embeddings=voices.embeddings(),
)


def load(config: EmbeddedConfig, progress: Progress) -> LoadedFamily:
    """Prepares what is missing and declares the stages. Raises ModelMissing, ModelDamaged."""
    log.info("arithmetic: %s", choose(Processor.here(), config.precision))
    return LoadedFamily(INFO, declare(prepare(config, progress)))


def declare(prepared: Prepared) -> Graph:
    """The stages, whose runners are made of what is prepared; it need not be there yet."""
    thinker = Streaming(partial(Thinker, prepared))
    talker = Streaming(partial(Talker, prepared))
    code2wav = Vocoder(partial(Code2Wav, prepared), SAMPLE_RATE)
    threads = compute_threads()
    copies = max(1, int(cores() / threads))
    stages = (
        StageSpec("thinker", thinker, to=(Edge("talker"),), threads=threads),
        StageSpec("talker", talker, to=(Edge("code2wav"),), threads=threads),
        StageSpec("code2wav", code2wav, end=True, copies=copies, threads=threads),
    )
    return Graph(stages, entry="thinker")


def compute_threads() -> int:
    """All cores of this machine on one call, up to four, past which a window gains little; the
    others have copies of code2wav of their own. So a lone take has all cores, and takes that come
    together have them in turn, the most urgent first."""
    return max(1, min(MOST_THREADS, math.ceil(cores())))
