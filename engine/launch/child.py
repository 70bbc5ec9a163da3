"""A process of stages: one replica of a group, each stage in a thread.

Started by `engine.launch.processes` and never by hand. It ends when it is told to, when a stage of
it can't go on, and when whoever started it is gone.
"""

from __future__ import annotations

import ctypes
import logging
import mmap
import os
import pickle
import signal
import socket
import sys
import threading
import time
from dataclasses import dataclass
from typing import NoReturn

from engine.errors import EngineError, GraphError, StageFailed
from engine.graph import Graph
from engine.launch.control import (
    Broken,
    Control,
    Ear,
    Join,
    Joined,
    PeerGone,
    Ready,
    Start,
    Stop,
)
from engine.launch.inboxes import make_inbox
from engine.launch.page import Page
from engine.launch.threads import StageThread, windows_of
from engine.messages import (
    Aborted,
    Chunk,
    Died,
    Error,
    Inbound,
    Mail,
    News,
    Result,
    SourceGone,
    StageAddress,
)
from engine.placement import Placement
from engine.trace import Span, Spans, StageTrace, Traced
from engine.transport.node import PROCESS, Envelope, Node, Origin
from engine.transport.wire import Wire

TICK_S = 0.1
"""How old the figures on the page may be."""
SUPERVISOR = 0
"""The number of the process that the coordinator is in."""
_PR_SET_PDEATHSIG = 1

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Assignment:
    """What a process is to be. numbers: of the processes that the stages of the graph are in.
    traced: it tells what its stages do and when."""

    graph: Graph
    placement: Placement
    me: Origin
    endpoint: str
    stages: tuple[StageAddress, ...]
    numbers: dict[StageAddress, int]
    traced: bool = False

    def packed(self) -> bytes:
        """For the other process, which unpickles it. Raises GraphError where that can't be."""
        try:
            return pickle.dumps(self, 5)
        except Exception as error:  # Whatever a factory's own code raises.
            raise GraphError(f"launcher: the graph can't go to another process: {error}") from error


def main(descriptor: int) -> None:
    """Runs until the end. descriptor: of the socket to the supervisor."""
    _detach()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    control = Control(socket.socket(fileno=descriptor))
    told = control.receive()
    if told is None or not isinstance(told[0], Start):
        return
    assignment, page = _read(told[1][0]), told[1][1]
    node = Node(assignment.me, assignment.endpoint, keep=True)
    StageProcess(assignment, control, page, node).run()
    logging.shutdown()
    # What else there is has nothing to give back, and libraries take their time to unload.
    os._exit(0)


