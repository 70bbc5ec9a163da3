"""The embedded family: its graph of three stages, ready to be started."""

from __future__ import annotations

import os
import sys
from functools import partial

from engine.families.embedded import voices, windows
from engine.families.embedded.assets import EmbeddedConfig, Progress
from engine.families.embedded.clause import FRAMES_PER_CODEC_FRAME, HOP, SAMPLE_RATE
from engine.families.embedded.code2wav import Code2Wav
from engine.families.embedded.prepare import Prepared, prepare
from engine.families.embedded.talker import Talker
from engine.families.embedded.thinker import Thinker
from engine.family import LoadedFamily
from engine.graph import Edge, Graph, StageSpec, Streaming, Vocoder
from engine.types import FamilyInfo

INFO = FamilyInfo(
    family="embedded",
    model="kokoro-82m-v1.0",
    sample_rate=SAMPLE_RATE,
    frame_samples=FRAMES_PER_CODEC_FRAME * HOP,
    windows=(windows.FIRST, windows.LATER),
    voices=tuple(entry.voice for entry in voices.table().values()),
    can=("speak", "direct", "edit"),
    embeddings=voices.embeddings(),
)


def load(config: EmbeddedConfig, progress: Progress) -> LoadedFamily:
    """Prepares what is missing and declares the stages. Raises ModelMissing, ModelDamaged."""
    return LoadedFamily(INFO, declare(prepare(config, progress)))


def declare(prepared: Prepared) -> Graph:
    """The stages, whose runners are made of what is prepared; it need not be there yet."""
    thinker = Streaming(partial(Thinker, prepared))
    talker = Streaming(partial(Talker, prepared))
    code2wav = Vocoder(partial(Code2Wav, prepared), SAMPLE_RATE)
    stages = (
        StageSpec("thinker", thinker, to=(Edge("talker"),)),
        StageSpec("talker", talker, to=(Edge("code2wav"),)),
        StageSpec("code2wav", code2wav, end=True, copies=_copies()),
    )
    return Graph(stages, entry="thinker")


def _copies() -> int:
    """Code2wav takes four fifths of the work, on one thread a copy: one for each core, up to four.

    With one copy, the second window of the first of two takes waits for the first window of the
    other, and is late.
    """
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return max(1, min(4, cores))
