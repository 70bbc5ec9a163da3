"""A whole server in a thread of this program, for commands and tests that bring their own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from voice_server import serving
from voice_server.app import App
from voice_server.config import Config
from voice_server.hosting import FamilyLoader
from voice_server.readiness import Broken, Condition, Loading, Ready, Stopping


class NotReady(Exception):
    """The engine could not be started; the message says what to do."""


@contextmanager
def running(
    settings: Config, load: FamilyLoader, told: Callable[[Condition], None] = lambda _: None
) -> Iterator[str]:
    """Runs a server for the time of the block and gives its address once it can speak.

    Where it listens is in `settings.server`. `told` hears, from another thread, how the start goes.
    Raises NotReady, or CannotListen. Leaving the block stops at once what still plays, and forgets
    what was said: another server may have `settings.data` open.
    """
    with TemporaryDirectory(ignore_cleanup_errors=True) as data:
        own = settings.model_copy(update={"data": Path(data)})
        with _running(own, load, told) as address:
            yield address


@contextmanager
def _running(
    settings: Config, load: FamilyLoader, told: Callable[[Condition], None]
) -> Iterator[str]:
    settled = threading.Event()
    app = App(settings, load)

    def tell(condition: Condition) -> None:
        told(condition)
        if not isinstance(condition, Loading):
            settled.set()

    app.readiness.tell(tell)
    server = app.server()
    with serving.listen(settings.server) as listening:
        thread = threading.Thread(target=server.run, args=([listening],), name="local-server")
        thread.start()
        try:
            settled.wait()
            _check(app.readiness.now)
            yield serving.address(listening)
        finally:
            server.should_exit = server.force_exit = True
            thread.join()


def _check(condition: Condition) -> None:
    match condition:
        case Ready():
            return
        case Broken(reason):
            raise NotReady(reason)
        case Loading() | Stopping():
            raise NotReady("the server stopped before it was ready")
