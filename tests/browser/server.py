"""The real server, as a user starts it, in a process of its own."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue

from tests.patience import PATIENCE_S

READY_S = 600.0
"""Preparing the model the first time takes minutes on a slow machine."""


class ServerFailedError(Exception):
    """The server did not come up; the message has what it said."""


@contextmanager
def running(data: Path) -> Iterator[str]:
    """Starts `voice-server serve` on a free port. Gives its address once it can speak."""
    command = [
        sys.executable,
        "-c",
        "from voice_server.cli import main; main()",
        "serve",
        "--port",
        "0",
        "--data",
        str(data),
        # Known, so that the start need not measure it.
        "--set",
        "engine.capacity=2",
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            said = _Said(process)
            address = said.address(READY_S)
            _wait_ready(address, process, said)
            yield address
        finally:
            process.terminate()
            process.wait(timeout=PATIENCE_S)


class _Said:
    """What the process writes, read by a thread so that it never has to wait for us."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._lines: list[str] = []
        self._addresses: Queue[str] = Queue()
        self._thread = threading.Thread(target=self._read, args=(process,), daemon=True)
        self._thread.start()

    def address(self, seconds: float) -> str:
        try:
            return self._addresses.get(timeout=seconds)
        except Empty:
            raise ServerFailedError(f"no address within {seconds} s:\n{self}") from None

    def __str__(self) -> str:
        return "".join(self._lines)

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        for line in process.stderr:
            self._lines.append(line)
            found = re.search(r"http://\S+:\d+/", line)
            if found:
                self._addresses.put(found.group())


def _wait_ready(address: str, process: subprocess.Popen[str], said: _Said) -> None:
    until = time.monotonic() + READY_S
    while not _ready(address):
        if process.poll() is not None or time.monotonic() > until:
            raise ServerFailedError(f"the server is not ready:\n{said}")
        time.sleep(0.2)


def _ready(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}readyz", timeout=PATIENCE_S) as answer:
            return bool(answer.status == 200)
    except urllib.error.URLError:
        return False
