"""The one config: frozen, strict, read once at the start and passed to whoever needs a part of it.

No environment variable is read here or anywhere else. A YAML file gives some keys, `--set` others;
whatever is wrong raises `ConfigError`, which names the key and what would have been right.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

import platformdirs
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.families.qwen3_omni.config import PUBLISHED
from engine.topology import Launcher, ProcessGroup, RayCluster, StagePlace
from voice_server.config_errors import explain

Whole = Annotated[int, Field(strict=True)]
Positive = Annotated[Whole, Field(gt=0)]
Seconds = Annotated[float, Field(strict=True, gt=0)]


class ConfigError(Exception):
    """The configuration can't be used; the message names the key and what was expected."""


class Section(BaseModel):
    """A part of the config: frozen, and strict about keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Server(Section):
    """Where the server listens and whom it lets in."""

    host: str = "127.0.0.1"
    """address to listen on"""
    port: Annotated[Whole, Field(ge=0, le=65535)] = 8765
    """port to listen on, 0 for any free one"""
    origins: tuple[str, ...] = ()
    """further browser origins allowed, such as https://example.org; * for all"""
    max_connections: Positive = 64
    """open sockets at once"""
    drain_s: Seconds = 30.0
    """how long takes may play on when the server stops"""


class Limits(Section):
    """Bounds on what a client may ask; all of them are told in `session.opened`."""

    message_bytes: Positive = 2_097_152
    """bytes of one message; a larger one ends the connection"""
    text_chars: Positive = 100_000
    """characters of text in one message"""
    take_chars: Positive = 200_000
    """characters of text in one take"""
    direction_chars: Positive = 2000
    """characters of a direction"""
    script_chars: Positive = 1_000_000
    """characters of script in one message"""
    cast_names: Positive = 256
    """speakers in one message"""
    changes_per_edit: Positive = 256
    """changes of words in one message"""
    take_s: Seconds = 21_600.0
    """seconds of sound in one take"""
    session_bytes: Positive = 268_435_456
    """bytes of a session's file that is opened"""
    name_chars: Positive = 128
    """characters of a voice, a speaker or a name that the server gave"""
    id_chars: Positive = 64
    """characters of a message's own id"""
    lead_ms_min: Positive = 100
    """the shortest lead that a client may ask for"""
    lead_ms_max: Positive = 10_000
    """the longest lead that a client may ask for"""
    underruns_per_report: Positive = 256
    """underruns in one playback message"""
    messages_per_s: Annotated[float, Field(gt=0)] = 2000.0
    """whoever sends faster for long is read more slowly"""
    messages_burst: Positive = 10_000
    """messages at once before that holds"""
    concurrent_takes: Positive = 8
    """takes under way at once in one session"""
    queued_takes: Annotated[Whole, Field(ge=0)] = 16
    """takes that may wait for capacity, of all sessions together"""
    remembered_takes: Positive = 256
    """ended takes that a session remembers"""
    sessions: Positive = 64
    """sessions at once"""
    open_s: Seconds = 10.0
    """how long a connection may wait with session.open"""
    idle_s: Seconds = 900.0
    """a session with nothing said or heard for so long is closed"""
    keep_s: Seconds = 2_592_000.0
    """how long what was said in a session is kept after it was last used"""


class Delivery(Section):
    """How sound is sent."""

    lead_ms: Positive = 1000
    """how far ahead of the listener sound is sent, unless the client says"""
    make_ahead_ms: Positive = 4000
    """how far ahead of what is sent sound is made"""
    opus_bitrate: Annotated[Whole, Field(ge=6000, le=256_000)] = 96_000
    """bits a second"""


class Edits(Section):
    """What is done about an edit besides making it."""

    check: bool = True
    """whether a recogniser, where the extra is installed, listens to edits and has those that it
    hears wrong made again"""


class EngineConfig(Section):
    """Which model family speaks, and how much of it at once."""

    family: Literal["embedded", "qwen3_omni"] = "embedded"
    """model family to load"""
    voice: str | None = None
    """voice used when none is asked for; the family's first if not given"""
    capacity: Literal["auto"] | Positive = "auto"
    """takes made at once; auto measures at the start what this machine carries"""
    threads: Literal["auto"] | Positive = "auto"
    """compute threads of each stage; auto is as many as the family gains from here"""
    windows: Literal["auto"] | Annotated[tuple[Positive, ...], Field(min_length=1)] = "auto"
    """codec frames of each window, the last of which repeats; auto goes by what they cost here"""


class Embedded(Section):
    """Where the embedded voice finds its files and how it computes."""

    model: Path | None = None
    """ONNX model; the installed package's if not given"""
    voices: Path | None = None
    """folder of voices; the fetched ones if not given"""
    cache: Path | None = None
    """folder of prepared graphs; the user's cache if not given"""
    precision: Literal["auto", "int8", "bf16", "f32"] = "auto"
    """arithmetic of the decoder: auto is what suits the processor, f32 the exact one"""