def _detach() -> None:
    """The supervisor alone decides when this process ends: a signal to stop goes to it, and often
    to all its processes at once, while what plays is still to be made."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _read(descriptor: int) -> Assignment:
    size = os.fstat(descriptor).st_size
    with mmap.mmap(descriptor, size) as memory:
        assignment: Assignment = pickle.loads(memory[:])
    os.close(descriptor)
    return assignment


class StageProcess:
    """The thread that runs it listens to the supervisor, another receives the work, and each stage
    has one. page: a descriptor. node: connected to the supervisor, or to be."""

    def __init__(self, assignment: Assignment, control: Ear, page: int, node: Wire) -> None:
        self._control = control
        self._numbers = assignment.numbers
        self._names = assignment.graph.names
        group = assignment.placement.group_of(assignment.stages[0].stage)
        os.nice(group.niceness)
        seat = assignment.placement.seat(assignment.stages[0])
        if seat.cores and sys.platform == "linux":
            os.sched_setaffinity(0, seat.cores)
        self._page = Page(page, assignment.stages)
        self._node = node
        self._receiving = threading.Lock()
        self._alone = len(assignment.stages) == 1
        feed, rouse = self._feed if self._alone else None, self._node.wake
        self._inboxes = {
            address: make_inbox(assignment.graph, assignment.placement, address, feed, rouse)
            for address in assignment.stages
        }
        self._by_stage = {address.stage: inbox for address, inbox in self._inboxes.items()}
        self._name = f"{group.name}/{assignment.stages[0].replica}"
        self._spans = Spans() if assignment.traced else None
        self._threads = {
            address: StageThread(
                assignment.graph, assignment.placement, address, inbox, self, self._trace(address)
            )
            for address, inbox in self._inboxes.items()
        }

    def _trace(self, address: StageAddress) -> StageTrace | None:
        return None if self._spans is None else StageTrace(self._name, address, self._spans)

    def run(self) -> None:
        """Returns when it was told to stop, and all that it had to say is on its way."""
        for thread in self._threads.values():
            thread.start()
        try:
            for thread in self._threads.values():
                thread.wait_ready()
        except EngineError as error:
            self._give_up(error)
        for thread in self._threads.values():
            self._publish(thread)
        threading.Thread(target=self._receive, name="receive", daemon=True).start()
        self._control.send(Ready(windows_of(self._threads.values())))
        self._listen()

    def to_stage(self, address: StageAddress, message: Inbound) -> None:
        inbox = self._inboxes.get(address)
        if inbox is not None:
            inbox.put(message)
        else:
            to = self._names.index(address.stage)
            self._node.send(self._numbers[address], to, message)

    def to_coordinator(self, mail: News, *, patient: bool = False) -> None:
        match mail:
            case Mail(sender=sender, message=message):
                if isinstance(message, Result | Error | Aborted):
                    # Whoever hears that nothing is held any more must see it in the figures too.
                    self._publish(self._threads[sender])
                self._node.send(SUPERVISOR, PROCESS, mail)
            case Died(error=error):
                self._give_up(error)
            case _:
                raise AssertionError(f"a stage says nothing like {mail}")

    def mail_waiting(self) -> int:
        return 0

    def _listen(self) -> None:
        """Until told to stop. Ends the process when the supervisor is gone, whatever the stages
        are doing."""
        while (told := self._control.receive()) is not None:
            word, descriptors = told
            match word:
                case Join(peer=peer, endpoint=endpoint):
                    self._node.connect(peer, endpoint, *descriptors)
                    for descriptor in descriptors:
                        os.close(descriptor)
                    self._control.send(Joined(peer))
                case Stop():
                    self._stop()
                    return
                case _:
                    raise AssertionError(f"a supervisor says nothing like {word}")
        os._exit(1)

    def _stop(self) -> None:
        for inbox in self._inboxes.values():
            inbox.close()
        self._node.wake()
        for thread in self._threads.values():
            thread.join()
        self._tick()
        if self._spans is not None:
            # ZeroMQ's own thread sends the last of them.
            time.sleep(TICK_S)

    def _receive(self) -> None:
        """Keeps the figures fresh, and receives unless a stage does that itself. While that one is
        at work, what comes is put into its inbox from here, so that its depth is known."""
        due = time.monotonic() + TICK_S
        try:
            while True:
                if self._alone:
                    time.sleep(TICK_S)
                    self._drain()
                else:
                    self._feed(TICK_S)
                if time.monotonic() >= due:
                    due = time.monotonic() + TICK_S
                    self._tick()
        except BaseException as error:
            logger.exception("the receiving thread ended")
            self._give_up(StageFailed(f"could not receive: {error!r}"))

    def _tick(self) -> None:
        for thread in self._threads.values():
            self._publish(thread)
        spans = self._spans.drain() if self._spans is not None else ()
        if spans:
            self._node.send(SUPERVISOR, PROCESS, Traced(spans))

    def _feed(self, patience: float) -> None:
        """Puts all that there is into the inboxes; waits for it, but not where a stage that waits
        itself has something already."""
        with self._receiving:
            if self._alone and any(inbox.depth() for inbox in self._inboxes.values()):
                patience = 0.0
            envelope = self._node.receive(patience)
            while envelope is not None:
                self._handle(envelope)
                envelope = self._node.receive()

    def _drain(self) -> None:
        """What there is, unless a stage waits for it."""
        if self._receiving.acquire(blocking=False):
            try:
                while (envelope := self._node.receive()) is not None:
                    self._handle(envelope)
            finally:
                self._receiving.release()

    def _handle(self, envelope: Envelope) -> None:
        message = envelope.message
        if isinstance(message, PeerGone):
            self._node.drop(message.peer.number, message.peer.starts)
            for stage in message.stages:
                self._tell_all(SourceGone(stage, message.error))
        else:
            name = self._names[envelope.to]
            if self._spans is not None and isinstance(message, Chunk):
                self._spans.add([self._transfer(envelope, message, name)])
            # What an envelope for a stage holds is Inbound, which its type can't say.
            self._by_stage[name].put(message)  # type: ignore[arg-type]  # see above

    def _transfer(self, envelope: Envelope, chunk: Chunk, stage: str) -> Span:
        now, detail = time.monotonic(), f"{envelope.size} bytes"
        name = f"from {chunk.source}"
        return Span("transfer", name, envelope.sent, now, self._name, stage, chunk.job, detail)

    def _tell_all(self, message: SourceGone) -> None:
        for inbox in self._inboxes.values():
            inbox.put(message)

    def _publish(self, thread: StageThread) -> None:
        stats = thread.stats()
        if stats is not None:
            self._page.publish(stats)

    def _give_up(self, error: EngineError) -> NoReturn:
        """Ends all of the process: a replica without one of its stages is of no use."""
        try:
            self._control.send(Broken(error))
        finally:
            os._exit(1)
