"""What the rooms above see of the engine: the coordinator's interface and nothing behind it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from engine.types import Credit, FamilyInfo, Output, Part, Pause, RequestId, Utterance


class Request(Protocol):
    """A bound request, owned by whoever submitted it; all methods are called on the event loop.

    Iterate it to the end (`Finished` or `Failed`) or `abort` it; either gives back all it holds.
    """

    @property
    def id(self) -> RequestId: ...

    def append(
        self, text: str, parts: tuple[Part, ...] = (), pauses: tuple[Pause, ...] = ()
    ) -> None:
        """Adds text to an utterance opened with `more`; parts, pauses: see Passage."""
        ...

    def finish(self) -> None:
        """Says that no more text will follow."""
        ...

    def credit(self, credit: Credit) -> None:
        """Says how far sound is wanted and when it plays.

        Without any, only the first window is made.
        """
        ...

    def abort(self) -> None:
        """Ends the request now. Iteration stops at once and nothing more comes out of it."""
        ...

    def __aiter__(self) -> AsyncIterator[Output]: ...


class Engine(Protocol):
    """Makes sound. `submit` is called on the event loop and never blocks."""

    @property
    def info(self) -> FamilyInfo: ...

    def submit(self, utterance: Utterance) -> Request:
        """Binds the request and starts it.

        Raises UnknownVoice for a voice that the family lacks, EngineStopped after `close`.
        """
        ...

    def check_integrity(self) -> None:
        """Raises AssertionError, naming the resource, unless every take has had its give."""
        ...

    async def close(self) -> None: ...
