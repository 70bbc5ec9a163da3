"""What this machine has that a topology may ask for."""

from __future__ import annotations

import ctypes
import os
import sys
from dataclasses import dataclass

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
