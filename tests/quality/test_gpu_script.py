"""scripts/gpu.sh, rehearsed with tiny weights on the CPU: all that a GPU will be asked is run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, Final

import psutil
import pytest

from tests.patience import PATIENCE_S

ROOT: Final = Path(__file__).parents[2]
CARRIED: Final = ("benchmarks", "configs", "engine", "scripts", "sessions", "voice_server")
USUAL: Final = ("torch", "numpy", "tokenizers", "safetensors", "huggingface_hub", "regex", "tqdm",
                "PyYAML", "psutil", "rich", "click", "anyio", "h11", "prometheus-client",
                "threadpoolctl", "typing_extensions", "typer")  # fmt: skip
"""What a machine with torch for CUDA has besides, with all that these need."""
NOWHERE: Final = "http://127.0.0.1:9"
"""A proxy that answers nobody."""

pytestmark = pytest.mark.long


def run(script: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """With nothing of the network within reach."""
    proxies = {f"{scheme}_proxy": NOWHERE for scheme in ("http", "https", "all")}
    here = {"PATH": "/usr/bin:/bin", "HOME": environment.pop("home"), **proxies}
    here |= {"no_proxy": "127.0.0.1,localhost", **environment}
    command = [str(script), "--tiny", *options]
    return subprocess.run(command, env=here, capture_output=True, text=True, check=False)


def told(file: Path) -> Any:
    return json.loads(file.read_text())


def usual(left_out: Iterable[str]) -> Iterator[Distribution]:
    """What is USUAL, and all that this needs, but for what is packed."""
    waiting, seen = list(USUAL), set(left_out)
    while waiting:
        name = canonical(waiting.pop())
        if name in seen:
            continue
        seen.add(name)
        try:
            found = distribution(name)
        except PackageNotFoundError:
            continue  # for another Python or system
        yield found
        wanted = (one for one in found.requires or () if "extra ==" not in one)
        waiting += [re.split(r"[^\w.-]", one, maxsplit=1)[0] for one in wanted]


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def bare(folder: Path, packed: Iterable[str]) -> Path:
    """A Python that has torch and what is usual beside it, and nothing that is packed."""
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    packages = folder / "usual"
    packages.mkdir()
    for found in usual(packed):
        for name in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            link = packages / name
            if not link.exists():
                link.symlink_to(Path(str(found.locate_file(name))).resolve())
    site = next((folder / "venv" / "lib").glob("python*/site-packages"))
    (site / "usual.pth").write_text(f"{packages}\n")
    return folder / "venv" / "bin" / "python"


def unpacked(folder: Path) -> Path:
    """The script and what it runs, in an empty folder."""
    for name in CARRIED:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "constraints.txt", folder)
    return folder / "scripts" / "gpu.sh"


def test_packed_and_unpacked_it_checks_what_is_computed_and_then_measures(tmp_path: Path) -> None:
    """On a Python that lacks what `pack` collects, where nothing can be fetched."""
    wheels, out = tmp_path / "wheels", tmp_path / "out"
    script, version = ROOT / "scripts" / "gpu.sh", "{}.{}".format(*sys.version_info)
    pack = [str(script), "pack", str(wheels), version]
    subprocess.run(pack, env={**os.environ, "PYTHON": sys.executable}, check=True)
    versions = dict(wheel.name.split("-")[:2] for wheel in wheels.glob("*.whl"))
    script, python = unpacked(tmp_path / "there"), bare(tmp_path, map(canonical, versions))
    options = ("--wheels", str(wheels), "--out", str(out))
    done = run(script, *options, home=str(tmp_path), PYTHON=str(python))
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    exactness = told(out / "exactness.json")
    assert exactness["machine"]["versions"]["transformers"] == versions["transformers"]
    assert len(exactness["goals"]) == 6
    assert all(goal["met"] for goal in exactness["goals"])
    for name, graphs in (("graphs", True), ("eager", False), ("threads", True)):
        result = told(out / f"{name}.json")
        assert result["graphs"] is graphs
        assert [row["clients"] for row in result["rows"]] == [1, 2]
        assert not result["left_out"]
        for row in result["rows"]:
            assert row["figures"]["frames_s"] > 0
            assert not row["refused"]


SPOILT: Final = """\
#!/bin/sh
case "$*" in
*serving.exactness*) exit 3 ;;
*"--name eager"*)
    sh -c 'trap "" TERM; echo $$ >"$1"; while :; do sleep 1; done' child {out}/pid &
    wait ;;
*"--name graphs"*) echo '{{"rows": [1]}}' >{out}/graphs.json ;;
esac
"""
"""A Python with which one part fails, and another hangs with a child that won't be ended. What runs
to its end takes no time, so that what is left for the others isn't this machine's to decide."""


def test_a_part_that_fails_and_one_that_hangs_leave_the_others_files(tmp_path: Path) -> None:
    """And all is over when it has to be, with nothing left running."""
    limit, python = 30, tmp_path / "python"
    python.write_text(SPOILT.format(out=tmp_path))
    python.chmod(0o755)
    options = ("--out", str(tmp_path), "--limit", str(limit))
    script = ROOT / "scripts" / "gpu.sh"
    done = run(script, *options, home=str(tmp_path), PYTHON=str(python))
    (ended,) = re.findall(r"== ended at (\d+) s", done.stdout)
    assert limit <= int(ended) < limit + PATIENCE_S
    assert done.returncode == 1
    assert "== exactness: ended with 3" in done.stdout
    assert "== eager: ended with 124" in done.stdout
    assert "== threads: no time left" in done.stdout
    assert told(tmp_path / "graphs.json")["rows"]
    assert not (tmp_path / "eager.json").exists()
    with suppress(psutil.NoSuchProcess):
        psutil.Process(int((tmp_path / "pid").read_text())).wait(PATIENCE_S)  # or this raises
    assert done.stdout in (tmp_path / "log.txt").read_text()
