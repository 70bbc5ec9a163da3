"""scripts/gpu.sh, rehearsed with tiny weights on the CPU: all that a GPU will be asked is run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.long


def test_it_checks_what_is_computed_and_then_measures_with_and_without_graphs(
    tmp_path: Path,
) -> None:
    command = [str(ROOT / "scripts" / "gpu.sh"), "--tiny", "--out", str(tmp_path)]
    environment = {"PATH": "/usr/bin:/bin", "PYTHON": sys.executable, "HOME": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    exactness = json.loads((tmp_path / "exactness.json").read_text())
    assert len(exactness["goals"]) == 6
    assert all(goal["met"] for goal in exactness["goals"])
    for name, graphs in (("graphs", True), ("eager", False), ("threads", True)):
        result = json.loads((tmp_path / f"{name}.json").read_text())
        assert result["graphs"] is graphs
        assert [row["clients"] for row in result["rows"]] == [1, 2]
        assert not result["left_out"]
        for row in result["rows"]:
            assert row["figures"]["frames_s"] > 0
            assert not row["refused"]
