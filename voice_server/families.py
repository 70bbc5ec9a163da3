"""Which model family the config names, and how it is loaded."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import assert_never

from engine.errors import EngineError
from engine.families.embedded.arithmetic import Processor, choose
from engine.families.embedded.assets import EmbeddedConfig, fetch_voices
from engine.families.embedded.voices import table
from engine.families.qwen3_omni.config import Qwen3OmniConfig
from engine.family import Family
from engine.graph import Graph
from engine.schedulers.foreseeing import foreseen
from engine.stats import WindowStats
from engine.types import Voice
from voice_server.config import Config
from voice_server.hosting import FamilyLoader, Progress


def loader(config: Config) -> FamilyLoader:
    """What loads the family, in a thread, when the server has begun to listen."""
    match config.engine.family:
        case "embedded":
            return partial(_embedded, embedded_config(config))
        case "qwen3_omni":
            return partial(_qwen3_omni, qwen3_omni_config(config))
        case _:
            assert_never(config.engine.family)


def embedded_config(config: Config) -> EmbeddedConfig:
    """The embedded family's own settings."""
    default = EmbeddedConfig()
    asked = config.embedded
    return EmbeddedConfig(
        model=asked.model,
        voices=asked.voices,
        cache=asked.cache or default.cache,
        precision=None if asked.precision == "auto" else asked.precision,
    )


def qwen3_omni_config(config: Config) -> Qwen3OmniConfig:
    """That family's own settings."""
    return Qwen3OmniConfig(**dict(config.qwen3_omni))


def _qwen3_omni(config: Qwen3OmniConfig, progress: Progress) -> Family:
    from engine.families.qwen3_omni.load import load

    return load(config, progress)


def _embedded(config: EmbeddedConfig, progress: Progress) -> Family:
    # Imported here, as it takes a second that other commands need not spend.
    from engine.families.embedded.load import load

    return load(config, progress)


def graph(config: Config) -> Graph:
    """The stages that there would be, without any file of the model."""
    match config.engine.family:
        case "embedded":
            from engine.families.embedded.load import declare
            from engine.families.embedded.prepare import Prepared

            own = embedded_config(config)
            return declare(Prepared(own.cache, own.voices or own.cache, own.precision or "f32"))
        case "qwen3_omni":
            from engine.families.qwen3_omni.load import declare as declare_omni

            return declare_omni(qwen3_omni_config(config))
        case _:
            assert_never(config.engine.family)


def arithmetic(config: Config) -> str | None:
    """In what this processor would compute, and why; None where the family leaves no choice."""
    match config.engine.family:
        case "embedded":
            return str(choose(Processor.here(), embedded_config(config).precision))
        case "qwen3_omni":
            return None
        case _:
            assert_never(config.engine.family)


def windows(config: Config, threads: int) -> WindowStats | str:
    """What is known of the cost of windows on this machine, before anything is started; or in words
    why nothing is. threads: of the stage that makes them."""
    match config.engine.family:
        case "embedded":
            return _embedded_windows(config, threads)
        case "qwen3_omni":
            return "they are measured at every start"
        case _:
            assert_never(config.engine.family)


def _embedded_windows(config: Config, threads: int) -> WindowStats | str:
    from engine.families.embedded.costs import kept_for
    from engine.families.embedded.load import INFO

    try:
        costs = kept_for(embedded_config(config), threads)
    except EngineError as error:
        return str(error)
    if costs is None:
        return "they are measured at the first start on this machine"
    asked = None if config.engine.windows == "auto" else config.engine.windows
    return foreseen(costs, INFO.frame_samples / INFO.sample_rate, asked)


def voices(config: Config) -> tuple[Voice, ...]:
    """The voices there are, without loading the model."""
    match config.engine.family:
        case "embedded":
            return tuple(entry.voice for entry in table().values())
        case "qwen3_omni":
            from engine.families.qwen3_omni.load import voices_of

            return voices_of(qwen3_omni_config(config))
        case _:
            assert_never(config.engine.family)


def fetch(config: Config, progress: Progress) -> Path:
    """Gets the files that packages do not bring; returns their folder. Raises ModelMissing,
    ModelDamaged."""
    match config.engine.family:
        case "embedded":
            return fetch_voices(embedded_config(config), progress)
        case "qwen3_omni":
            return _fetch_qwen3_omni(config, progress)
        case _:
            assert_never(config.engine.family)


def prepare(config: Config, progress: Progress) -> Path:
    """Makes the model ready, once; returns its folder. Raises ModelMissing, ModelDamaged."""
    match config.engine.family:
        case "embedded":
            from engine.families.embedded.prepare import prepare

            return prepare(embedded_config(config), progress).folder
        case "qwen3_omni":
            return _fetch_qwen3_omni(config, progress)
        case _:
            assert_never(config.engine.family)


def _fetch_qwen3_omni(config: Config, progress: Progress) -> Path:
    """Nothing is prepared of it beside."""
    from engine.families.qwen3_omni.load import fetch

    return fetch(qwen3_omni_config(config), progress)


def with_model(config: Config, model: str | None) -> Config:
    """The config with another model of its family: a path, or a hub id where the family has one."""
    if model is None:
        return config
    match config.engine.family:
        case "embedded":
            embedded = config.embedded.model_copy(update={"model": Path(model)})
            return config.model_copy(update={"embedded": embedded})
        case "qwen3_omni":
            omni = config.qwen3_omni.model_copy(update={"model": model})
            return config.model_copy(update={"qwen3_omni": omni})
        case _:
            assert_never(config.engine.family)
