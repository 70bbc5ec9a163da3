"""What nothing can go under: a bare ZeroMQ round trip between two processes, and a memory copy."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
import uuid

import numpy as np
import zmq

from benchmarks.transport.family import SOURCES

TURNS = 3000
ECHO = """
import sys, zmq
context = zmq.Context()
inlet, outlet = context.socket(zmq.PULL), context.socket(zmq.PUSH)
inlet.bind(sys.argv[1])
outlet.connect(sys.argv[2])
while data := inlet.recv():
    outlet.send(data)
"""


def round_trips(size: int) -> list[float]:
    """Seconds of each round trip of `size` bytes, one after the other."""
    there, back = (f"ipc://@bench-{uuid.uuid4().hex}" for _ in range(2))
    with (
        zmq.Context() as context,
        context.socket(zmq.PUSH) as outlet,
        context.socket(zmq.PULL) as inlet,
        subprocess.Popen([sys.executable, "-c", ECHO, there, back]) as echo,
    ):
        outlet.connect(there)
        inlet.bind(back)
        data = bytes(size)
        times = [_trip(outlet, inlet, data) for _ in range(TURNS)]
        outlet.send(b"")
        echo.wait()
    return times[TURNS // 10 :]


def _trip(outlet: zmq.Socket[bytes], inlet: zmq.Socket[bytes], data: bytes) -> float:
    begun = time.perf_counter()
    outlet.send(data)
    inlet.recv()
    return time.perf_counter() - begun


def copies(size: int) -> list[float]:
    """Seconds of each copy of an array of `size` bytes into another that is there already. As the
    arrays that stages hand on are not the same one again and again, neither are these."""
    random = np.random.default_rng(1)
    sources = [random.integers(0, 255, size, np.uint8) for _ in range(SOURCES)]
    targets = [source.copy() for source in sources]
    times: list[float] = []
    for turn in range(TURNS):
        begun = time.perf_counter()
        np.copyto(targets[turn % SOURCES], sources[turn % SOURCES])
        times.append(time.perf_counter() - begun)
    return times[TURNS // 10 :]


def copies_in_cache(size: int) -> list[float]:
    """The same of one array into one other, both in the cache."""
    source = np.random.default_rng(1).integers(0, 255, size, np.uint8)
    target = source.copy()
    times: list[float] = []
    for _ in range(TURNS):
        begun = time.perf_counter()
        np.copyto(target, source)
        times.append(time.perf_counter() - begun)
    return times


def median_us(times: list[float]) -> float:
    return 1e6 * statistics.median(times)
