"""One text to one file, with a line on the terminal that says how far it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from engine.types import Int16
from sessions.events import Warned
from voice_server.client.recording import Recording, recording
from voice_server.client.session_core import Notice
from voice_server.client.sync import Session, Take
from voice_server.wire.messages import SessionDraining, TakeDone

PIECE: Final = 10_000
"""Characters of a long text that are sent at a time."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be said. out: where to; None keeps no sound."""

    text: str
    voice: str | None = None
    seed: int | None = None
    out: Path | None = None


@dataclass(frozen=True, slots=True)
class Spoken:
    """A take that is done."""

    request: Request
    take: Take
    done: TakeDone
    sample_rate: int

    @property
    def rtf(self) -> float | None:
        """From the request sent to its last packet read, over the duration of the sound."""
        last = self.take.last_audio_ms
        return last / self.done.duration_ms if last and self.done.duration_ms else None


class Teller:
    """Tells a person how it goes: a bar on a terminal, warnings anywhere. Use it by `with`."""

    def __init__(self, console: Console, text: str) -> None:
        self._console = console
        self._chars = max(1, len(text))
        columns = (TextColumn("{task.description}"), BarColumn())
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
        """Something is done before speaking; fraction: of it, from 0 to 1, if known."""
        total = None if fraction is None else 1.0
        self._progress.update(self._task, description=what, completed=fraction or 0, total=total)

    def spoken(self, chars: int, seconds: float) -> None:
        """So much of the text is spoken, in so much sound."""
        told = f"{seconds:.1f} s of sound"
        done = min(chars, self._chars)
        self._progress.update(self._task, description=told, completed=done, total=self._chars)

    def notice(self, notice: Notice) -> None:
        """Says a warning on a line of its own."""
        if isinstance(notice, SessionDraining):
            told = "warning: the server is about to stop"
        else:
            told = f"{'warning' if isinstance(notice, Warned) else 'error'}: {notice.message}"
        self._console.print(told, highlight=False, markup=False)


def say(session: Session, request: Request, teller: Teller) -> Spoken:
    """Speaks the text into `request.out` and returns when it is all there. Raises ClientError."""
    rate = session.audio.sample_rate
    take = _speak(session, request)
    samples = 0
    with _file(request.out, rate) as file:
        for block in take:
            file.write(block)
            samples += len(block)
            chars = take.words[-1].span[1] if take.words else 0
            teller.spoken(chars, samples / rate)
        done = take.result()
    return Spoken(request, take, done, rate)


def _speak(session: Session, request: Request) -> Take:
    """A text longer than one message may be goes in pieces."""
    text, most = request.text, session.limits.text_chars
    if len(text) <= most:
        return session.speak(text, voice=request.voice, seed=request.seed)
    size = min(most, PIECE)
    take = session.speak(text[:size], voice=request.voice, seed=request.seed, more=True)
    for at in range(size, len(text), size):
        take.append(text[at : at + size])
    take.finish()
    return take


class _Nowhere:
    def write(self, data: Int16) -> None:
        return None


@contextmanager
def _file(out: Path | None, sample_rate: int) -> Iterator[Recording]:
    with nullcontext(_Nowhere()) if out is None else recording(out, sample_rate) as file:
        yield file


def figures(spoken: Spoken) -> dict[str, object]:
    """What was measured here, for `--json`; underruns are those of a player that starts at once."""
    take, done = spoken.take, spoken.done
    return {
        "voice": take.voice,
        "out": str(spoken.request.out) if spoken.request.out else None,
        "sample_rate": spoken.sample_rate,
        "samples": done.samples,
        "duration_ms": done.duration_ms,
        "first_audio_ms": take.first_audio_ms,
        "rtf": spoken.rtf,
        "underruns": asdict(take.underruns),
        "words": [asdict(word) for word in take.words],
        "warnings": [{"code": one.code, "message": one.message} for one in take.warnings],
    }
