"""constraints.txt pins every release once, with nothing of the machine that wrote it."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from scripts import pin


def constraints() -> list[str]:
    lines = (pin.ROOT / "constraints.txt").read_text().splitlines()
    return [line for line in lines if not line.startswith("#")]


def test_report_becomes_sorted_pins_without_local_versions(tmp_path: Path) -> None:
    installs = [("torch", "2.13.0+cpu"), ("voice-server", "0.1.0"), ("Jinja2", "3.1.6")]
    report = tmp_path / "report.json"
    entries = [{"metadata": {"name": name, "version": version}} for name, version in installs]
    report.write_text(json.dumps({"install": entries}))
    assert [str(found) for found in pin.read_pins(report)] == ["jinja2==3.1.6", "torch==2.13.0"]


def test_each_line_is_one_exact_pin() -> None:
    lines = constraints()
    assert all(re.fullmatch(r"[a-z0-9._-]+==[0-9][0-9a-z.]*", line) for line in lines)
    names = [line.split("==")[0] for line in lines]
    assert len(names) == len(set(names))
    assert pin.TORCH in lines


def test_every_dependency_is_pinned() -> None:
    project = tomllib.loads((pin.ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"]]
    for extra in pin.EXTRAS:
        wanted += project["optional-dependencies"][extra]
    names = {re.split(r"[\[<>=]", one)[0].strip().lower().replace("_", "-") for one in wanted}
    pinned = {line.split("==")[0].replace("_", "-") for line in constraints()}
    assert names <= pinned
