"""One process of stages as its supervisor sees it, over all its lives."""

from __future__ import annotations

import asyncio
import os
import pickle
import socket
import subprocess
import sys
import time
from contextlib import suppress

from engine.errors import EngineError, GraphError
from engine.launch.child import Assignment
from engine.launch.control import Control, Start, Stop, Word
from engine.launch.page import Page
from engine.messages import StageAddress
from engine.stats import ProcessState, ProcessStats, StageStats
from engine.transport.arena import close_all, nameless
from engine.transport.node import Origin

_POLL_S = 0.005
_PROGRAM = "import sys; sys.path[:] = {path!r}; from engine.launch.child import main; main({fd})"


class Member:
    """Owns the process, its control socket and its page of figures.

    up: set once the first life is ready, or can't be. wait_s: before it is started again.
    """

    def __init__(
        self, number: int, replica: int, group: str, addresses: tuple[StageAddress, ...]
    ) -> None:
        self.number = number
        self.name = f"{group}/{replica}"
        self.addresses = addresses
        self.control: Control | None = None
        self.error: EngineError | None = None
        self.endpoint = ""
        self.origin = Origin(number, -1)
        self.started_at = 0.0
        self.wait_s = 0.05
        self.joined = False
        self.up: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._group = group
        self._replica = replica
        self._state: ProcessState = "started"
        self._waits: set[tuple[Origin, Origin]] = set()
        self._process: subprocess.Popen[bytes] | None = None
        self._page: Page | None = None

    @property
    def alive(self) -> bool:
        return self._state != "dead"

    def next_origin(self) -> Origin:
        return Origin(self.number, self.origin.starts + 1)

    def start(self, assignment: Assignment) -> Control:
        """Starts the process for its next life and tells it what it is."""
        self._reap()
        self.origin, self.endpoint = assignment.me, assignment.endpoint
        self.error, self.joined, self._state = None, False, "started"
        self.started_at = asyncio.get_running_loop().time()
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

    def become_joining(self) -> None:
        self.joined = True

    def expects(self, who: Origin, peer: Origin) -> None:
        """It is not ready before `who` has joined `peer`."""
        self._waits.add((who, peer))

    def settled(self, who: Origin, peer: Origin) -> None:
        self._waits.discard((who, peer))

    def dropped(self, gone: Origin) -> None:
        """Nobody waits for a process that died."""
        self._waits = {pair for pair in self._waits if gone not in pair}

    def become_ready(self) -> bool:
        """Whether it is ready as of now."""
        if not self.joined or self._waits or self._state != "started":
            return False
        self._state = "ready"
        if not self.up.done():
            self.up.set_result(None)
        return True

    def become_dead(self, error: EngineError) -> None:
        self.error, self._state, self.joined = error, "dead", False
        self._waits.clear()
        if self._process is not None:
            self._process.kill()
        if not self.up.done():
            self.up.set_exception(error)
            self.up.exception()  # Whoever starts them looks at the first that failed only.

    def drain(self) -> None:
        if self._state == "ready":
            self._state = "draining"

    def stop(self) -> None:
        """Tells the process to end, or ends it where it can't listen yet."""
        if self.joined:
            self.send(Stop())
        elif self._process is not None:
            self._process.kill()

    async def ended(self, patience: float) -> None:
        """Returns when the process is gone; ends it by force after `patience` seconds."""
        if self._process is None:
            return
        until = time.monotonic() + patience
        while self._process.poll() is None:
            if time.monotonic() > until:
                self._process.kill()
            await asyncio.sleep(_POLL_S)
        self._state = "dead"

    def stats(self) -> tuple[StageStats, ...]:
        """None of a process that is gone: it holds nothing."""
        if self._page is None or not self.joined:
            return ()
        return self._page.stats()

    def process_stats(self) -> ProcessStats:
        alive = self.alive and self._process is not None
        return ProcessStats(
            group=self._group,
            replica=self._replica,
            state=self._state,
            pid=self._process.pid if alive and self._process is not None else 0,
            starts=self.origin.starts + 1,
            cpu=self._page.cpu() if alive and self._page is not None else 0.0,
        )

    def _reap(self) -> None:
        if self._process is not None:
            self._process.wait()


def _spawn(descriptor: int, name: str, threads: int) -> subprocess.Popen[bytes]:
    program = _PROGRAM.format(path=sys.path, fd=descriptor)
    return subprocess.Popen(
        [sys.executable, "-c", program, name],
        pass_fds=(descriptor,),
        stdin=subprocess.DEVNULL,
        env={**os.environ, **_arithmetic(threads)},
    )


def _arithmetic(threads: int) -> dict[str, str]:
    """Set before any library is loaded, which is when they read it: so many threads, and none that
    spins while it waits and takes from the other stages what they need."""
    counts = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
    calm = {"OMP_WAIT_POLICY": "PASSIVE", "KMP_BLOCKTIME": "0", "GOMP_SPINCOUNT": "0"}
    return {**dict.fromkeys(counts, str(threads)), **calm}


def _written(assignment: Assignment) -> int:
    try:
        data = pickle.dumps(assignment, 5)
    except Exception as error:  # Whatever a factory's own code raises.
        raise GraphError(f"launcher: the graph can't go to another process: {error}") from error
    descriptor = nameless(len(data))
    os.pwrite(descriptor, data, 0)
    return descriptor
