"""Writes constraints.txt from what pip would install for every extra of this project.

Run by `make pins`. The report holds the whole resolved set, so one file pins the server, the tests,
the quality kit and the benchmarks together, and none of them can move another's versions.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = ("check", "test", "ray", "qwen3", "quality", "bench")
# The newest release that a machine without a GPU can use without gigabytes of CUDA libraries.
TORCH = "torch==2.13.0"
HEADER = f"""\
# Every version that `make` installs, for all extras together. Written by `make pins`: do not edit.
# {TORCH} is held by hand, see scripts/pin.py.
"""


@dataclass(frozen=True, order=True, slots=True)
class Pin:
    """One exact release."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name}=={self.version}"


def resolve(report: Path) -> None:
    """Asks pip, ignoring what is installed, for the set that satisfies all extras.

    Editable, since any other install would build the studio for nothing.
    """
    wanted = f"{ROOT}[{','.join(EXTRAS)}]"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run"]
    command += ["--ignore-installed", "--report", str(report), "--editable", wanted, TORCH]
    subprocess.run(command, check=True)


def read_pins(report: Path) -> list[Pin]:
    """The pins of a pip report, by name.

    Local version labels such as +cpu are left out: they say where a file was built and not which
    release it is.
    """
    found = [item["metadata"] for item in json.loads(report.read_text())["install"]]
    pins = {Pin(data["name"].lower(), data["version"].split("+")[0]) for data in found}
    return sorted(pin for pin in pins if pin.name != "voice-server")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        resolve(report)
        lines = "".join(f"{pin}\n" for pin in read_pins(report))
    (ROOT / "constraints.txt").write_text(HEADER + lines)


if __name__ == "__main__":
    main()
