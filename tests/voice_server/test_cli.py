"""The command line says plainly what it does and what is wrong, with an exit status to match."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from engine.families.embedded.voices import table
from tests.patience import PATIENCE_S
from voice_server.cli import program


def run(*arguments: str) -> Result:
    return CliRunner().invoke(program, arguments)


def test_help_names_every_command() -> None:
    said = run("--help").output
    for name in ("config", "models", "say", "serve", "voices"):
        assert re.search(rf"^  {name} ", said, re.MULTILINE), name


def test_a_command_that_is_not_there_is_asked_wrongly() -> None:
    result = run("sing")
    assert result.exit_code == 2
    assert "No such command 'sing'" in result.output


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["serve", "--set", "server.prot=1"], "server.prot: unknown key; did you mean port?"),
        (["serve", "--port", "1", "--set", "server.port=2"], "server.port: set twice"),
        (["serve", "--config", "none.yaml"], "none.yaml: can't be read (No such file"),
        (
            ["voices", "--set", "engine.family=x"],
            "engine.family: expected embedded or qwen3_omni, not 'x'",
        ),
        (["config", "explain", "--set", "x=1"], "x: unknown key"),
    ],
)
def test_a_wrong_setting_is_named_and_nothing_is_started(arguments: list[str], told: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert told in result.output
    assert "Traceback" not in result.output


def test_an_address_in_use_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("serve", "--port", str(port))
    assert result.exit_code == 1
    assert f"can't listen on 127.0.0.1:{port}: Address already in use" in result.output


def test_voices_are_listed_for_people_and_for_programs() -> None:
    shown = run("voices").output
    listed = json.loads(run("voices", "--json").output)
    assert len(listed) == 28
    assert {"id", "name", "language", "gender", "tags"} <= listed[0].keys()
    assert all(voice["id"] in shown for voice in listed)


def test_config_explain_prints_the_whole_of_it(tmp_path: Path) -> None:
    file = tmp_path / "some.yaml"
    file.write_text("server: {port: 1234}")
    said = yaml.safe_load(run("config", "explain", str(file)).output)
    assert said["server"]["port"] == 1234
    assert said["delivery"]["lead_ms"] > 0


def test_a_model_that_is_not_there_is_named(tmp_path: Path) -> None:
    result = run("models", "prepare", *no_model(tmp_path))
    assert result.exit_code == 1
    assert "embedded.model: there is no file" in result.output


def no_model(folder: Path) -> list[str]:
    """Settings by which voices seem to be there and the model is not."""
    for voice in table():
        (folder / f"{voice}.bin").touch()
    settings = {"voices": folder, "model": folder / "none.onnx", "cache": folder}
    return [one for key, value in settings.items() for one in ("--set", f"embedded.{key}={value}")]


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", "from voice_server.cli import main; main()"]
    arguments = ["serve", "--port", "0", "--data", str(tmp_path), *no_model(tmp_path)]
    with subprocess.Popen([*command, *arguments], stderr=subprocess.PIPE, text=True) as process:
        yield process
        if process.poll() is None:
            process.kill()


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_serve_says_where_the_studio_is_and_what_is_wrong_and_stops_clean(
    serving: subprocess.Popen[str], stop: signal.Signals
) -> None:
    assert serving.stderr is not None
    (address,) = re.findall(r"Studio: (http://\S+)", serving.stderr.readline())
    assert "there is no file" in serving.stderr.readline()
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"{address}readyz", timeout=PATIENCE_S)
    with caught.value as answer:
        assert "there is no file" in json.load(answer)["reasons"][0]
    os.kill(serving.pid, stop)
    assert serving.wait(timeout=PATIENCE_S) == 0
    assert "Traceback" not in serving.stderr.read()
