"""Who is connected, and whether another may be."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol
from urllib.parse import urlsplit

_HERE = frozenset({"localhost", "127.0.0.1", "::1"})


class Drainable(Protocol):
    """A connection, as far as stopping the server and its figures go."""

    @property
    def texts(self) -> int:
        """Messages that wait to be written."""
        ...

    @property
    def waiting_samples(self) -> int:
        """Sound that waits until it is due."""
        ...

    def drain(self, time_left_ms: float) -> None:
        """Tells the client that no new take starts."""
        ...

    def restart(self) -> None:
        """Closes with 1012 once what is due has been written."""
        ...


class Connections:
    """Owns the places for connections; `most` at once."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: set[Drainable] = set()
        self._gone = asyncio.Event()
        self._gone.set()

    def __iter__(self) -> Iterator[Drainable]:
        return iter(tuple(self._open))

    def __len__(self) -> int:
        return len(self._open)

    @property
    def full(self) -> bool:
        return len(self._open) >= self._most

    async def gone(self) -> None:
        """Returns when nobody is connected."""
        await self._gone.wait()

    @contextmanager
    def holding(self, connection: Drainable) -> Iterator[None]:
        """The connection's place, for as long as it is open."""
        self._open.add(connection)
        self._gone.clear()
        try:
            yield
        finally:
            self._open.discard(connection)
            if not self._open:
                self._gone.set()


def origin_allowed(origin: str | None, host: str | None, allowed: tuple[str, ...]) -> bool:
    """Whether a page of `origin` may connect to the server that it calls `host`.

    Programs send no origin. A page from here may, and so may one that this server served, or one
    that is listed.
    """
    if origin is None or "*" in allowed or origin in allowed:
        return True
    page = urlsplit(origin)
    served_here = host is not None and page.netloc.casefold() == host.casefold()
    return page.hostname in _HERE or (served_here and page.netloc != "")
