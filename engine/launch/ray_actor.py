"""A process of stages as an actor of Ray: the same stages, on whichever node it was put."""

from __future__ import annotations

import logging
import os
import pickle
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from queue import SimpleQueue
from typing import Final, TypeAlias

import ray
from ray.actor import ActorHandle
from ray.exceptions import RayError

from engine.devices import Machine
from engine.errors import EngineError, StageFailed
from engine.launch.child import SUPERVISOR, Assignment, StageProcess
from engine.launch.control import Broken, Lost, Said, Word
from engine.launch.page import Page
from engine.placement import check_seat
from engine.transport.node import Origin
from engine.transport.ray_node import CONTROL, Bag, Courier, Entry, Outlet, RayNode

IN: Final = "in"
OUT: Final = "out"
"""The threads that calls of an actor run in: one for what comes, one for what is taken."""
TICK_S: Final = 0.2
"""How often the server hears of an actor that has nothing to say."""
_GRACE_S: Final = 10.0
"""The server ends an actor that says it is broken; this is for one that nobody hears."""
INLINE_BYTES: Final = 96 * 1024
"""What Ray sends within a call; larger arguments and answers go by way of its object store, which
takes several times as long."""
Batch: TypeAlias = tuple[list[Entry], bytes]
"""What an actor has for the server, and its page of figures as it is after that."""
Actor: TypeAlias = "ActorHandle[StageActor]"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Hello:
    """clock: its monotonic seconds."""

    version: str
    pid: int
    clock: float


class StageActor:
    """Ray calls its methods; the stages run in threads of their own.

    `hello` may be called at any time and `begin` once, before any other; then `deliver` by whoever
    has something for it, and `take` by the server, again and again.
    """

    def __init__(self) -> None:
        self._line = _Line()
        self._node: RayNode | None = None
        self._figures: Page | None = None
        logging.getLogger().addHandler(_Telling(self._line))

    def hello(self) -> Hello:
        return Hello(version("voice-server"), os.getpid(), time.monotonic())

    def begin(self, orders: bytes, offset: float) -> None:
        """Starts the stages, and does not wait for their runners: what becomes of them is said in
        `take`. orders: a pickled Assignment. offset: seconds from this clock to the server's."""
        made = threading.Event()
        main = threading.Thread(
            target=self._main, args=(orders, offset, made), name="stages", daemon=True
        )
        main.start()
        made.wait()

    @ray.method(concurrency_group=IN)
    def deliver(self, *parts: bytes) -> None:
        """What a process has for this one: its Origin and entries, pickled and cut."""
        origin, entries = pickle.loads(b"".join(parts))
        if self._node is not None:  # Else the stages could not be made, as the server was told.
            self._node.put(origin, [entry for entry in entries if entry[0] != CONTROL])
        for to, _, data in entries:
            if to == CONTROL:
                self._line.words.put(pickle.loads(data))

    @ray.method(concurrency_group=OUT)
    def take(self) -> Batch | None:
        """Waits up to TICK_S for something. None when the stages have ended."""
        entries = self._line.mail.take(INLINE_BYTES, TICK_S)
        if entries is None:
            return None
        return entries, b"" if self._figures is None else self._figures.read()

    def _main(self, orders: bytes, offset: float, made: threading.Event) -> None:
        try:
            process = self._made(orders, offset)
            made.set()
            process.run()
            self._line.mail.close()
        except BaseException as error:
            made.set()
            self._line.send(Broken(_start_error(error)))

    def _made(self, orders: bytes, offset: float) -> StageProcess:
        assignment: Assignment = pickle.loads(orders)
        placement, first = assignment.placement, assignment.stages[0]
        check_seat(placement.group_of(first.stage), placement.seat(first), Machine.here())
        node = RayNode(assignment.me, _Dial(assignment.me, self._line), offset)
        node.join(Origin(SUPERVISOR), self._line.mail)
        page = Page.make(len(assignment.stages))
        self._node, self._figures = node, Page(page, assignment.stages)
        process = StageProcess(assignment, self._line, page, node)
        os.close(page)
        return process


class _Line:
    """The actor's end of what it says with the server beside the work. Implements `Ear`."""

    def __init__(self) -> None:
        self.mail = Bag()
        self.words: SimpleQueue[Word] = SimpleQueue()

    def send(self, word: Word) -> None:
        """Does not return from a last word, for then the server ends the actor."""
        self.mail.put((CONTROL, time.monotonic(), pickle.dumps(word, 5)))
        if isinstance(word, Broken):
            time.sleep(_GRACE_S)

    def receive(self) -> tuple[Word, tuple[int, ...]]:
        """There is no end, as Ray ends the actors of a server that is gone."""
        return self.words.get(), ()


class _Telling(logging.Handler):
    """Has the server log what this process has to report."""

    def __init__(self, line: _Line) -> None:
        super().__init__(logging.WARNING)
        self._line = line

    def emit(self, record: logging.LogRecord) -> None:
        self._line.send(Said(record.levelno, record.name, self.format(record)))


class _Dial:
    """Finds other actors by their names, and tells the server of those it can't reach."""

    def __init__(self, me: Origin, line: _Line) -> None:
        self._me = me
        self._line = line

    def __call__(self, peer: Origin, endpoint: str) -> Outlet:
        try:
            actor: Actor = ray.get_actor(endpoint)
        except ValueError as error:
            raise ConnectionError(str(error)) from error
        return courier(actor, endpoint, self._me, lambda: self._line.send(Lost(peer)))


def courier(actor: Actor, name: str, me: Origin, lost: Callable[[], None]) -> Courier:
    """Brings messages of `me` to an actor. lost: called, from another thread, when that fails."""

    def carry(entries: Sequence[Entry]) -> None:
        try:
            ray.get(actor.deliver.remote(*_cut(pickle.dumps((me, entries), 5))))
        except RayError as error:
            raise ConnectionError(str(error)) from error

    return Courier(name, carry, lost)


def _cut(data: bytes) -> Iterator[bytes]:
    for at in range(0, len(data), INLINE_BYTES):
        yield data[at : at + INLINE_BYTES]


def _start_error(error: BaseException) -> EngineError:
    if isinstance(error, EngineError):
        return error
    logger.error("the stages ended", exc_info=error)
    return StageFailed(f"could not be started: {error!r}")
