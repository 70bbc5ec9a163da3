"""What this machine has that a topology may ask for."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CUDA = "cuda"


@dataclass(frozen=True, slots=True)
class Machine:
    """cores: numbers of those that this process may use. gpus: CUDA devices that it may use."""

    cores: frozenset[int]
    gpus: int = 0

    @staticmethod
    def here() -> Machine:
        """What this process may use, as it is now."""
        return Machine(_cores(), _gpus())

    def has(self, device: str) -> bool:
        """device: "cpu" or "cuda:N"."""
        kind, _, number = device.partition(":")
        return kind != CUDA or int(number) < self.gpus

    def devices(self) -> tuple[str, ...]:
        return ("cpu", *(f"{CUDA}:{number}" for number in range(self.gpus)))


def kind_of(device: str) -> str:
    """The kind of device: "cpu" or "cuda"."""
    return device.partition(":")[0]


def cores(root: Path = Path("/")) -> float:
    """How many cores this process may keep busy: those that it may run on, or less where a cgroup
    grants it less time than that. root: of the file system, for tests."""
    allowed = float(len(_cores()))
    return max(0.05, min([allowed, *_quotas(root)]))


def _quotas(root: Path) -> Iterator[float]:
    """Cores' worth of time that this process's cgroup and those above it grant (cgroup v2)."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    told = next((line.removeprefix("0::/") for line in lines if line.startswith("0::/")), None)
    if told is None:
        return
    mounted = root / "sys/fs/cgroup"
    for group in (mounted / told, *(mounted / told).parents):
        if not group.is_relative_to(mounted):
            return
        with contextlib.suppress(OSError, ValueError):
            most, period = (group / "cpu.max").read_text().split()
            if most != "max":
                yield int(most) / int(period)


def _cores() -> frozenset[int]:
    if sys.platform == "linux":
        return frozenset(os.sched_getaffinity(0))
    return frozenset(range(os.cpu_count() or 1))


def _gpus() -> int:
    """As the driver says: it heeds what the process is allowed to see, and needs no torch."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value
