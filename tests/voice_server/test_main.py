"""`python -m voice_server` is the program, also where its script is not on the path."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.patience import PATIENCE_S


@pytest.mark.parametrize(("asked", "status"), [(["--help"], 0), (["sing"], 2)])
def test_the_package_runs_as_the_program(asked: list[str], status: int) -> None:
    command = [sys.executable, "-m", "voice_server", *asked]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == status
    assert "A realtime voice session server" in done.stdout or "No such command" in done.stderr
