"""One process of stages of this host as its supervisor sees it, over all its lives."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress

from engine.launch.child import Assignment
from engine.launch.control import Control, Start, Stop, Word
from engine.launch.page import Page
from engine.launch.replica import Replica
from engine.messages import StageAddress
from engine.stats import StageStats, WindowStats
from engine.transport.arena import close_all, nameless

_POLL_S = 0.005
_PROGRAM = "import sys; sys.path[:] = {path!r}; from engine.launch.child import main; main({fd})"


class Member(Replica):
    """Owns the process, its control socket and its page of figures."""

    def __init__(
        self, number: int, replica: int, group: str, addresses: tuple[StageAddress, ...]
    ) -> None:
        super().__init__(number, replica, group, addresses)
        self.control: Control | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._page: Page | None = None

    def start(self, assignment: Assignment) -> Control:
        """Starts the process for its next life and tells it what it is."""
        self._reap()
        self.begin_life(assignment.me, assignment.endpoint, "started")
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        page, orders = Page.make(len(self.addresses)), _written(assignment)
        self._page = Page(page, self.addresses)
        self.control = Control(ours)
        threads = assignment.placement.worker(self.addresses[0]).threads
        with theirs:
            self._process = _spawn(theirs.fileno(), self.name, threads)
        ours.setblocking(False)
        self.send(Start(), (orders, page))
        close_all((orders, page))
        return self.control

    def send(self, word: Word, descriptors: tuple[int, ...] = ()) -> None:
        """To one that is gone it does nothing: the end of its socket tells soon enough."""
        if self.control is not None:
            with suppress(OSError):
                self.control.send(word, descriptors)

    def read(self) -> list[Word] | None:
        return None if self.control is None else self.control.read()

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()

    def stop(self) -> None:
        if self.joined:
            self.send(Stop())
        else:
            self.kill()

    async def ended(self, patience: float) -> None:
        if self._process is None:
            return
        until = time.monotonic() + patience
        while self._process.poll() is None:
            if time.monotonic() > until:
                self._process.kill()
            await asyncio.sleep(_POLL_S)
        self.end_life()

    def stats(self) -> tuple[StageStats, ...]:
        if self._page is None or not self.joined:
            return ()
        return self._page.stats()

    def know(self, windows: Mapping[StageAddress, WindowStats]) -> None:
        if self._page is not None:
            self._page.know(windows)

    def pid(self) -> int:
        return self._process.pid if self._process is not None else 0

    def cpu(self) -> float:
        return self._page.cpu() if self._page is not None else 0.0

    def _reap(self) -> None:
        if self._process is not None:
            self._process.wait()


def _spawn(descriptor: int, name: str, threads: int) -> subprocess.Popen[bytes]:
    program = _PROGRAM.format(path=sys.path, fd=descriptor)
    return subprocess.Popen(
        [sys.executable, "-c", program, name],
        pass_fds=(descriptor,),
        stdin=subprocess.DEVNULL,
        env={**os.environ, **arithmetic(threads)},
    )


def arithmetic(threads: int) -> dict[str, str]:
    """Set before any library is loaded, which is when they read it: so many threads, and none that
    spins while it waits and takes from the other stages what they need."""
    counts = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
    calm = {"OMP_WAIT_POLICY": "PASSIVE", "KMP_BLOCKTIME": "0", "GOMP_SPINCOUNT": "0"}
    return {**dict.fromkeys(counts, str(threads)), **calm}


def _written(assignment: Assignment) -> int:
    data = assignment.packed()
    descriptor = nameless(len(data))
    os.pwrite(descriptor, data, 0)
    return descriptor
