"""What connects one process of an engine to the others, whatever carries it."""

from __future__ import annotations

from typing import Protocol

from engine.transport.node import Envelope, Origin


class Wire(Protocol):
    """One process's end of all its connections. What comes from a life of a peer that is not the
    one of now is let fall in `receive`, and nowhere else."""

    def connect(self, peer: Origin, endpoint: str, *descriptors: int) -> None:
        """From now on `peer` is the process of its number."""
        ...

    def drop(self, number: int, starts: int | None = None) -> None:
        """Nothing goes to that process any more, nor comes from it. starts: only that life."""
        ...

    def send(self, number: int, to: int, message: object) -> None:
        """Never blocks; does nothing for a process that is not there. Raises StageFailed for what
        can't be sent."""
        ...

    def receive(self, patience: float = 0.0) -> Envelope | None:
        """The next message; None when none came within `patience` seconds, or after `wake`."""
        ...

    def wake(self) -> None:
        """Makes a `receive` that waits in another thread return None, or the next one do so."""
        ...
