"""On what a figure was measured; it stands in every result."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil


@dataclass(frozen=True, slots=True)
class Machine:
    """cores: those that this process may use. load: runnable threads over the last minute before
    the run, without it; with more than a few tenths the figures are too slow. versions: by package
    name, "absent" for one that is not installed."""

    date: str
    system: str
    processor: str
    cores: int
    memory_gib: float
    load: float
    python: str
    commit: str
    versions: dict[str, str]


def machine(packages: Sequence[str]) -> Machine:
    """This one, now."""
    return Machine(
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        system=platform.platform(),
        processor=_processor(),
        cores=len(psutil.Process().cpu_affinity() or range(os.cpu_count() or 1)),
        memory_gib=round(psutil.virtual_memory().total / 2**30, 1),
        load=round(psutil.getloadavg()[0], 2),
        python=platform.python_version(),
        commit=_commit(),
        versions={name: _version(name) for name in packages},
    )


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    here = Path(__file__).parent
    try:
        done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    except FileNotFoundError:  # there is no git
        return "unknown"
    return done.stdout.strip() or "unknown"
