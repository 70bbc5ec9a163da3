"""The wheel is the whole product: installed by itself, it serves the studio and speaks."""

from __future__ import annotations

import re
import subprocess
import sys
import urllib.request
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of an environment that has the wheel and what it depends on, and no more."""
    environment = tmp_path_factory.mktemp("empty") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    commands = environment / "bin"
    # Compiling all modules takes longer than installing them, and few are imported.
    install = [*pip(commands), "install", "--quiet", "--no-compile"]
    subprocess.run([*install, "-c", str(ROOT / "constraints.txt"), str(wheel)], check=True)
    return commands


def pip(commands: Path) -> list[str]:
    """Our own, at work on that environment."""
    ours = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    return [*ours, "--python", str(commands / "python")]


@pytest.fixture(scope="module")
def studio(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address that `voice-server serve` prints, once it is ready, in a folder of its own."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    command = [str(installed / "voice-server"), "serve", "--port", "0", "--data", str(elsewhere)]
    with subprocess.Popen(command, cwd=elsewhere, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            printed = "".join(until(server.stderr, "Ready:"))
            (address,) = re.findall(r"http://\S+", printed)
            yield address
        finally:
            server.terminate()
            server.communicate(timeout=PATIENCE_S)


def until(lines: Iterable[str], wanted: str) -> Iterator[str]:
    """Lines up to the one that has `wanted`; all of them if none has."""
    for line in lines:
        yield line
        if wanted in line:
            return


def get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
        body: bytes = answer.read()
    return body


def test_the_wheel_has_the_studio_and_the_configs(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    configs = {f"voice_server/configs/{path.name}" for path in (ROOT / "configs").glob("*.yaml")}
    assert configs <= names
    assert "voice_server/studio/index.html" in names
    assert not [name for name in names if name.startswith(("tests/", "web/", "benchmarks/"))]


def test_serving_needs_no_torch(installed: Path) -> None:
    command = [*pip(installed), "list", "--format", "freeze"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "voice-server==" in listed
    assert not re.search(r"^(torch|transformers)==", listed, re.MULTILINE)


def test_the_studio_and_all_that_it_loads_are_served(studio: str) -> None:
    page = get(studio).decode()
    assert "<html" in page
    loaded = re.findall(r'<(?:script|link|img)\s[^>]*?(?:src|href)="([^":]+)"', page)
    assert {"studio.js", "style.css", "icon.svg"} <= set(loaded)
    for path in loaded:
        assert get(studio + path.removeprefix("./").lstrip("/"))
    assert b"alive" in get(f"{studio}healthz")


def test_it_speaks(installed: Path, studio: str, tmp_path: Path) -> None:
    """The installed command gets sound from the installed server, so no data file is missing."""
    sound = tmp_path / "hello.wav"
    command = [str(installed / "voice-server"), "say", "Hello there.", "--out", str(sound)]
    subprocess.run([*command, "--url", studio], check=True, cwd=tmp_path, timeout=PATIENCE_S)
    assert sound.stat().st_size > 24_000