class Qwen3Omni(Section):
    """Which checkpoint of Qwen3-Omni speaks, and how. Needs the extra qwen3."""

    model: Annotated[str, Field(min_length=1)] = PUBLISHED
    """folder of a checkpoint, or its id on the hub"""
    dtype: Literal["auto", "bfloat16", "float32"] = "auto"
    """of weights and arithmetic; auto is bfloat16"""
    slots: Positive = 64
    """takes at once in each replica of a stage"""
    positions: Annotated[Whole, Field(ge=64, le=32_768)] = 4096
    """a take's prompt and its frames, 12.5 a second, together; a longer one is cut off"""
    plain: bool = False
    """whether the talker is told only the words, no direction and nothing said before"""
    hears: bool = False
    """whether a take that is directed is listened to, which needs the whole thinker in memory"""
    graphs: bool = True
    """whether steps and windows are captured as CUDA graphs where there is a GPU"""
    steady: bool = False
    """whether all of them are of the largest size there: slower, and takes are the same to the last
    bit whatever runs beside them"""
    temperature: Annotated[float, Field(ge=0, le=5)] = 0.9
    """of drawing codes; 0 takes the likeliest"""
    top_k: Annotated[Whole, Field(ge=1, le=128)] = 50
    """codes that are drawn from"""
    top_p: Annotated[float, Field(gt=0, le=1)] = 1.0
    """share of probability that is drawn from"""
    penalty: Annotated[float, Field(gt=0, le=10)] = 1.05
    """by which codes already used are made less likely"""


class Config(Section):
    """All that can be set."""

    data: Path = platformdirs.user_data_path("voice-server")
    """folder for what the server keeps"""
    server: Server = Server()
    limits: Limits = Limits()
    delivery: Delivery = Delivery()
    edits: Edits = Edits()
    engine: EngineConfig = EngineConfig()
    embedded: Embedded = Embedded()
    qwen3_omni: Qwen3Omni = Qwen3Omni()
    launcher: Launcher | None = None
    """what the stages run in: threads of the server, processes of this host, or Ray's actors; if
    not given, threads, or Ray's actors where hosts are named"""
    ray: RayCluster = RayCluster()
    """the cluster, where the launcher is ray"""
    stages: Mapping[str, StagePlace] = {}
    """stages to process groups: stages.<stage>.process"""
    processes: Mapping[str, ProcessGroup] = {}
    """copies of a group, and where they run: processes.<group>.replicas"""


def load(file: Path | None = None, assignments: Sequence[str] = ()) -> Config:
    """Reads `file`, if any, lays `key.path=value` assignments over it and checks the whole.

    Values of assignments are YAML, so `true`, `3` and `[a, b]` mean what they look like. Raises
    ConfigError.
    """
    values = _read(file) if file is not None else {}
    seen: set[str] = set()
    for assignment in assignments:
        key, value = _parse_assignment(assignment)
        if key in seen:
            raise ConfigError(f"{key}: set twice on the command line; give it once")
        seen.add(key)
        _assign(values, key, value)
    return validate(values)


def validate(values: object) -> Config:
    """The config that `values` (nested mappings) spell. Raises ConfigError for every wrong key."""
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        told = dict.fromkeys(explain(Config, detail) for detail in error.errors())
        raise ConfigError("\n".join(told)) from None


def resolved(config: Config) -> str:
    """The whole config as YAML, defaults included."""
    return yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False)


def _read(file: Path) -> dict[str, object]:
    try:
        values = yaml.load(file.read_text(encoding="utf-8"), Loader=_StrictLoader)
    except OSError as error:
        raise ConfigError(f"{file}: can't be read ({error.strerror})") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: not valid YAML: {error}") from error
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise ConfigError(f"{file}: expected keys with values at the top")
    return values


class _StrictLoader(yaml.SafeLoader):
    """Refuses a key given twice, which YAML readers otherwise pass over in silence."""

    def construct_mapping(
        self, node: yaml.MappingNode, deep: bool = False
    ) -> dict[Hashable, object]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        twice = {str(key) for key in keys if keys.count(key) > 1}
        if twice:
            raise yaml.constructor.ConstructorError(
                None, None, f"key given twice: {', '.join(sorted(twice))}", node.start_mark
            )
        return super().construct_mapping(node, deep)


def _parse_assignment(assignment: str) -> tuple[str, object]:
    key, equals, text = assignment.partition("=")
    key = key.strip()
    if not equals or not all(key.split(".")):
        raise ConfigError(f"--set {assignment}: expected key.path=value")
    try:
        return key, yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"{key}: the value is not valid YAML: {error}") from error


def _assign(values: dict[str, object], key: str, value: object) -> None:
    *parents, last = key.split(".")
    at = values
    for number, parent in enumerate(parents):
        inner = at.setdefault(parent, {})
        if not isinstance(inner, dict):
            raise ConfigError(f"{'.'.join(parents[: number + 1])}: not a section, so {key} is not")
        at = inner
    at[last] = value
