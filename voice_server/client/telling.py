"""Tells a person at a terminal how it goes."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from sessions.events import Warned
from voice_server.client.session_core import Notice
from voice_server.wire.messages import SessionDraining


class Teller:
    """A bar on a terminal, warnings anywhere. Use it by `with`."""

    def __init__(self, console: Console) -> None:
        self._console = console
        columns = (TextColumn("{task.description}", markup=False), BarColumn())
        self._progress = Progress(
            *columns, console=console, transient=True, disable=not console.is_terminal
        )
        self._task = self._progress.add_task("starting", total=None)

    def __enter__(self) -> Teller:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def step(self, what: str, fraction: float | None) -> None:
        """Something is under way; fraction: of it, from 0 to 1, if known."""
        total = None if fraction is None else 1.0
        self._progress.update(self._task, description=what, completed=fraction or 0, total=total)

    def notice(self, notice: Notice) -> None:
        """Says a warning on a line of its own."""
        if isinstance(notice, SessionDraining):
            self.line("warning: the server is about to stop")
        else:
            self.line(f"{'warning' if isinstance(notice, Warned) else 'error'}: {notice.message}")

    def line(self, text: str) -> None:
        """Says something that stays."""
        self._console.print(text, highlight=False, markup=False)
