"""The Qwen3-Omni family: its graph of three stages, ready to be started."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.errors import ModelMissing
from engine.families.qwen3_omni.config import Progress, Qwen3OmniConfig
from engine.families.qwen3_omni.frames import FRAME, SAMPLE_RATE
from engine.family import LoadedFamily
from engine.graph import Autoregressive, Edge, Graph, StageSpec, Streaming, Vocoder, Worker
from engine.types import FamilyInfo, Voice

if TYPE_CHECKING:
    from engine.families.qwen3_omni.code2wav import Code2Wav
    from engine.families.qwen3_omni.stages import Model
    from engine.families.qwen3_omni.talker import Talker
    from engine.families.qwen3_omni.thinker import Thinker

FAMILY: Final = "qwen3_omni"
GENDERS: Final = {"chelsie": "female", "ethan": "male", "aiden": "male"}
"""Of the published speakers; checkpoints don't say."""
_DEVICES: Final = ("cpu", "cuda")


def load(config: Qwen3OmniConfig, progress: Progress) -> LoadedFamily:
    """Finds the model, fetching it if it is a hub's, and declares the stages, which read the
    weights when they start. Raises ModelMissing, ModelDamaged."""
    model = _opened(config, progress)
    info = FamilyInfo(
        family=FAMILY,
        model=config.model.rstrip("/").rpartition("/")[2],
        sample_rate=SAMPLE_RATE,
        frame_samples=FRAME,
        voices=tuple(map(_voice, model.speakers)),
        can=("speak", "edit") if config.plain else ("speak", "direct", "edit"),
        listens=config.hears and not config.plain,
        reads=not config.plain,
    )
    return LoadedFamily(info, declare(config))


def declare(config: Qwen3OmniConfig) -> Graph:
    """The stages, without any file of the model."""
    thinker = Streaming(partial(_thinker, config))
    talker = Autoregressive(partial(_talker, config))
    code2wav = Vocoder(partial(_code2wav, config), SAMPLE_RATE)
    stages = (
        StageSpec("thinker", thinker, to=(Edge("talker"),), devices=_DEVICES),
        StageSpec("talker", talker, to=(Edge("code2wav"),), devices=_DEVICES),
        StageSpec("code2wav", code2wav, end=True, devices=_DEVICES),
    )
    return Graph(stages, entry="thinker")


def voices_of(config: Qwen3OmniConfig) -> tuple[Voice, ...]:
    """The speakers of a checkpoint, without its weights. Raises as `load` does."""
    return tuple(map(_voice, _opened(config, _nobody_told).speakers))


def fetch(config: Qwen3OmniConfig, progress: Progress) -> Path:
    """The checkpoint's folder, fetched if it is a hub's. Raises as `load` does."""
    return _opened(config, progress).checkpoint.folder


def _nobody_told(step: str, part: float | None) -> None:
    """For what takes no time."""


def _opened(config: Qwen3OmniConfig, progress: Progress) -> Model:
    _check_installed()
    from engine.families.qwen3_omni.stages import Model

    progress(f"opening {config.model}", None)
    return Model.open(config)


def _voice(speaker: str) -> Voice:
    return Voice(speaker, speaker.title(), "en", GENDERS.get(speaker, "female"))


# torch and transformers are imported when a stage starts: other commands need neither.


def _thinker(config: Qwen3OmniConfig, worker: Worker) -> Thinker:
    from engine.families.qwen3_omni import stages

    return stages.thinker(config, worker)


def _talker(config: Qwen3OmniConfig, worker: Worker) -> Talker:
    from engine.families.qwen3_omni import stages

    return stages.talker(config, worker)


def _code2wav(config: Qwen3OmniConfig, worker: Worker) -> Code2Wav:
    from engine.families.qwen3_omni import stages

    return stages.code2wav(config, worker)


def _check_installed() -> None:
    for package in ("torch", "transformers"):
        try:
            import_module(package)
        except ModuleNotFoundError as error:
            raise ModelMissing(
                f"the family {FAMILY} needs {package}: pip install 'voice-server[qwen3]'"
            ) from error
