"""One strict config: what is wrong is named, with what would have been right."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from voice_server import config, hosting
from voice_server.config import Config, ConfigError

CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("*.yaml"))


def test_defaults_are_whole() -> None:
    settings = config.load()
    assert settings.server.port == 8765
    assert settings.limits.take_chars >= 100_000
    assert settings.engine.capacity == "auto"
    assert settings.engine.windows == "auto"


def test_windows_reach_the_stages() -> None:
    settings = config.load(None, ["engine.windows=[4, 10]"])
    assert settings.engine.windows == (4, 10)
    assert hosting.topology(settings).windows == (4, 10)
    assert hosting.topology(config.load()).windows is None


def test_a_file_is_read_and_assignments_lie_over_it(tmp_path: Path) -> None:
    file = tmp_path / "one.yaml"
    file.write_text("server: {port: 9000, host: 0.0.0.0}\nengine: {capacity: 3}\n")
    settings = config.load(file, ["server.port=9001", "processes.code2wav.replicas=2"])
    assert (settings.server.port, settings.server.host) == (9001, "0.0.0.0")
    assert settings.engine.capacity == 3
    assert settings.processes["code2wav"].replicas == 2


@pytest.mark.parametrize(
    ("assignment", "told"),
    [
        ("server.prot=1", "server.prot: unknown key; did you mean port? (valid here: "),
        ("sever.port=1", "sever: unknown key; did you mean server?"),
        ("server.port=abc", "server.port: expected a whole number, not 'abc'"),
        ("server.port=true", "server.port: expected a whole number, not True"),
        ("server.port=70000", "server.port: expected a number of at most 65535, not 70000"),
        ("server=3", "server: expected keys with values, not 3"),
        (
            "engine.family=embeded",
            "engine.family: expected embedded or qwen3_omni, not 'embeded'; did you mean embedded?",
        ),
        (
            "engine.capacity=atuo",
            "expected auto or a number above 0, not 'atuo'; did you mean auto",
        ),
        ("engine.windows=[]", "engine.windows: expected auto or a list of numbers above 0, not "),
        ("engine.windows=[4, 0]", "engine.windows: expected auto or a list of numbers above 0,"),
        ("engine.windows=aut", "expected auto or a list of numbers above 0, not 'aut'; did you"),
        ("engine.windows=4", "engine.windows: expected auto or a list of numbers above 0, not 4"),
        ("engine.capacity=0", "engine.capacity: expected auto or a number above 0, not 0"),
        (
            "embedded.precision=int9",
            "embedded.precision: expected auto or int8 or bf16 or f32, not 'int9'; did you",
        ),
        (
            "limits.concurrent_takes=-1",
            "limits.concurrent_takes: expected a number above 0, not -1",
        ),
        ("processes.code2wav.replica=2", "processes.code2wav.replica: unknown key"),
        ("processes.code2wav.replicas=0", "processes.code2wav.replicas: expected a number of at"),
        ("processes=2", "processes: expected keys with values, not 2"),
        ("server.port.x=1", "server.port: expected a whole number"),
        ("server.port", "--set server.port: expected key.path=value"),
        ("=3", "--set =3: expected key.path=value"),
        ("server.port=[1", "server.port: the value is not valid YAML"),
    ],
)
def test_what_is_wrong_is_named(assignment: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        config.load(None, [assignment])
    assert told in str(caught.value)


def test_the_same_key_twice_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"server\.port: set twice"):
        config.load(None, ["server.port=1", "server.port=2"])


def test_a_key_within_a_value_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"server\.port: not a section"):
        config.load(None, ["server.port=1", "server.port.x=2"])


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        config.load(None, ["server.port=x", "limits.concurrent_takes=0"])
    assert len(str(caught.value).splitlines()) == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("server: {port: 1, port: 2}", "key given twice: port"),
        ("[1, 2]", "expected keys with values at the top"),
        ("server: {", "not valid YAML"),
        ("a: \x00", "not valid YAML"),
    ],
)
def test_a_file_that_is_no_config_is_named(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        config.load(file)
    assert str(file) in str(caught.value)
    assert told in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        config.load(tmp_path / "none.yaml")


def test_an_empty_file_is_the_defaults(tmp_path: Path) -> None:
    file = tmp_path / "empty.yaml"
    file.write_text("# nothing\n")
    assert config.load(file) == Config()


def test_what_is_explained_can_be_read_again(tmp_path: Path) -> None:
    settings = config.load(None, ["server.origins=['https://a.example']", "engine.capacity=2"])
    file = tmp_path / "again.yaml"
    file.write_text(config.resolved(settings))
    assert config.load(file) == settings
    assert yaml.safe_load(config.resolved(settings))["engine"]["capacity"] == 2


@pytest.mark.parametrize("file", CONFIGS, ids=lambda file: file.name)
def test_every_shipped_config_loads(file: Path) -> None:
    assert config.load(file)


def test_there_is_a_shipped_config() -> None:
    assert "laptop.yaml" in [file.name for file in CONFIGS]
