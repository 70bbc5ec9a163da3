"""The server under test, as anyone starts it: `voice-server serve`, in a process of its own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import psutil
from prometheus_client.parser import text_string_to_metric_families

START_S: Final = 600
"""A first start may have to prepare the model."""
STOP_S: Final = 60
BROKEN: Final = "The engine is not there"
"""Printed by a server that listens and can't speak."""


class NotStarted(Exception):
    """A program that is measured could not be started; the message says why."""


@dataclass(frozen=True, slots=True)
class Server:
    """address: the studio's, http. process: the server's own."""

    address: str
    process: psutil.Process

    @property
    def socket(self) -> str:
        return self.address.rstrip("/").replace("http", "ws", 1) + "/v1/session"

    def cpu_s(self) -> float:
        """Seconds that it and the processes of its stages have computed so far."""
        times = [process.cpu_times() for process in self._processes()]
        return float(sum(one.user + one.system for one in times))

    def rss_mib(self) -> float:
        return float(sum(one.memory_info().rss for one in self._processes())) / 2**20

    def _processes(self) -> list[psutil.Process]:
        return [self.process, *self.process.children(recursive=True)]

    def metrics(self) -> dict[str, float]:
        """What /metrics says, by name and labels as they stand there; labels in order of name."""
        text = self._get("metrics")
        families = text_string_to_metric_families(text)
        return {_key(s.name, s.labels): s.value for family in families for s in family.samples}

    def ready(self) -> tuple[bool, list[str]]:
        """Whether takes can be spoken, and why not."""
        try:
            answer = json.loads(self._get("readyz"))
        except urllib.error.HTTPError as error:
            answer = json.loads(error.read())
        return bool(answer["ready"]), list(answer["reasons"])

    def _get(self, path: str) -> str:
        with urllib.request.urlopen(f"{self.address.rstrip('/')}/{path}", timeout=30) as answer:
            body: bytes = answer.read()
        return body.decode()


def _key(name: str, labels: dict[str, str]) -> str:
    told = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
    return f"{name}{{{told}}}" if told else name


@contextmanager
def serving(
    assignments: Sequence[str] = (), config: Path | None = None, model: str | None = None
) -> Iterator[Server]:
    """A server on a free port, ready to speak. Raises NotStarted."""
    with tempfile.TemporaryDirectory() as data:
        program = [sys.executable, "-m", "voice_server"]
        command = [*program, "serve", "--port", "0", "--data", data]
        command += [] if config is None else ["--config", str(config)]
        command += [] if model is None else ["--model", model]
        command += [part for one in assignments for part in ("--set", one)]
        with child(command) as (process, printed):
            server = Server(_address(process, printed), psutil.Process(process.pid))
            _wait(server, process, printed)
            yield server


def _address(process: subprocess.Popen[str], printed: Printed) -> str:
    until = time.monotonic() + START_S
    while time.monotonic() < until and process.poll() is None:
        if found := re.search(r"Studio: (http://\S+)", printed.text()):
            return found[1]
        time.sleep(0.05)
    raise NotStarted(f"the server printed no address: {printed.tail()}")


def _wait(server: Server, process: subprocess.Popen[str], printed: Printed) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until and process.poll() is None and BROKEN not in printed.text():
        if server.ready()[0]:
            return
        time.sleep(0.1)
    raise NotStarted(f"the server did not get ready: {printed.tail()}")


class Printed:
    """All that a child prints, read as it comes so that it never waits for us."""

    def __init__(self, stream: IO[str]) -> None:
        self._lines: list[str] = []
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def _read(self, stream: IO[str]) -> None:
        self._lines.extend(iter(stream.readline, ""))

    def text(self) -> str:
        return "".join(self._lines)

    def tail(self) -> str:
        """The last lines, for a report in one line."""
        lines = [line.strip() for line in self._lines if line.strip()]
        return " | ".join(lines[-3:]) or "it printed nothing"


@contextmanager
def child(
    command: Sequence[str], env: dict[str, str] | None = None
) -> Iterator[tuple[subprocess.Popen[str], Printed]]:
    """Runs a program for the time of the block."""
    with subprocess.Popen(
        list(command), env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        printed = Printed(process.stdout)
        try:
            yield process, printed
        finally:
            process.terminate()
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
